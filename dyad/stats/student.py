"""Student's t, from scipy.special: importing scipy.stats takes longer than all its intervals of a study."""


def t_reach(df: float, level: float = 0.95) -> float:
    """Return how many standard errors an interval goes to each side, with `df` degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + level) / 2))


def t_p(ratio: float, df: float) -> float:
    """Return the two-sided p value of an estimate that is `ratio` standard errors away from 0."""
    from scipy.special import stdtr

    return 2 * float(stdtr(df, -abs(ratio)))


def t_seen(df: float, alpha: float, power: float) -> float:
    """Return how many standard errors a two-sided test with `df` degrees of freedom sees with this power."""
    from scipy.special import nctdtrinc

    return float(nctdtrinc(df, 1 - power, t_reach(df, 1 - alpha)))
