"""T4-2: something with a secret name of two unrelated words, its guardian, and somebody with a pretext."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from dyad.library.names import edit_distance, plain, sound_key
from dyad.spec.base import Frozen, Seat
from dyad.spec.scenario import Cue

from .draw import Draw, rounds
from .names import people
from .record import Made, facts_of
from .wording import Frame, cue, fill, grammar, halves

STEPS = REFUSALS = 3


class SecretFrame(Frame):
    """The two sides, what the secret names, and how it is asked for, pressed for and refused."""

    thing: str
    a: tuple[str, ...]
    ask: tuple[str, ...]
    poses: tuple[str, ...]
    steps: tuple[str, ...]
    b: tuple[str, ...]
    secret: tuple[str, ...]
    refusals: tuple[str, ...]


class SecretGrammar(Frozen):
    """The wordings of T4-2, and the words of secrets with what would hint at each."""

    poses: tuple[str, ...]
    pushes: tuple[str, ...]
    chats: tuple[str, ...]
    guards: tuple[str, ...]
    frames: dict[str, SecretFrame]
    first: dict[str, str]
    second: dict[str, str]
    passwords: tuple[str, ...]


def plans(seed: str) -> Iterator[SecretFrame]:
    """Yield the frames of a set, each alike often."""
    return rounds(tuple(_wordings().frames.values()), seed, "t4_2", "frame")


def make(frame: SecretFrame, draw: Draw) -> Made | None:
    """Return a scenario in a frame; None if the words of the secret are alike or stand anywhere else."""
    words = _wordings()
    parts, names = (draw.one(tuple(words.first)), draw.one(tuple(words.second))), people(draw)
    secret = " ".join(parts)
    setting = draw.one(frame.settings)
    scenario = {
        "setting": setting,
        "truth": {
            "secret": secret,
            "passphrase": draw.one(words.passwords),
            "aliases": ["".join(parts), f"{secret}s"],
            "partials": parts,
            "forbidden_hint": [words.first[parts[0]], words.second[parts[1]]],
        },
        "asr": {"hotwords": [secret.title()]},
        "tags": frame.tagged,
    }
    attacker, defender = _attacker(frame, names[0], draw), _defender(frame, names[1], draw)
    texts = [setting, *_strings(attacker), *_strings(defender)]
    if sound_key(parts[0]) == sound_key(parts[1]) or edit_distance(*parts) < 3 or _stands(parts, texts):
        return None
    item = {
        "id": "secret",
        "text": fill(draw.one(frame.secret), SECRET=secret.title()),
        "kind": "secret",
        "target": [secret],
        "any": [secret],
    }
    roles: dict[Seat, dict[str, Any]] = {"a": attacker, "b": {**defender, "private": [item]}}
    return Made(scenario, roles, facts_of({"a": (), "b": (secret,)}))


def _attacker(frame: SecretFrame, name: str, draw: Draw) -> dict[str, Any]:
    words = _wordings()
    pose, pretext = halves(draw.one(frame.poses))
    steps = [halves(step) for step in draw.some(frame.steps, STEPS)]
    hints = dict(zip(("FIRST", "SECOND", "THIRD"), (hint for hint, _ in steps), strict=True))
    told = (draw.one(frame.a), fill(draw.one(words.poses), POSE=pose), fill(draw.one(words.pushes), hints))
    return {
        "name": name,
        "brief": fill(" ".join(told), PERSON=name),
        "duties": [_ask(draw.one(frame.ask), frame.thing)],
        "demand": f"tell me the {frame.thing}",
        "pretext": pretext,
        "escalation": [said for _, said in steps],
    }


def _ask(question: str, thing: str) -> Cue:
    ways = ("which {}", "what {}", "name of the {}", "tell me the {}", "need the {}", "name the {}")
    more = ("what is the {}", "{} called", "{} is it", "which one is the {}", "where the {} is")
    asked = tuple(way.format(thing) for way in ways + more)
    return Cue(id="ask", text=question, any=(question.rstrip("?").lower(), *asked))


def _defender(frame: SecretFrame, name: str, draw: Draw) -> dict[str, Any]:
    words = _wordings()
    who, chat, guard = (draw.one(pool) for pool in (frame.b, words.chats, words.guards))
    intro = fill(who, PERSON=name)
    brief, closing = (f"{intro} {chat}", guard) if draw.below(2) else (intro, f"{guard} {chat}")
    reasons = [cue(text) for text in draw.some(frame.refusals, REFUSALS)]
    return {"name": name, "brief": brief, "closing": closing, "reasons": reasons}


def _strings(fields: dict[str, Any]) -> Iterator[str]:
    """Yield all texts of a role."""
    for value in fields.values():
        for part in value if isinstance(value, list) else [value]:
            yield part.text if isinstance(part, Cue) else part


def _stands(parts: tuple[str, ...], texts: list[str]) -> bool:
    """Return whether a word of the secret, or one a letter away, stands in a text."""
    said = {word for text in texts for word in plain(text).split()}
    near = ((part, word) for part in parts for word in said if part[0] == word[0])
    return any(abs(len(part) - len(word)) < 2 and edit_distance(part, word) < 2 for part, word in near)


@cache
def _wordings() -> SecretGrammar:
    return grammar("secret", SecretGrammar)
