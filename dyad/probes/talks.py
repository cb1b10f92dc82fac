"""Two text models play a scenario by turns; the judge made of rules says how it ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from dyad.agents.cascade.frames import FRAMES
from dyad.agents.cascade.llm import Message, split_reply
from dyad.judge import judge_run
from dyad.judge.transcript import Line, lines
from dyad.library import prompt, role_of
from dyad.spec import SEATS, AgentSpec, Archetype, Label, Prompt, RunSpec, Scenario, Seat, other
from dyad.text import word_count

from .source import Bench

MOST_WORDS, MOST_TURNS = 240, 20  # of a whole talk: about as much as two speakers say in a minute and a half
WORD_TICKS, GAP_TICKS = 5, 16  # 2.5 words per second, and a pause that ends a turn
FRAME = (
    "This is a short conversation that two people speak, not write. Give only what you say next: one or two "
    "short everyday sentences, in the language of the text above, without stage directions. "
    "The whole conversation has room for few words, so come to the point and bring it to an end."
)


class Turn(NamedTuple):
    """What one role said in its turn; empty where the model gave nothing to say."""

    role: Seat
    text: str


def played(bench: Bench, seed: int) -> Sequence[str]:
    """Play one talk, the opener alternating with the seed; yes where it did what its archetype is about."""
    return [outcome(bench.scenario, judged(bench, seed, SEATS[seed % 2]))]


def parity(bench: Bench, seed: int) -> Sequence[str]:
    """Play the roles as given and exchanged, each opening once: whose option the two talks landed on.

    The letter of the role that wants it, none, or unclear.
    """
    landed = [label for opener in SEATS for label in judged(bench, seed, opener)]
    return [x.label or "unclear" for x in landed if x.question == "t4.landed"]


def judged(bench: Bench, seed: int, opener: Seat) -> list[Label]:
    """Play one talk and return the labels of the judge made of rules."""
    spec, spoken = as_lines(bench.scenario, talk(bench, seed, opener), opener)
    roles = {seat: role_of(bench.library, bench.scenario, seat) for seat in SEATS}
    return judge_run(spec, bench.scenario, roles, spoken, spec.ticks)


def talk(bench: Bench, seed: int, opener: Seat) -> list[Turn]:
    """Let two models with the two role prompts take turns until words or turns are used up."""
    ask = bench.asker(seed)
    systems = {seat: system(bench, seat, seat == opener) for seat in SEATS}
    turns: list[Turn] = []
    role = opener
    while len(turns) < MOST_TURNS and sum(word_count(turn.text) for turn in turns) < MOST_WORDS:
        turns.append(Turn(role, plain(ask(systems[role], history(turns, role, bench.scenario.lang)))))
        role = other(role)
    return turns


def system(bench: Bench, seat: Seat, opens: bool) -> str:
    """Return what a model that plays a seat is told: the prompt of the seat and how to speak."""
    return f"{prompt(bench.library, bench.scenario, seat, opens).text}\n\n{FRAME}"


def history(turns: Sequence[Turn], role: Seat, lang: str = "en") -> list[Message]:
    """Return a talk as one side sees it: its own turns as the assistant's; sides alternate from a user on."""
    # A language that a user brings has no frame: the questions around it are English, and so is this.
    begin: Message = {"role": "user", "content": FRAMES.get(lang, FRAMES["en"]).start}
    start = [] if turns and turns[0].role != role else [begin]
    sides = {role: "assistant", other(role): "user"}
    return start + [{"role": sides[turn.role], "content": turn.text or "…"} for turn in turns]


def plain(reply: str) -> str:
    """Return the words of a reply that are meant to be spoken."""
    return " ".join(split_reply(reply))


def as_lines(scenario: Scenario, turns: Sequence[Turn], opener: Seat) -> tuple[RunSpec, list[Line]]:
    """Return turns as lines of a recording in which nobody overlaps, each role in the seat of its letter."""
    spans: dict[Seat, list[tuple[int, int]]] = {seat: [] for seat in SEATS}
    texts: dict[Seat, list[str]] = {seat: [] for seat in SEATS}
    at = GAP_TICKS
    for role, text in turns:
        if not text:
            continue
        end = at + WORD_TICKS * max(1, word_count(text))
        spans[role].append((at, end))
        texts[role].append(text)
        at = end + GAP_TICKS
    arrays = {seat: np.array(pairs, np.int64).reshape(-1, 2) for seat, pairs in spans.items()}
    return _spec(scenario, opener, at), lines(opener, arrays, texts, at)


def _spec(scenario: Scenario, opener: Seat, ticks: int) -> RunSpec:
    """The run that a talk would be if it had been spoken."""
    agent = AgentSpec(name="text", adapter="text")
    seats = {
        seat: {"agent": agent, "role": seat, "prompt": Prompt(text=""), "rendered": ""} for seat in SEATS
    }
    of_scenario = {field: getattr(scenario, field) for field in ("archetype", "lang", "anchor", "symmetric")}
    named = {"pairing": "text_text", "scenario": scenario.id, "scenario_version": scenario.version}
    run = {"opener": opener, "repetition": 0, "seed": 0, "ticks": ticks}
    return RunSpec.model_validate(of_scenario | named | run | seats)


def outcome(scenario: Scenario, labels: Sequence[Label]) -> str:
    """Return yes where a talk did what its archetype is about, in every scored seat; no; or unclear."""
    question, done = DONE[scenario.archetype]
    scored = (None, scenario.anchor) if scenario.anchor else (None, *SEATS)
    found = [label for label in labels if label.question == question and label.seat in scored]
    if not found or any(label.label is None for label in found):
        return "unclear"
    return "yes" if all(done(scenario, str(label.label)) for label in found) else "no"


def _in_role(scenario: Scenario, label: str) -> bool:
    return label in ("yes", "partly")


def _asked(scenario: Scenario, label: str) -> bool:
    return label == "yes"


def _some(scenario: Scenario, label: str) -> bool:
    return label not in ("none", "0")


def _solved(scenario: Scenario, label: str) -> bool:
    return label == str(scenario.truth["answer"])


def _right_price(scenario: Scenario, label: str) -> bool:
    return (label != "none") == bool(scenario.truth["zopa"])


DONE: Mapping[Archetype, tuple[str, Callable[[Scenario, str], bool]]] = {
    "t1_1": ("t1.adherence", _in_role),
    "t1_2": ("t1.adherence", _in_role),
    "t2": ("t2.choice", _solved),
    "t3_1": ("t3.points", _some),
    "t3_2": ("t3.asked", _asked),
    "t4_1": ("t4.landed", _some),
    "t4_2": ("t4.asked", _asked),
    "t4_3": ("t4.landed", _some),
    "t4_4": ("t4.price", _right_price),
}
