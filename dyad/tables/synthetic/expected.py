"""What the rows of `dyad.tables.summary` should say of a study of known effects."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dyad.spec import TICK_S
from dyad.stats import diallel, diallel_effects, two_way, zero_sum
from dyad.stats.values import Floats

from .effects import EFFECTS, REFERENCE_S, Effects, truth
from .made import model_names
from .outcomes import BACKCHANNELS_PER_MIN

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Truth:
    """The true effects of a study of one condition, see `study`."""

    effects: Mapping[str, Effects]
    models: int = 3
    window_s: float = REFERENCE_S

    def value(self, row: Row) -> float | None:
        """Return what a row of `summary` estimates, or None where no effect says so.

        Raw shares of variance (tables `eta` and `diallel`) are none of these: noise is a part of them.
        """
        known = TABLES.get(row["table"])
        return None if known is None else known(self, row)

    def of(self, row: Row) -> Effects:
        """Return the effects on the score of a row's archetype."""
        return self.effects.get(row["archetype"], EFFECTS[row["archetype"]])

    def cells(self, row: Row) -> Floats:
        """Return the true cells of the score of a row's archetype."""
        return truth(row["archetype"], self.of(row), self.models)

    def index(self, name: str) -> int:
        """Return the number of a model."""
        return model_names(self.models).index(name)

    def rate(self, values: tuple[float, ...], name: str) -> float:
        """Return a model's own of some values, which repeat where there are more models."""
        return values[self.index(name) % len(values)]


def _matrix(known: Truth, row: Row) -> float:
    return float(known.cells(row)[known.index(row["agent"]), known.index(row["partner"])])


def _turns(known: Truth, row: Row) -> float | None:
    measure = row["measure"]
    if measure not in ("tor_pause", "tor_end", "barge_in", "backchannels"):
        return None
    cells = truth(measure, known.effects.get(measure, EFFECTS[measure]), known.models)
    scale = BACKCHANNELS_PER_MIN if measure == "backchannels" else 1.0
    return scale * float(cells[known.index(row["agent"]), known.index(row["partner"])])


def _contrast(known: Truth, row: Row) -> float | None:
    if not row["archetype"] or row["unit"] == "s":
        return None
    first, second = (known.index(name) for name in row["term"].split(" − "))
    cells = known.cells(row)
    difference = cells[first] - cells[second]
    return float(difference[known.index(row["partner"])] if row["partner"] else difference.mean())


def _factor(known: Truth, row: Row) -> float | None:
    if not row["archetype"]:
        return None
    return {"opener": known.of(row).opener, "role": known.of(row).role}[row["term"]]


def _effects(known: Truth, row: Row) -> float | None:
    found = diallel_effects(known.cells(row))
    if found is None or row["term"] == "self premium":
        return None if found is None else found.self_premium
    each = found.lift if row["term"] == "lift" else found.edge
    return None if each is None else each[known.index(row["agent"])]


def _share(known: Truth, row: Row) -> float | None:
    if row["archetype"] not in EFFECTS or row["term"] == "noise":
        return None
    split = (two_way if row["table"].startswith("eta") else diallel)(known.cells(row))
    return None if split is None or split.shares is None else split.shares[row["term"]]


def _median(known: Truth, row: Row) -> float | None:
    if row["measure"] != "entry" or row["term"] != "median":
        return None
    median_s = math.log(2) / known.rate(known.of(row).entry_per_s, row["agent"])
    return median_s if median_s < known.window_s else None


def _restricted(known: Truth, row: Row) -> float | None:
    if row["measure"] != "entry":
        return None
    rate = known.rate(known.of(row).entry_per_s, row["agent"])
    return -math.expm1(-rate * row["at"]) / rate - TICK_S / 2  # times are the starts of ticks


def _in_role(known: Truth, row: Row) -> float | None:
    if row["term"] != "share":
        return None
    enter, leave = (
        known.rate(of, row["agent"]) for of in (known.of(row).entry_per_s, known.of(row).deviation_per_s)
    )
    return enter / (enter - leave) * (math.exp(-leave * row["at"]) - math.exp(-enter * row["at"]))


def _leaked(known: Truth, row: Row) -> float | None:
    if row["term"] != "leak":
        return None
    rate, of_agent = known.of(row).leak_per_s, known.cells(row)[known.index(row["agent"])]
    share = float(of_agent[known.index(row["partner"])] if row["partner"] else of_agent.mean())
    return share * math.expm1(-rate * row["at"]) / math.expm1(-rate * known.window_s)


def _hurdle(known: Truth, row: Row) -> float | None:
    if (
        not row["partner"]
        or row["archetype"] not in ACTS
        or row["term"] not in ("act", "score_if_act", "score")
    ):
        return None
    act, score = ACTS[row["archetype"]](known, row), _matrix(known, row)
    if row["term"] == "score_if_act" and row["archetype"] == "t4_2":
        return score / ((1 + act) / 2)  # unasked, a secret is out half as often
    return {"act": act, "score": score, "score_if_act": score / act}[row["term"]]


def _own_act(known: Truth, row: Row) -> float:
    return known.rate(known.of(row).act, row["agent"])


def _act_of_both(known: Truth, row: Row) -> float:
    return sum(known.rate(known.of(row).act, row[side]) for side in ("agent", "partner")) / 2


def _entered(known: Truth, row: Row) -> float:
    return -math.expm1(-known.rate(known.of(row).entry_per_s, row["agent"]) * known.window_s)


def _either_wins(known: Truth, row: Row) -> float:
    turned = {"agent": row["partner"], "partner": row["agent"]}
    return _matrix(known, row) + _matrix(known, dict(row) | turned)


def _game(known: Truth, row: Row) -> float | None:
    game = zero_sum(known.cells(row)) if row["term"] == "value" else None
    return None if game is None else game.value


ACTS: dict[str, Callable[[Truth, Row], float]] = {
    "t1_1": _entered, "t1_2": _entered, "t2": _act_of_both, "t4_1": _either_wins, "t4_2": _own_act,
}  # fmt: skip
TABLES: dict[str, Callable[[Truth, Row], float | None]] = {
    "matrix": _matrix, "turns": _turns, "contrast": _contrast, "factor": _factor, "effects": _effects,
    "eta_corrected": _share, "diallel_corrected": _share, "km": _median, "rmst": _restricted,
    "in_role": _in_role, "incidence": _leaked, "hurdle": _hurdle, "game": _game,
}  # fmt: skip
