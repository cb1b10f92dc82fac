"""How even a set of scenarios is: the counts behind the lint's set rules and the balance report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import Literal

from dyad.errors import ConfigError, near
from dyad.spec.base import SEATS, Seat
from dyad.spec.scenario import ARCHETYPES, Scenario

from .load import Library
from .sheet import role_of, told
from .truth import PoolTruth, PriceTruth, options_of, truth_of
from .words import find_phrase, size

BALANCED = 0.2  # p of a chi² test above which counts pass as even
NAME_USES = 4
BRIEFS_WITHIN = 0.15  # of the longer mean
LEAST_DOMAINS = 5
FEW = 10  # files; with fewer, balance means nothing
TELLS = 0.25  # of AUC beside one half: with twenty files, chance alone gives about ± 0.15


@dataclass(frozen=True)
class Line:
    """One line of the report. `ok` None: a count without a limit."""

    archetype: str
    what: str
    found: str
    wanted: str = ""
    ok: bool | None = None


def report(library: Library, lang: str = "en") -> list[Line]:
    """Return what there is in a language and how even it is, by archetype; twins and sealed sets are apart.

    Raises ConfigError for a language without scenarios.
    """
    there = [s for s in library.scenarios.values() if s.lang == lang]
    if not there:
        raise ConfigError(f"lang: no scenario in '{lang}'{near(lang, library.lines)}")
    lines: list[Line] = []
    for archetype, sealed in product(ARCHETYPES, (False, True)):
        mine = [s for s in there if s.archetype == archetype and (s.split == "sealed") is sealed]
        written = [s for s in mine if not s.twin]
        if written:
            named = f"{archetype} sealed" if sealed else archetype
            lines += _archetype(library, named, written, [s for s in mine if s.twin])
    return [*lines, _names(library, lang)]


def evenness(counts: Sequence[int]) -> float:
    """Return the p-value of a chi² test that counts come from even chances; 1 without counts."""
    from scipy.stats import chisquare

    return float(chisquare(counts).pvalue) if sum(counts) else 1.0


def independence(table: Sequence[Sequence[int]]) -> float:
    """Return the p-value of a chi² test that rows and columns of a table of counts are independent.

    Empty rows and columns say nothing and are left out; 1 where less than two of either remain.
    """
    import numpy as np
    from scipy.stats import chi2_contingency

    counts = np.asarray(table)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    return float(chi2_contingency(counts).pvalue) if min(counts.shape) > 1 else 1.0


def answer_positions(scenarios: Sequence[Scenario]) -> list[int]:
    """Return how often the answer of T2 stands at each of the five places of the list."""
    places = Counter(t.candidates.index(t.answer) for t in map(_pool, scenarios))
    return [places[i] for i in range(5)]


def eliminations(library: Library, scenarios: Sequence[Scenario]) -> list[list[int]]:
    """Return how often seats a and b of T2 (forms E and L) exclude each of the five places."""
    counts: Counter[tuple[str, int]] = Counter()
    for scenario in scenarios:
        candidates = _pool(scenario).candidates
        for seat in SEATS if scenario.form != "X" else ():
            for item in role_of(library, scenario, seat).private:
                named = set(item.target) & set(candidates) if item.kind == "eliminate" else ()
                for name in named:  # a target that is no candidate is a fault of its own (L05)
                    counts[seat, candidates.index(name)] += 1
    return [[counts[seat, place] for place in range(5)] for seat in SEATS]


def first_options(scenarios: Sequence[Scenario]) -> int:
    """Return in how many files of T4-1 the setting names seat a's option before seat b's."""
    return sum(_place(s, "a") < _place(s, "b") for s in scenarios)


def _archetype(
    library: Library, named: str, written: Sequence[Scenario], twins: Sequence[Scenario]
) -> Iterator[Line]:
    yield Line(named, "scenarios", _counts(s.split for s in written))
    yield Line(named, "twins", _counts(s.twin for s in twins) or "none")
    domains = {s.tags.get("domain", "") for s in written}
    enough = _judged(written, len(domains) >= LEAST_DOMAINS)
    yield Line(named, "domains", str(len(domains)), f"at least {LEAST_DOMAINS}", enough)
    channels = Counter(s.tags.get("channel", "") for s in written)
    yield Line(named, "channel", _show(channels), "both", _judged(written, len(channels) > 1))
    for tag in ("register", "stakes"):
        yield Line(named, tag, _counts(s.tags.get(tag, "") for s in written))
    yield _briefs(library, named, written)
    yield from _OWN.get(written[0].archetype, _nothing)(library, named, written)


def _judged(written: Sequence[Scenario], ok: bool) -> bool | None:
    return ok if len(written) >= FEW else None


def _nothing(library: Library, named: str, written: Sequence[Scenario]) -> Iterator[Line]:
    return iter(())


def _pooling(library: Library, named: str, written: Sequence[Scenario]) -> Iterator[Line]:
    yield Line(named, "forms", _counts(s.form or "none" for s in written))
    yield _even(named, "answer at place 2-5", answer_positions(written)[1:])  # never at the first
    table = eliminations(library, written)
    yield _test(named, "a and b exclude place 1-5", str(table), independence(table))


def _tactics(library: Library, named: str, written: Sequence[Scenario]) -> Iterator[Line]:
    yield _even(named, "tactics", list(Counter(s.truth["tactic"] for s in written).values()))


def _options(library: Library, named: str, written: Sequence[Scenario]) -> Iterator[Line]:
    first = first_options(written)
    yield _even(named, "option named first, a and b", [first, len(written) - first])


def _prices(library: Library, named: str, written: Sequence[Scenario]) -> Iterator[Line]:
    truths = [truth for truth in map(truth_of, written) if isinstance(truth, PriceTruth)]
    closed = sum(not truth.zopa for truth in truths)
    enough = _judged(written, closed * 5 >= len(truths))
    yield Line(named, "files without a deal", str(closed), "one in five", enough)
    sides: tuple[Literal["seller", "buyer"], ...] = ("seller", "buyer")
    for side in sides:
        auc = tells_deal(truths, side)
        ok = _judged(written, abs(auc - 0.5) <= TELLS)
        yield Line(named, f"{side}'s numbers tell a deal", f"AUC {auc:.2f}", f"0.5 ± {TELLS}", ok)


def tells_deal(truths: Sequence[PriceTruth], side: Literal["seller", "buyer"]) -> float:
    """Return how well opening / limit of one side tells whether there is a deal: AUC, 0.5 is not at all.

    The area under the ROC curve is the share of pairs of files, one with a deal and one without, in which
    the ratio is larger with a deal, ties as one half (Mann and Whitney 1947).
    """
    ratios = [getattr(truth.open, side) / getattr(truth.limit, side) for truth in truths]
    with_deal = [r for r, truth in zip(ratios, truths, strict=True) if truth.zopa]
    without = [r for r, truth in zip(ratios, truths, strict=True) if not truth.zopa]
    pairs = [1.0 if x > y else 0.5 if x == y else 0.0 for x in with_deal for y in without]
    return fmean(pairs) if pairs else 0.5


def _briefs(library: Library, archetype: str, written: Sequence[Scenario]) -> Line:
    means = [fmean(size(told(role_of(library, s, seat))) for s in written) for seat in SEATS]
    ok = max(means) - min(means) <= BRIEFS_WITHIN * max(means)
    return Line(archetype, "words told to a and b", f"{means[0]:.1f}, {means[1]:.1f}", "within 15 %", ok)


def _even(archetype: str, what: str, counts: Sequence[int]) -> Line:
    return _test(archetype, what, str(list(counts)), evenness(counts))


def _test(archetype: str, what: str, counts: str, p: float) -> Line:
    return Line(archetype, what, f"{counts}, p = {p:.2f}", f"p > {BALANCED}", p > BALANCED)


def _names(library: Library, lang: str) -> Line:
    """Count the people: a role and its twins are one."""
    roles = {
        ref.role.partition(".")[0]
        for s in library.scenarios.values()
        for ref in (s.seats.values() if s.lang == lang and s.split != "sealed" else ())
    }
    uses = Counter(library.roles[role].name for role in roles)
    most = max(uses.values(), default=0)
    return Line("all", "names", f"{len(uses)}, each at most {most} times", f"{NAME_USES}", most <= NAME_USES)


def _counts(values: Iterator[str]) -> str:
    return _show(Counter(values))


def _show(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


def _pool(scenario: Scenario) -> PoolTruth:
    truth = truth_of(scenario)
    assert isinstance(truth, PoolTruth)
    return truth


def _place(scenario: Scenario, seat: Seat) -> int:
    return find_phrase(scenario.setting, options_of(scenario)[seat])


_OWN: Mapping[str, Callable[[Library, str, Sequence[Scenario]], Iterator[Line]]] = {
    "t2": _pooling, "t3_1": _tactics, "t4_1": _options, "t4_4": _prices,
}  # fmt: skip
