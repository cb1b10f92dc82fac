"""The verb `plan power=…`: how many scenarios and repetitions a difference of two agents needs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from dyad.cli.args import Args
from dyad.cli.output import grid, wide_console
from dyad.cli.overrides import key_of
from dyad.cli.verbs import stored
from dyad.errors import ConfigError, near
from dyad.pipeline import read_table
from dyad.stats import Sought, mde, runs_needed, scenarios_needed
from dyad.stats.power import ALTERNATES, BETWEEN, RUN
from dyad.tables import HEADLINE, conditions, of_judge
from dyad.tables.frame import with_draws
from dyad.tables.power import variances
from dyad.tables.words import number

USAGE = (
    "plan power=0.1 [pilot=STUDY store=DIR] [measure=won] [archetype=t4_1] [alpha=0.05] [target=0.8] "
    "[tests=3]"
)
KEYS = {
    "power": "the difference that is to be seen, e.g. 0.1",
    "pilot": "a stored study whose variances are taken; default: published ones",
    "store": "the folder of the pilot",
    "measure": "only this score",
    "archetype": "only this archetype",
    "alpha": "of the test, two-sided; default 0.05",
    "target": "the power; default 0.8",
    "tests": "how many tests are corrected for together",
}
RUNS = (3, 6, 12, 24)  # per cell and scenario
SCENARIOS = (20, 40, 60, 100)
DESIGN_RUNS, DESIGN_AGENTS, DESIGN_WINDOW_S = 6, 3, 60.0  # of DyaFDB (arXiv 2610.08125, §1.3)

Own = Mapping[str, str]


@dataclass(frozen=True)
class Score:
    """A score and how it varies; None where a pilot cannot tell, and `note` says why."""

    condition: str
    archetype: str
    measure: str
    between: float | None
    run: float | None
    note: str = ""


@dataclass(frozen=True)
class Source:
    """Where the variances come from, and the design for which conversations are counted."""

    name: str
    scores: tuple[Score, ...]
    agents: int
    window_s: float

    @property
    def tests(self) -> int:
        """How many contrasts of two agents such a study has, in all scores of one condition."""
        scores = len({(score.archetype, score.measure) for score in self.scores})
        return math.comb(self.agents, 2) * scores


@dataclass(frozen=True)
class Asked:
    """The difference to be seen, and how surely: by each of so many tests, Holm's `alpha` for all."""

    difference: float
    alpha: float
    target: float
    tests: int

    @property
    def sought(self) -> Sought:
        """What one test takes."""
        return Sought(self.alpha, self.target, self.tests)


def is_asked(args: Args) -> bool:
    """Whether a plan asks for the power of designs instead of a dry run."""
    return any(o.partition("=")[0] in ("power", "pilot") for o in args.overrides)


def power(args: Args) -> int:
    """Print what a difference needs, by score: scenarios, conversations and hours."""
    own = _own(args)
    if "power" not in own:
        raise ConfigError(f"power is missing: which difference? usage: {USAGE}")
    shares = _share(own, "power"), _share(own, "alpha", "0.05"), _share(own, "target", "0.8")
    tests = _tests(own) if "tests" in own else None
    source = _pilot(args, own) if "pilot" in own else _published(own)
    asked = Asked(*shares, tests or source.tests)
    if args.json:
        scores = [asdict(score) | _tables(score, asked, source) for score in source.scores]
        about = {"source": source.name, "agents": source.agents, "window_s": source.window_s}
        print(json.dumps(asdict(asked) | about | {"scores": scores}, ensure_ascii=False))
    else:
        _print(asked, source)
    return 0


def _own(args: Args) -> Own:
    own, rest = args.parted(KEYS)
    if args.words:
        raise ConfigError(f"'{args.words[0]}' is not an option of plan power; usage: {USAGE}")
    if other := [key_of(override) for override in rest.overrides]:
        raise ConfigError(f"plan power takes no '{other[0]}'{near(other[0], KEYS)}")
    if unknown := {own.get("archetype", "t4_1")} - set(HEADLINE):
        raise ConfigError(f"unknown archetype '{unknown.pop()}'{near(own['archetype'], HEADLINE)}")
    if unknown := {own.get("measure", "won")} - set(HEADLINE.values()):
        raise ConfigError(f"no headline score '{unknown.pop()}'{near(own['measure'], HEADLINE.values())}")
    return own


def _share(own: Own, key: str, default: str = "") -> float:
    text = own.get(key, default)
    if not re.fullmatch(r"\d{0,9}\.?\d{1,15}", text, re.ASCII) or not 0 < float(text) < 1:
        raise ConfigError(f"{key} = '{text}' must be a number between 0 and 1; usage: {USAGE}")
    return float(text)


def _tests(own: Own) -> int:
    if not re.fullmatch(r"[1-9]\d{0,5}", own["tests"], re.ASCII):
        raise ConfigError(f"tests = '{own['tests']}' must be a whole number from 1 on; usage: {USAGE}")
    return int(own["tests"])


