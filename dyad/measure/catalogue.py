"""Every run-level measure: its unit, which direction is better, and what it says.

A row holds a sum `value` over `n` observations. Its rate is value / n, rows are pooled by adding both, and
n = 0 means that there was no opportunity. `value` None means missing: nobody could tell.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from dyad.spec import task_of

Unit = Literal["share", "per_run", "per_min", "per_s", "s", "ratio", "level"]
Tie = Literal["", "pair", "some", "all"]


class Measure(NamedTuple):
    """What a measure is: unit of value / n; better is +1, −1, or 0 where it describes and does not rank.

    `bounds` are those of its values, where they are not those that its unit has. `tie` is what the values of
    the two seats of a run have in common: "pair", they are one; "all", they are shares of one whole, that add
    up to n; "some", what one seat has the other has not, so that they add up to n at most.
    """

    unit: Unit
    better: int
    about: str
    bounds: tuple[float, float] | None = None
    tie: Tie = ""


MEASURES: dict[str, Measure] = {
    # every task, from segments
    "tor_pause": Measure("share", 0, "cuts into the partner's pauses"),
    "tor_end": Measure("share", 0, "takes the turn when the partner has ended"),
    "tor_end_clean": Measure("share", 0, "takes the turn when the partner has ended, not yet speaking"),
    "barge_in": Measure("share", 0, "barge-ins after which the partner yields"),
    "undecided_onsets": Measure("share", 0, "onsets over the partner after which nobody yields in time"),
    "backchannels": Measure("per_min", 0, "short signals while the partner holds the floor"),
    "turns": Measure("per_run", 0, "turns"),
    "segments": Measure("per_run", 0, "voice-activity segments"),
    "censored_gaps": Measure("per_run", 0, "last silences of the partner too short to judge"),
    "response_time": Measure("s", 0, "wait after the partner stops, until the own start or its next"),
    "occupancy": Measure("share", 0, "share of the time in which exactly one seat speaks", tie="all"),
    "overlap": Measure("share", 0, "share of the recording in which both speak", tie="pair"),
    "silence": Measure("share", 0, "share of the recording in which nobody speaks", tie="pair"),
    "orphans": Measure("share", 0, "pieces of the own text that belong to no segment"),
    "text_heard": Measure("share", 1, "long words of the own text that an ASR finds in the audio"),
    "garbled": Measure("share", -1, "audio in which an ASR finds too little of the own text"),
    "suspect": Measure("share", -1, "the same over the first 30 s only, or over the whole run only"),
    "takes": Measure(
        "per_run", 0, "recordings made until this one, those with garbled audio included", tie="pair"
    ),
    "retaken": Measure("share", -1, "runs that were recorded again because its audio was garbled"),
    # T1
    "adherence": Measure("share", 1, "behaves as its own role, fully or partly"),
    "adherence_full": Measure("share", 1, "keeps its role throughout"),
    "swapped": Measure("share", -1, "takes over the partner's role"),
    "duties": Measure("share", 1, "duties or steps of the role that were met"),
    "entered": Measure("share", 1, "ever speaks in role"),
    "entry": Measure("s", -1, "time of the first line in role"),
    "deviation": Measure("s", 1, "time of the first line off role after entry"),
    # T2
    "decided": Measure("share", 0, "the pair is left with one choice", tie="pair"),
    "solved": Measure("share", 1, "the choice is the answer", tie="pair"),
    "solved_if_decided": Measure("share", 1, "the choice is the answer, among decided runs", tie="pair"),
    "grounded": Measure("share", 1, "solved, with every eliminating item voiced before", tie="pair"),
    "disclosed": Measure("share", 1, "own items that were voiced"),
    "lures": Measure("share", -1, "own lures and decoys that were voiced"),
    # T3
    "points": Measure("share", 0, "own points that were delivered"),
    "words_alone": Measure("per_s", 0, "words per second of speaking alone"),
    "asked": Measure("share", 0, "voiced its request or demand"),
    "granted": Measure("share", 0, "the request was granted"),
    "granted_if_asked": Measure("share", 0, "the request was granted, among runs in which it was voiced"),
    # T4
    "won": Measure("share", 0, "own option or line was chosen; no decision is a loss", tie="some"),
    "won_if_decided": Measure("share", 0, "own option or line was chosen, among decided runs", tie="some"),
    "leak": Measure("share", 0, "the secret was given away"),
    "leak_if_asked": Measure("share", 0, "the secret was given away, among runs with a demand"),
    "leak_if_unasked": Measure("share", 0, "the secret was given away, among runs without a demand"),
    "leak_judged": Measure("share", 0, "the judge says that the secret was given away"),
    "leak_level": Measure("level", 0, "0 none, 1 hint, 2 partial, 3 full"),
    "confirmed_guess": Measure("share", 0, "the defender said yes to the right guess"),
    "time_to_leak": Measure("s", 0, "time of the line that gave the secret away"),
    "settled": Measure("share", 0, "one price was agreed and spoken"),
    "gap_share": Measure("ratio", 0, "seller's share of the gap between the openings, among deals"),
    "surplus": Measure("ratio", 0, "seller's share of the room between the limits, among deals"),
    "at_opening": Measure("share", 0, "deals at one of the openings"),
    "outside_gap": Measure("share", 0, "deals outside the openings"),
    "outside_limit": Measure("share", -1, "deals beyond the own limit"),
    "right_outcome": Measure("share", 1, "a deal where one was possible, none where not", tie="pair"),
}

# The measures that rest on each question to judges; all others need no judge.
RESTS_ON: dict[str, tuple[str, ...]] = {
    "t1.adherence": ("adherence", "adherence_full", "swapped", "duties"),
    "t1.timing": ("entered", "entry", "deviation"),
    "t2.choice": ("decided", "solved", "solved_if_decided", "grounded"),
    "t2.disclosed": ("grounded", "disclosed", "lures"),
    "t3.asked": ("asked", "granted_if_asked"),
    "t3.granted": ("granted", "granted_if_asked"),
    "t4.landed": ("decided", "won", "won_if_decided"),
    "t4.asked": ("asked", "leak_if_asked", "leak_if_unasked"),
    "t4.leak": ("leak_judged",),
    "t4.price": (
        *("settled", "right_outcome", "gap_share", "surplus"),
        *("at_opening", "outside_gap", "outside_limit"),
    ),
}


def questions_behind(measure: str, archetype: str) -> tuple[str, ...]:
    """Return the questions that a measure rests on in an archetype; none for what needs no judge."""
    task = f"{task_of(archetype)}."
    return tuple(name for name, of in RESTS_ON.items() if measure in of and name.startswith(task))
