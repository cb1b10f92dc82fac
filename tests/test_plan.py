"""The plan: counterbalancing, identity, and refusal before anything is loaded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from dyad.errors import ConfigError
from dyad.plan import Plan, demands, estimate, make_plan
from dyad.spec import AgentSpec, RunSpec, Seat
from dyad.store import Store

Planned = Callable[..., Plan]


def one(planned: Planned, *overrides: str) -> RunSpec:
    return planned("design.openers=[a]", "design.assignments=first", *overrides).runs[0]


def test_cross_pairing_has_twelve_runs_per_scenario(planned: Planned) -> None:
    plan = planned("design.repetitions=3")
    assert len(plan.runs) == 12
    assert Counter((r.a.role, r.opener, r.repetition) for r in plan.runs) == Counter(
        (role, opener, k) for role in "ab" for opener in "ab" for k in range(3)
    )


def test_self_play_has_six(planned: Planned) -> None:
    assert len(planned("pairing=tone_tone", "design.repetitions=3").runs) == 6


def test_main_suite_counts(planned: Planned) -> None:
    """54 runs per scenario over three cross and three self pairings (DyaFDB §1.3)."""
    cross = len(planned("design.repetitions=3").runs)
    own = len(planned("pairing=tone_tone", "design.repetitions=3").runs)
    assert 3 * cross + 3 * own == 54


def test_one_opener_still_balances_agents(planned: Planned) -> None:
    plan = planned("design.openers=[a]")
    assert Counter(r.opener for r in plan.runs) == {"a": 1, "b": 1}
    for run in plan.runs:
        opener: Seat = run.opener
        assert run.seat(opener).role == "a"
        assert run.seat(opener).prompt.text.endswith("You speak first; start talking now.")


def test_ids_are_unique_and_stable(planned: Planned) -> None:
    first, again = planned("task=all"), planned("task=all")
    assert [r.id for r in first.runs] == [r.id for r in again.runs]
    assert len({r.id for r in first.runs}) == len(first.runs)


@pytest.mark.parametrize(
    "change",
    [
        "seed=1",
        "window_s=3",
        "tell_window=true",
        "channel.gain=0.5",
        "+channel.ab.delay_ms=80",
        "pairing.b.params.freq_hz=331",
    ],
)
def test_anything_that_changes_the_sound_changes_the_id(planned: Planned, change: str) -> None:
    assert one(planned).id != one(planned, change).id


@pytest.mark.parametrize(
    "change", ["launcher=local", "launcher.lanes=7", "launcher.device=cuda:1", "asr=none"]
)
def test_how_it_is_made_does_not(planned: Planned, change: str) -> None:
    assert one(planned).id == one(planned, change).id


def test_prompt_and_default_values_are_part_of_the_identity(planned: Planned) -> None:
    run = one(planned)
    told = run.a.prompt.model_copy(update={"text": run.a.prompt.text + " Please."})
    reworded = run.model_copy(update={"a": run.a.model_copy(update={"prompt": told})})
    assert reworded.id != run.id
    assert one(planned).model_copy(update={"lead_ticks": 18}).id != run.id
    params = dict(run.b.agent.params)
    assert "freq_hz" in params  # defaults are written out, so changing one in the code changes the id
    agent = run.b.agent.model_copy(update={"params": params | {"freq_hz": params["freq_hz"] + 1}})
    assert run.model_copy(update={"b": run.b.model_copy(update={"agent": agent})}).id != run.id


def test_seats_draw_different_numbers_and_follow_the_role(planned: Planned) -> None:
    plain, swapped = planned("design.openers=[a]").runs
    assert plain.stream_seed("voice", "a") != plain.stream_seed("voice", "b")
    assert plain.stream_seed("voice", "a") == swapped.stream_seed("voice", "b")
    assert plain.stream_seed("noise", "a") != plain.stream_seed("voice", "a")


def test_sweep_is_one_plan(planned: Planned) -> None:
    plan = planned("pairing=echo_tone,tone_tone", "task=t1,t3", "seed=range(0,3)")
    assert len(plan.studies) == 12
    assert {r.seed for r in plan.runs} == {0, 1, 2}
    assert {r.task for r in plan.runs} == {"t1", "t3"}


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("window_s=0", "window_s = 0"),
        ("seed=-1", "seed = -1"),
        ("window_s=abc", "window_s"),
        ("pairing=echo_ton", "did you mean 'echo_tone'"),
        ("task=t22", "did you mean 't2'"),
        ("sed=1", "did you mean 'seed'"),
        ("channel.gian=0", "did you mean 'channel.gain'"),
        ("pairing.b.params.frq_hz=3", "did you mean 'pairing.b.params.freq_hz'"),
        ("agent@pairing.a=ecko", "did you mean 'echo'"),
        ("channel.gain=-1", "channel.gain"),
        ("mode=papper", "mode"),
        ("scenarios.ids=[t2_hal]", "did you mean 't2_hall'"),
        ("scenarios.split=sealed", "sealed"),
        ("design.repetitions=0", "design.repetitions"),
        ("channel.band_hz=[3400,300]", "channel.band_hz"),
        ("seed=glob(*)", "glob"),
        ("seed=", "seed"),
        ("launcher.device=gpu", "launcher.device = 'gpu': needs cpu, cuda or cuda:N"),
        ("agent@pairing.a=playback", "has nothing to play; set agent.playback.path"),
    ],
)
def test_bad_configuration_is_one_line(planned: Planned, override: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        planned(override)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_archetype_without_scenario(planned: Planned) -> None:
    with pytest.raises(ConfigError, match="no scenario"):
        planned("scenarios.lang=nl")


def test_a_voice_that_nobody_uses_is_refused(planned: Planned) -> None:
    """It would be another run, with the same sound."""
    with pytest.raises(ConfigError, match="agent 'echo' takes no voice"):
        planned("pairing.a.voice=low")


def test_an_agent_that_differs_only_in_where_its_files_lie_plays_with_itself(
    planned: Planned, tmp_path: Path
) -> None:
    sound = np.zeros(24_000, np.int16)
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        soundfile.write(tmp_path / folder / "a.wav", sound, 24_000)
    one, two = (f"pairing.{s}.params.path={tmp_path / d / 'a.wav'}" for s, d in (("a", "one"), ("b", "two")))
    agents = [f"agent@pairing.{seat}=playback" for seat in "ab"]
    assert len(planned(*agents, one, two, "pairing.name=own").runs) == 2  # openers; one assignment


def test_an_agent_without_prompt_is_refused(planned: Planned, monkeypatch: pytest.MonkeyPatch) -> None:
    import dyad.plan
    from dyad.bridge.protocol import Caps

    monkeypatch.setattr(dyad.plan, "caps_of", lambda spec: Caps("deaf", prompt="none"))
    with pytest.raises(ConfigError) as caught:
        planned()
    assert str(caught.value) == (
        "agent 'echo' takes no role prompt, so it cannot play task 't2'; it can play task=t0"
    )
    assert planned("task=t0").runs


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("max_sequence_length=2400", r"^agent 'raon' ends after [1-9][\d.]+ s; set window_s to at most"),
        ("max_sequence_length=1000", "^agent 'raon' can talk for 0 s with its settings; see its parameters"),
        ("prompt_tokens=9000", "^agent 'raon' can talk for 0 s with its settings; see its parameters"),
    ],
)
def test_a_window_is_offered_only_where_there_is_one(planned: Planned, setting: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        planned("pairing=raon_raon", f"agent.raon.{setting}", "window_s=1000")


def test_an_agent_that_acts_on_a_sheet_cannot_play_without(
    planned: Planned, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dyad.plan
    from dyad.bridge.protocol import Caps

    monkeypatch.setattr(dyad.plan, "caps_of", lambda spec: Caps("ruled", prompt="sheet"))
    assert planned().runs
    with pytest.raises(ConfigError) as caught:
        planned("task=t0")
    assert str(caught.value) == (
        "agent 'echo' acts on a role sheet, so it cannot play task 't0'; it can play task=t1,t2,t3,t4"
    )
    monkeypatch.setattr(dyad.plan, "caps_of", lambda spec: Caps("prompted", prompt="text"))
    assert planned("task=t0").runs


@pytest.mark.parametrize("pairing", ["echo_tone", "tone_tone"])
@pytest.mark.parametrize("assignments", ["both", "first"])
def test_free_conversations_are_not_doubled_by_roles(
    planned: Planned, pairing: str, assignments: str
) -> None:
    """Exchanging roles that nobody has would only draw other random numbers."""
    runs = planned(
        "task=t0", f"pairing={pairing}", f"design.assignments={assignments}", "design.repetitions=3"
    ).runs
    assert Counter((r.a.role, r.b.role, r.opener, r.repetition) for r in runs) == Counter(
        ("a", "b", opener, k) for opener in "ab" for k in range(3)
    )
    for run in runs:
        assert (run.task, run.symmetric, run.anchor) == ("t0", True, None)
        assert all(
            (x.prompt.text, x.prompt.sheet, x.role_id, x.kind) == ("", None, "", "") for x in (run.a, run.b)
        )


def test_one_opener_of_a_free_conversation_still_balances_agents(planned: Planned) -> None:
    one = ["task=t0", "design.openers=[a]"]
    assert [r.opener for r in planned(*one).runs] == ["a", "b"]
    assert [r.opener for r in planned(*one, "design.assignments=first").runs] == ["a"]
    assert [r.opener for r in planned(*one, "pairing=tone_tone").runs] == ["a"]


def test_an_agent_of_one_row_cannot_play_with_itself(
    planned: Planned, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dyad.plan
    from dyad.bridge.protocol import INSTRUMENT, Caps

    monkeypatch.setattr(dyad.plan, "caps_of", lambda spec: Caps("one", max_batch=1, flags=INSTRUMENT))
    assert planned().runs
    with pytest.raises(ConfigError, match="agent 'tone' serves one row only"):
        planned("pairing=tone_tone")


def test_agents_are_told_what_will_be_asked_of_them(planned: Planned) -> None:
    plan = planned("pairing=echo_tone,tone_tone", "window_s=4,2", "tell_window=true", "launcher.lanes=5")
    found = {agent.name: demand for agent, demand in demands(plan.runs, plan.config.launcher)}
    assert {name: (d.rows, d.ticks, d.device) for name, d in found.items()} == {
        "echo": (5, 50, "cpu"), "tone": (10, 50, "cpu"),
    }  # fmt: skip
    assert found["tone"].prompts == ("",)  # what its family renders, without repetition


def test_padding_ends_with_what_an_agent_serves(planned: Planned, monkeypatch: pytest.MonkeyPatch) -> None:
    import dyad.bridge.wiring
    from dyad.bridge.protocol import Caps

    monkeypatch.setattr(dyad.bridge.wiring, "caps_of", lambda spec: Caps("few", max_batch=7))
    runs, settings = planned("pairing=tone_tone").runs, planned("launcher.lanes=64").config.launcher
    ((_, demand),) = demands(runs, settings)
    assert demand.rows == 6


def test_a_family_refuses_what_it_cannot_meet_once_per_agent(
    planned: Planned, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dyad.plan
    from dyad.bridge.protocol import Demand, family_of

    asked: list[tuple[str, int]] = []

    def check(agent: AgentSpec, demand: Demand) -> None:
        asked.append((agent.name, demand.rows))
        if demand.ticks > 60:
            raise ConfigError(f"agent '{agent.name}' has a ring of 60 ticks; set window_s to at most 4.8")

    monkeypatch.setattr(dyad.plan, "family_of", lambda name: replace(family_of(name), check=check))
    planned("launcher.lanes=2")
    assert sorted(asked) == [("echo", 2), ("tone", 2)]
    with pytest.raises(ConfigError, match="ring of 60 ticks"):
        planned("window_s=6")


def test_folders_of_scenarios_are_not_swept(planned: Planned, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"scenarios\.dirs"):
        planned(f"scenarios.dirs=[],[{tmp_path}]")


def test_estimate_counts_what_is_missing(planned: Planned) -> None:
    plan = planned()
    found = estimate(plan, Store(Path(plan.config.store)))
    assert (found.runs, found.stored) == (4, 0)
    assert found.audio_s == pytest.approx(8.0)
    more = estimate(plan, Store(Path(plan.config.store)), [plan.runs[0].at_take(1)])
    assert (more.runs, more.again, more.audio_s) == (4, 1, pytest.approx(10.0))


def test_make_plan_keeps_the_given_name(planned: Planned) -> None:
    plan = planned("name=mine")
    assert make_plan(plan.studies).name == "mine"


def test_one_name_stands_for_one_setting(planned: Planned) -> None:
    with pytest.raises(ConfigError, match=r"several settings .* 'agent\.tone\.name=tone_"):
        planned("agent.tone.freq_hz=330,550")
    with pytest.raises(ConfigError, match=r"several settings .* 'pairing\.b\.name=tone_b'"):
        planned("pairing=tone_tone", "pairing.b.params.freq_hz=330")
    named = planned("pairing.b.params.freq_hz=330,550", "pairing.b.name='hum_${pairing.b.params.freq_hz}'")
    assert {run.b.agent.name for run in named.runs} == {"hum_330", "hum_550"}