# -- where variances come from ---------------------------------------------------------------------


def _published(own: Own) -> Source:
    if alone := [key for key in ("measure", "archetype", "store") if key in own]:
        raise ConfigError(f"{alone[0]} chooses from a pilot study; add pilot=STUDY, or leave it out")
    scores = tuple(Score("", "", "any share", between, run) for between, run in ((BETWEEN, RUN), *ALTERNATES))
    return Source("typical of a published study (DyaFDB)", scores, DESIGN_AGENTS, DESIGN_WINDOW_S)


def _pilot(args: Args, own: Own) -> Source:
    """The variances of a stored study, of the scores that were asked for."""
    store = [f"store={own['store']}"] if "store" in own else []
    study = stored(replace(args, overrides=(f"study={own['pilot']}", *store)))
    frame = with_draws(of_judge(read_table(study), study.config.judge))
    scores = tuple(
        Score(condition, x.archetype, x.measure, x.between, x.run, x.note)
        for condition, part in conditions(frame)
        for x in variances(part)
        if own.get("archetype", x.archetype) == x.archetype and own.get("measure", x.measure) == x.measure
    )
    if not any(score.between is not None for score in scores):
        wanted = " ".join(filter(None, (own.get("archetype"), own.get("measure")))) or "score"
        raise ConfigError(
            f"pilot '{study.name}' cannot tell how a {wanted} varies: that takes two agents with the same "
            "partner, two scenarios, and two runs of each"
        )
    agents = len(set(frame["agent"]) | set(frame["partner"]))
    return Source(f"of the study {study.name}", scores, agents, float(frame["window"].max()))


# -- what designs see ------------------------------------------------------------------------------


def _tables(score: Score, asked: Asked, source: Source) -> dict[str, Any]:
    return {"needed": list(_needed(score, asked, source)), "seen": list(_seen(score, asked))}


def _needed(score: Score, asked: Asked, source: Source) -> Iterator[dict[str, Any]]:
    """The scenarios that the difference needs, by runs per cell and scenario."""
    if score.between is None or score.run is None:
        return
    for runs in RUNS:
        scenarios = scenarios_needed(asked.difference, runs, score.between, score.run, asked.sought)
        if scenarios is not None:
            conversations = scenarios * runs * source.agents**2
            hours = conversations * source.window_s / 3600
            yield {"runs": runs, "scenarios": scenarios, "conversations": conversations, "hours": hours}


def _seen(score: Score, asked: Asked) -> Iterator[dict[str, Any]]:
    """The smallest difference that scenarios show, and the runs that the difference needs with them."""
    if score.between is None or score.run is None:
        return
    variance = (score.between, score.run, asked.sought)
    for scenarios in SCENARIOS:
        smallest = mde(scenarios, DESIGN_RUNS, *variance)
        needed = runs_needed(asked.difference, scenarios, *variance)
        yield {"scenarios": scenarios, "runs": DESIGN_RUNS, "difference": smallest, "runs_needed": needed}


def _print(asked: Asked, source: Source) -> None:
    console = wide_console()
    console.print(
        f"a difference of {asked.difference:g} between two agents with the same partner, paired by scenario, "
        f"seen with {asked.target:.0%} power in each of {asked.tests} test(s), "
        f"α {asked.alpha:g}, two-sided, Holm"
    )
    console.print(f"variances: {source.name}; ω² between scenarios, σ² of a run")
    console.print(
        "K: runs per cell and scenario, i.e. openers × repetitions; in one archetype, among "
        f"{source.agents} agents, K × {source.agents**2} conversations of {source.window_s:g} s per scenario"
    )
    heads = ["score", "ω²", "σ²", *(f"K = {runs}" for runs in RUNS), "note"]
    body = [_line(score, asked, source) for score in source.scores]
    console.print(grid("scenarios that it needs (conversations, hours)", heads, body))
    heads = ["score", *(f"{scenarios} scenarios" for scenarios in SCENARIOS)]
    body = [[_name(score), *_smallest(score, asked)] for score in source.scores]
    title = (
        f"smallest difference with K = {DESIGN_RUNS} (K that {asked.difference:g} needs; – none is enough)"
    )
    console.print(grid(title, heads, body))


def _name(score: Score) -> str:
    return " · ".join(filter(None, (f"{score.archetype} {score.measure}".strip(), score.condition)))


def _line(score: Score, asked: Asked, source: Source) -> list[str]:
    cells = [
        f"{cell['scenarios']} ({cell['conversations']:,}, {cell['hours']:,.0f} h)"
        for cell in _needed(score, asked, source)
    ]
    told = cells or ["–"] * len(RUNS)
    return [_name(score), _variance(score.between), _variance(score.run), *told, score.note]


def _smallest(score: Score, asked: Asked) -> list[str]:
    """Each smallest difference with the runs that the asked one needs."""
    cells = [f"{number(cell['difference'])} ({cell['runs_needed'] or '–'})" for cell in _seen(score, asked)]
    return cells or ["–"] * len(SCENARIOS)


def _variance(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
