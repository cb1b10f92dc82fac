"""The trial of one agent: each fault of an agent that is bad on purpose is found, and a good one has none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dyad.agents.echo import EchoParams
from dyad.bridge.clock import CLOCK, Clock
from dyad.bridge.protocol import (
    INSTRUMENT,
    Caps,
    Demand,
    Family,
    Floats,
    Ints,
    Out,
    Plain,
    Room,
    Text,
    family_of,
)
from dyad.errors import ConfigError
from dyad.spec import TICK, AgentSpec, Prompt
from dyad.trial import SAME_TICKS, VOICE_EVERY, VOICE_TICKS, Check, prompt_for, stimulus, trial

MODEL = Caps("fake", prompt="text")
Speak = Callable[["Fake", int, Floats], Floats | Out]


class Fake(Plain):
    """A model whose every step is one function of (itself, tick, heard)."""

    def __init__(self, speak: Speak, caps: Caps) -> None:
        self.caps, self._speak = caps, speak
        self.opened: list[tuple[Sequence[Prompt], Sequence[int]]] = []

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        self.opened.append((prompts, seeds))

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        said = self._speak(self, tick, heard)
        return said if isinstance(said, Out) else Out(said)

    def reset(self, row: int, prompt: Prompt, voice: str, seed: int) -> None:
        """No state."""


def checks(speak: Speak, caps: Caps = MODEL, clock: Clock = CLOCK, **more: Any) -> dict[str, Check]:
    made: list[Fake] = []

    def make(params: object) -> Fake:
        made.append(Fake(speak, caps))
        return made[-1]

    family = Family("fake", EchoParams, lambda params: caps, make, **more)
    ended = trial(family, AgentSpec(name="fake", adapter="fake"), clock=clock)
    found = {check.name: check for check in ended}
    for prompts, seeds in made[0].opened:
        assert len({*seeds}) == len({prompt.text for prompt in prompts}) == 1
    return found


def failed(found: dict[str, Check]) -> set[str]:
    return {name for name, check in found.items() if not check.ok}


def repeats(agent: Fake, tick: int, heard: Floats) -> Floats:
    return heard


def talks(agent: Fake, tick: int, heard: Floats) -> Out:
    """Names in every tick from the second on how loud it is, and sounds like a tone."""
    loud = np.abs(heard).max(axis=1) > 0.05
    text = [Text(row, tick * TICK, "loud " if loud[row] else "low ") for row in range(len(heard))]
    return Out(tone(heard, tick), text if tick else ())


def late(ticks: int) -> Speak:
    past: list[Floats] = []

    def speak(agent: Fake, tick: int, heard: Floats) -> Floats:
        if tick == 0:
            past.clear()
        past.append(heard.copy())
        return past[tick - ticks] if tick >= ticks else np.zeros_like(heard)

    return speak


def tone(heard: Floats, tick: int) -> Floats:
    wave = 0.1 * np.sin(0.1 * (tick * TICK + np.arange(TICK)))
    return np.broadcast_to(wave, heard.shape).astype(np.float32).copy()


def deaf(agent: Fake, tick: int, heard: Floats) -> Floats:
    return tone(heard, tick)


def prophet(agent: Fake, tick: int, heard: Floats) -> Floats:
    """Knows at tick 9 that the last row will hear something else."""
    said = heard + tone(heard, tick)
    if tick >= 9:
        said[2:] += 0.01
    return said


def leaky(agent: Fake, tick: int, heard: Floats) -> Floats:
    """Every row hears a little of the row behind it."""
    return heard + np.float32(0.5) * np.roll(heard, -1, axis=0)


def broken(agent: Fake, tick: int, heard: Floats) -> Floats:
    return np.full_like(heard, np.nan) if tick == 7 else heard


def misshapen(agent: Fake, tick: int, heard: Floats) -> Floats:
    return heard[:1]


def raising(agent: Fake, tick: int, heard: Floats) -> Floats:
    raise RuntimeError("out of\nluck")


def silent(agent: Fake, tick: int, heard: Floats) -> Floats:
    return np.zeros_like(heard)


def constant(agent: Fake, tick: int, heard: Floats) -> Floats:
    return np.full_like(heard, 0.25)


def test_an_honest_agent_passes_every_check() -> None:
    found = checks(repeats)
    assert list(found) == [
        "loads", "protocol", "sound", "repeat", "input", "speed", "memory", "numerics",
    ]  # fmt: skip
    assert not failed(found)
    assert f"text differs never, audio from tick {SAME_TICKS} on (+0)" in found["input"].note
    assert "3 rows at once" in found["speed"].note


def test_text_is_counted_of_the_row_that_hears_the_voice() -> None:
    def answers(agent: Fake, tick: int, heard: Floats) -> Out:
        loud = np.abs(heard[-1]).max() > 0.05
        return Out(tone(heard, tick), [Text(len(heard) - 1, tick * TICK, "oh ")] if loud else ())

    assert f"{VOICE_TICKS + 2} pieces of text" in checks(answers)["sound"].note


def test_who_only_listens_at_first_and_waits_for_the_end_is_not_deaf() -> None:
    loud: list[Any] = []

    def patient(agent: Fake, tick: int, heard: Floats) -> Floats:
        """Counts what it hears after three seconds only, and answers a second after the end of it."""
        if tick == 0:
            loud.clear()
        loud.append((np.abs(heard).max(axis=1) > 0.02) & (tick >= 38))
        ended = loud[tick - 13] & ~np.any(loud[-13:], axis=0) if tick >= 13 else np.zeros(len(heard), bool)
        return tone(heard, tick) * ended[:, None]

    found = checks(patient, replace(MODEL, chunk_ms=1000, lag_ms=1000))
    assert not failed(found)
    answered = SAME_TICKS + VOICE_EVERY + VOICE_TICKS + 12
    assert f"audio from tick {answered} on" in found["input"].note


def test_text_alone_is_a_reaction() -> None:
    found = checks(talks)
    assert not failed(found)
    assert f"text differs from tick {SAME_TICKS} on (+0), audio never" in found["input"].note
    assert "108 pieces of text" in found["sound"].note


@pytest.mark.parametrize("ticks", [1, 4])
def test_the_first_tick_that_differs_is_reported(ticks: int) -> None:
    assert f"audio from tick {SAME_TICKS + ticks} on (+{ticks})" in checks(late(ticks))["input"].note


@pytest.mark.parametrize(
    ("speak", "faults", "check", "note"),
    [
        (deaf, {"input"}, "input", "deaf: no reaction to a voice within 3.2 s"),
        (prophet, {"input"}, "input", "sees the future: hears another sound at tick 15: text differs never, "
                                      "audio from tick 9 on (-6)"),
        (leaky, {"repeat", "input"}, "repeat", f"differ from tick {SAME_TICKS} on, against its caps"),
        (broken, {"protocol"}, "protocol", "NaN or infinite audio (row 0, 1, 2, tick 7)"),
        (misshapen, {"protocol"}, "protocol", "not float32 [3, n]"),
        (raising, {"protocol"}, "protocol", "RuntimeError: out of luck"),
        (silent, {"sound", "input"}, "sound", "silence only, in 4.4 s"),
        (constant, {"sound", "input"}, "sound", "one constant value only"),
    ],
)  # fmt: skip
def test_every_fault_is_found(speak: Speak, faults: set[str], check: str, note: str) -> None:
    found = checks(speak)
    assert failed(found) == faults
    assert note in found[check].note


def test_an_instrument_may_be_silent_and_deaf_but_not_see_the_future() -> None:
    caps = replace(MODEL, flags=INSTRUMENT)
    assert not failed(checks(silent, caps))
    assert not failed(checks(deaf, caps))
    assert failed(checks(prophet, caps)) == {"input"}


def test_who_does_not_repeat_is_told_apart_by_its_caps() -> None:
    random = np.random.default_rng(0)

    def dice(agent: Fake, tick: int, heard: Floats) -> Floats:
        return random.uniform(-0.1, 0.1, heard.shape).astype(np.float32)

    assert failed(checks(dice)) == {"repeat", "input"}
    honest = checks(dice, replace(MODEL, deterministic=False))
    assert not failed(honest)
    assert honest["input"].note == "cannot be told, as it does not repeat itself"


@pytest.mark.parametrize("rows", [1, 2])
def test_who_serves_few_rows_plays_one_after_another(rows: int) -> None:
    def counted(agent: Fake, tick: int, heard: Floats) -> Floats:
        assert len(heard) <= rows
        return heard

    caps = replace(MODEL, max_batch=rows)
    assert not failed(checks(counted, caps))
    assert failed(checks(deaf, caps)) == {"input"}


def test_who_lives_by_the_wall_clock_must_keep_up() -> None:
    seconds = [0.0]
    clock = Clock(lambda: seconds[0], lambda s: None)

    def slow(agent: Fake, tick: int, heard: Floats) -> Floats:
        seconds[0] += 0.16
        return heard

    assert failed(checks(slow, replace(MODEL, clock="wall"), clock)) == {"speed"}
    found = checks(slow, clock=clock)
    assert not failed(found)
    assert "real-time factor 2 " in found["speed"].note


def test_an_error_of_loading_ends_the_trial() -> None:
    def explode(params: object) -> Fake:
        raise OSError("no such\nlibrary")

    family = Family("fake", EchoParams, lambda params: MODEL, explode)
    found = list(trial(family, AgentSpec(name="fake", adapter="fake")))
    assert found == [Check("loads", False, "OSError: no such library")]


def test_missing_weights_are_the_familys_own_line() -> None:
    def missing(params: object, voice: str) -> dict[str, str]:
        raise ConfigError(f"no weights for voice '{voice}'")

    def unmet(spec: AgentSpec, demand: object) -> None:
        raise ConfigError("too long a prompt")

    for hook, message in (({"assets": missing}, "no weights for voice ''"), ({"check": unmet}, "too long")):
        with pytest.raises(ConfigError, match=message):
            checks(repeats, **hook)


def test_who_needs_more_memory_than_is_free_is_not_loaded() -> None:
    def huge(spec: AgentSpec, demand: Demand) -> Room:
        return Room("cpu", 10**15, 10**14)

    with pytest.raises(ConfigError, match=r"agent 'fake' needs 1300000.0 GB on cpu \(weights"):
        checks(repeats, room=huge)
    assert not failed(checks(repeats, room=lambda spec, demand: Room("cpu", 1, 1)))


@pytest.mark.parametrize("name", ["echo", "tone", "silence"])
def test_instruments_pass(name: str) -> None:
    family = family_of(name)
    spec = AgentSpec(name=name, adapter=name)
    found = {check.name: check for check in trial(family, spec)}
    assert not failed(found)
    assert ("deaf" in found["input"].note) == (name != "echo")


def test_a_cascade_hears_the_voice() -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("hibari")
    spec = AgentSpec(name="cascade", adapter="cascade", params={"ears": "sphinx"})
    found = {check.name: check for check in trial(family_of("cascade"), spec)}
    assert not failed(found)
    assert "never" not in found["input"].note
    assert "silence" not in found["sound"].note


def test_an_agent_of_long_chunks_that_only_listens_at_first_hears_the_voice() -> None:
    pytest.importorskip("torch")
    params = family_of("minicpm_o").params(upstream="double").model_dump(mode="json")
    spec = AgentSpec(name="m", adapter="minicpm_o", params=params, voice="ref_en_dlc_1")
    found = {check.name: check for check in trial(family_of("minicpm_o"), spec)}
    assert not failed(found)
    assert "never" not in found["input"].note
    assert " 0 pieces of text" not in found["sound"].note


def test_a_moshi_of_random_weights_hears_the_voice() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("moshi")
    family = family_of("moshi")
    params = family.params(weights="random:tiny").model_dump(mode="json")
    found = {
        check.name: check for check in trial(family, AgentSpec(name="m", adapter="moshi", params=params))
    }
    assert not failed(found)
    assert "(+0)" in found["input"].note
    assert "dtype float32" in found["numerics"].note


def test_prompts_have_the_form_that_an_agent_takes() -> None:
    sheet = prompt_for(replace(MODEL, prompt="sheet")).sheet
    assert sheet is not None
    assert sheet.opens
    assert prompt_for(MODEL).text
    assert prompt_for(replace(MODEL, prompt="none")) == Prompt(text="")


def test_the_rows_hear_the_same_up_to_the_tick() -> None:
    first, twin, other = stimulus(60)
    np.testing.assert_array_equal(first, twin)
    np.testing.assert_array_equal(first[:SAME_TICKS], other[:SAME_TICKS])
    voice = np.abs(first - other).max(axis=1) > 0.01
    again = SAME_TICKS + VOICE_EVERY
    assert list(np.flatnonzero(voice)) == [*range(SAME_TICKS, SAME_TICKS + VOICE_TICKS), *range(again, 60)]
    assert 0.1 < np.abs(other).max() < 1.0
