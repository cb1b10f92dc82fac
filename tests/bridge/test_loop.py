"""The bridge is exact: who hears what, when, and what is on record, whatever the agents are like."""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import soundfile

from dyad.audio import to_int16
from dyad.bridge import AgentFault, play
from dyad.bridge.clock import Pace
from dyad.bridge.protocol import Caps, Lost, Out, Plain, Text
from dyad.errors import ConfigError
from dyad.spec import TICK, AgentSpec, ChannelSpec, Direction, RunSpec
from dyad.testing import Bursts, Paced, Units, agents_of, lane

NOISY = Direction(gain=0.9, noise_snr_db=10.0, loss=0.2)


def spec(adapter: str, name: str = "", **params) -> AgentSpec:
    return AgentSpec(name=name or adapter, adapter=adapter, params=params)


def played(lanes, **fakes):
    return play(lanes, agents_of(lanes, fakes))


def channel(ab: Direction | None = None, ba: Direction | None = None) -> ChannelSpec:
    return ChannelSpec(ab=ab or Direction(), ba=ba or Direction())


@pytest.fixture
def voice(tmp_path: Path):
    """A file of 2.5 s that no tick divides, and its samples."""
    pcm = np.random.default_rng(0).integers(-9000, 9000, 60_011).astype(np.int16)
    path = tmp_path / "voice.flac"
    soundfile.write(path, pcm, 24_000, subtype="PCM_16")
    return str(path), pcm


@pytest.mark.parametrize("lanes", [1, 16, 64])
def test_playback_is_sample_exact(voice, lanes):
    path, pcm = voice
    runs = [lane(spec("playback", path=path), "silence", ticks=40, seed=seed) for seed in range(lanes)]
    want = np.zeros(40 * TICK, np.int16)
    want[: len(pcm)] = pcm
    for recording in played(runs):
        assert np.array_equal(recording.pcm[0], want)
        assert not recording.pcm[1].any()


@pytest.mark.parametrize("delay_ms", [0.0, 12.5, 80.0, 333.375])
def test_echo_comes_back_one_tick_and_the_channel_later(voice, delay_ms):
    path, _ = voice
    line = channel(Direction(delay_ms=delay_ms))
    (recording,) = played([lane(spec("playback", path=path), "echo", ticks=40, channel=line)])
    delay = TICK + round(delay_ms * 24)
    said, echo = recording.pcm
    assert np.array_equal(echo[delay:], said[:-delay])
    assert not echo[:delay].any()


def test_only_what_is_heard_goes_through_the_channel(voice):
    path, pcm = voice
    cut = channel(Direction(gain=0.0), Direction(gain=0.0))
    (recording,) = played([lane(spec("playback", path=path), "echo", ticks=40, channel=cut)])
    assert np.array_equal(recording.pcm[0, : len(pcm)], pcm)
    assert not recording.pcm[1].any()


def swapped(run: RunSpec) -> RunSpec:
    """The same conversation with its two seats exchanged."""
    ends = {"a": run.b, "b": run.a, "opener": "b" if run.opener == "a" else "a"}
    return run.model_copy(update={**ends, "channel": channel(run.channel.ba, run.channel.ab)})


@pytest.mark.parametrize("line", [channel(), channel(NOISY, Direction(delay_ms=20, noise_snr_db=0.0))])
@pytest.mark.parametrize("opener", ["a", "b"])
def test_swapping_seats_swaps_channels_and_nothing_else(line, opener):
    run = lane("bursts", "echo", ticks=60, lead_ticks=19, opener=opener, channel=line, seed=3)
    one, two = (played([r], bursts=Bursts(9000, 7))[0] for r in (run, swapped(run)))
    assert one.pcm.any()
    assert np.array_equal(one.pcm, two.pcm[::-1])
    assert one.seats["a"] == two.seats["b"]
    assert one.seats["b"] == two.seats["a"]
    as_b = {"a": "b", "b": "a"}
    texts = [(p.at, as_b[p.seat], p.s, p.suppressed) for p in two.pieces]
    assert [(p.at, p.seat, p.s, p.suppressed) for p in one.pieces] == sorted(texts)


def test_self_play_through_one_instance_equals_two():
    line = channel(NOISY, NOISY)
    alike = [lane("bursts", "bursts", ticks=60, seed=seed, channel=line) for seed in range(3)]
    left, right = spec("bursts", "left"), spec("bursts", "right")
    apart = [lane(left, right, ticks=60, seed=seed, channel=line) for seed in range(3)]
    two = {left.key: Bursts(9000, 7), right.key: Bursts(9000, 7)}
    for one, other in zip(played(alike, bursts=Bursts(9000, 7)), play(apart, two), strict=True):
        assert np.array_equal(one.pcm, other.pcm)
        assert one.pieces == other.pieces


def test_the_order_of_lanes_and_agents_does_not_matter(voice):
    path, _ = voice
    tone = spec("tone", period_ticks=15)
    pairs = [("bursts", "echo"), (spec("playback", path=path), "bursts"), (tone, "bursts"), ("echo", tone)]
    runs = [lane(a, b, ticks=50, seed=i, channel=channel(NOISY)) for i, (a, b) in enumerate(pairs)]
    forward = played(runs, bursts=Bursts(5000, 4))
    backward = played(runs[::-1], bursts=Bursts(5000, 4))[::-1]
    alone = [played([run], bursts=Bursts(5000, 4))[0] for run in runs]
    for one, two, three in zip(forward, backward, alone, strict=True):
        assert one.pcm.any()
        assert np.array_equal(one.pcm, two.pcm)
        assert np.array_equal(one.pcm, three.pcm)
        assert one.pieces == two.pieces == three.pieces


class Threaded(Bursts):
    """Bursts that are stepped in a thread and take their time."""

    def __init__(self) -> None:
        super().__init__(5000, 4)
        self.caps = Caps("threaded", concurrent=True)

    def step(self, tick, heard, played):
        time.sleep(0.001)
        return super().step(tick, heard, played)


def test_stepping_in_threads_changes_nothing():
    runs = [lane("bursts", spec("bursts2"), ticks=30, seed=seed) for seed in range(2)]
    one = played(runs, bursts=Bursts(5000, 4), bursts2=Bursts(5000, 4))
    two = played(runs, bursts=Threaded(), bursts2=Threaded())
    assert all(np.array_equal(x.pcm, y.pcm) for x, y in zip(one, two, strict=True))


class Waits(Plain):
    """Waits in every step until the other session is in its step too."""

    def __init__(self, barrier) -> None:
        self.caps = Caps("waits", concurrent=True)
        self._barrier = barrier

    def open(self, prompts, voices, seeds):
        self._rows = len(prompts)

    def step(self, tick, heard, played):
        self._barrier.wait(timeout=60)
        return Out(np.zeros((self._rows, 0), np.float32))


def test_agents_that_wait_are_stepped_at_the_same_time():
    from threading import Barrier

    barrier = Barrier(2)
    (recording,) = played([lane("one", "two", ticks=3)], one=Waits(barrier), two=Waits(barrier))
    assert recording.ticks == 3


@pytest.mark.parametrize(
    ("unit", "rate"), [(24_000, 24_000), (16_000, 16_000), (9600, 24_000), (22_050, 22_050), (3200, 24_000)]
)
def test_units_of_any_length_keep_the_length_of_the_recording(unit, rate):
    """Units of 1 s (12.5 ticks), of 400 ms (5 ticks) and of 133⅓ ms (1⅔ ticks), at their own rates."""
    tone = spec("tone", pattern=[[0, 20]])
    (recording,) = played([lane(tone, "units", ticks=100)], units=Units(unit, rate))
    said, answer = recording.pcm.astype(float)
    assert recording.pcm.shape == (2, 100 * TICK)
    # A unit is said from the tick on that completes it; it begins with the silence heard in tick 0.
    closing = -(-unit * 24_000 // rate // TICK) - 1
    onset = np.flatnonzero(np.abs(answer) > 100)[0] - (closing + 1) * TICK
    assert 0 < onset < 80  # the two resamplers are late by 2.5 ms at most
    assert np.abs(answer).max() == pytest.approx(np.abs(said).max(), rel=0.1)
    assert recording.seats["b"].chunk_ms == Fraction(1000 * unit, rate)


def test_a_one_second_unit_arrives_whole_and_in_place():
    """It closes in tick 12, its first tick being what was heard in tick 0: silence."""
    (recording,) = played([lane(spec("tone", pattern=[[0, 40]]), "units", ticks=60)], units=Units(24_000))
    said, answer = recording.pcm
    assert np.array_equal(answer[13 * TICK : 53 * TICK], said[: 40 * TICK])
    assert (
        recording.seats["b"].under_runs == 0
    )  # units close after 13, 25, 38, 50 ticks: each in time for the next


def test_an_over_producing_agent_keeps_the_length_and_reports_the_rest():
    (recording,) = played([lane("bursts", "silence", ticks=50)], bursts=Bursts(12_000, 5))
    assert recording.pcm.shape == (2, 50 * TICK)
    assert (recording.pcm[0].reshape(50, TICK) != 0).any(axis=1).all()
    assert recording.seats["a"].dropped_ms == (10 * 12_000 - 50 * TICK) / 24
    assert recording.seats["a"].under_runs == 0
    assert recording.seats["b"].dropped_ms == 0


def test_bursts_that_are_too_short_are_counted_as_under_runs():
    (recording,) = played([lane("bursts", "silence", ticks=50)], bursts=Bursts(5 * TICK - 100, 5))
    assert recording.seats["a"].under_runs == 10
    assert recording.seats["a"].text_pieces == 10


def test_a_flush_drops_what_waits():
    loud = spec("tone", pattern=[[10, 12]], level=0.9)
    (recording,) = played([lane("bursts", loud, ticks=20)], bursts=Bursts(40 * TICK, 100))
    heard_until = (recording.pcm[0].reshape(20, TICK) != 0).any(axis=1)
    assert heard_until.tolist() == [True] * 11 + [False] * 9  # said in tick 10, heard and obeyed in tick 11
    assert recording.seats["a"].flushes == 1
    assert recording.seats["a"].dropped_ms == 0


class Counts(Plain):
    """Notes what it was told it had played, and speaks 1,000 samples in every tick at 16 kHz."""

    def __init__(self) -> None:
        self.caps = Caps("counts", rate_in=16_000, rate_out=16_000)

    def open(self, prompts, voices, seeds):
        self.opened_with, self.seen = (list(prompts), list(voices), list(seeds)), []

    def step(self, tick, heard, played):
        assert heard.shape == (len(self.opened_with[0]), 1280)
        self.seen.append(played.tolist())
        return Out([np.full(1000, 0.1, np.float32) for _ in heard])

    def close(self):
        self.seen.append("closed")


def test_played_counts_own_samples_at_the_agents_rate():
    agent = Counts()
    played([lane("counts", "counts", ticks=4)], counts=agent)
    assert agent.seen == [[0, 0], [1000, 1000], [2000, 2000], [3000, 3000], "closed"]


def test_an_agent_is_opened_once_with_all_its_rows():
    agent = Counts()
    runs = [lane("counts", "silence", seed=1, ticks=2), lane("counts", "counts", seed=2, ticks=2)]
    played(runs, counts=agent)
    prompts, voices, seeds = agent.opened_with
    assert (len(prompts), voices) == (3, ["", "", ""])
    assert seeds == [
        runs[0].stream_seed("voice", "a"),
        *(runs[1].stream_seed("voice", s) for s in ("a", "b")),
    ]


def test_the_lead_in_silences_the_partner_and_marks_its_text():
    tone = spec("tone", pattern=[[0, 5], [30, 35]])
    for opener, partner in (("a", 1), ("b", 0)):
        run = lane(tone, tone, ticks=40, lead_ticks=19, opener=opener)
        (recording,) = played([run])
        loud = (recording.pcm.reshape(2, 40, TICK) != 0).any(axis=2)
        assert np.flatnonzero(loud[1 - partner]).tolist() == [*range(5), *range(30, 35)]
        assert np.flatnonzero(loud[partner]).tolist() == [*range(30, 35)]
        marks = {(p.seat, p.at // TICK): p.suppressed for p in recording.pieces}
        muted, free = "ab"[partner], "ab"[1 - partner]
        assert marks == {(muted, 0): True, (muted, 30): False, (free, 0): False, (free, 30): False}


def test_the_partner_hears_the_opener_in_the_lead_in():
    (recording,) = played([lane(spec("tone", pattern=[[0, 30]]), "echo", ticks=40, lead_ticks=19)])
    assert not recording.pcm[1, : 19 * TICK].any()
    assert np.array_equal(recording.pcm[1, 19 * TICK :], recording.pcm[0, 18 * TICK : -TICK])


class Leaves(Plain):
    """Says one burst, reports that it has finished, and goes on talking to itself."""

    caps = Caps("leaves")

    def __init__(self, burst: int, at_tick: int) -> None:
        self._burst, self._at = burst, at_tick

    def open(self, prompts, voices, seeds):
        self._rows = len(prompts)

    def step(self, tick, heard, played):
        size = self._burst if tick == 0 else 0
        text = [Text(row, tick * TICK, f"{tick} ") for row in range(self._rows)]
        done = np.full(self._rows, tick == self._at)
        return Out(np.full((self._rows, size), 0.1, np.float32), text, finished=done)


def test_finished_ends_its_lane_and_no_other():
    runs = [
        lane("leaves", "echo", ticks=20),
        lane("silence", "echo", ticks=12),
        lane("echo", "silence", ticks=20),
    ]
    ended, short, full = played(runs, leaves=Leaves(0, 6))
    assert [r.ticks for r in (ended, short, full)] == [7, 12, 20]
    assert [r.pcm.shape[1] // TICK for r in (ended, short, full)] == [7, 12, 20]
    assert ended.seats["a"].finished
    assert not ended.seats["b"].finished
    assert [p.s for p in ended.pieces] == [f"{tick} " for tick in range(7)]


def test_a_seat_that_has_finished_is_heard_out():
    (recording,) = played([lane("leaves", "silence", ticks=20)], leaves=Leaves(9 * TICK + 1, 3))
    assert recording.ticks == 10
    assert (recording.pcm[0] != 0).sum() == 9 * TICK + 1
    assert recording.seats["a"].dropped_ms == 0


def test_a_lane_that_has_ended_is_heard_no_more(voice):
    """Its partner is stepped on with the batch, and hears silence."""
    heard = []

    class Listens(Leaves):
        def step(self, tick, pcm, played):
            heard.append(pcm.any(axis=1))
            return super().step(tick, pcm, played)

    voice_spec = spec("playback", path=voice[0])
    played([lane(voice_spec, "listens", ticks=ticks) for ticks in (5, 10)], listens=Listens(0, 99))
    first, second = np.array(heard).T
    assert np.flatnonzero(first).tolist() == list(range(1, 6))
    assert np.flatnonzero(second).tolist() == list(range(1, 10))


def test_text_after_the_end_is_marked_as_unsaid():
    class Ahead(Leaves):
        def step(self, tick, heard, played):
            return Out(np.zeros((1, 0), np.float32), [Text(0, 3 * tick * TICK, f"{tick} ")])

    (recording,) = played([lane("ahead", "silence", ticks=4)], ahead=Ahead(0, 99))
    assert [(p.s, p.suppressed) for p in recording.pieces] == [
        ("0 ", False),
        ("1 ", False),
        ("2 ", True),
        ("3 ", True),
    ]


def test_what_is_too_loud_is_clipped_on_record_and_on_the_line():
    class Loud(Leaves):
        def step(self, tick, heard, played):
            return Out(np.full((1, TICK), -3.0 if tick % 2 else 3.0, np.float32))

    (recording,) = played([lane("loud", "echo", ticks=3)], loud=Loud(0, 99))
    assert recording.pcm[0, ::TICK].tolist() == [32767, -32768, 32767]
    assert recording.pcm[1, ::TICK].tolist() == [0, 32767, -32768]


class Breaks(Plain):
    """Returns `out(rows)` in tick 2."""

    caps = Caps("breaks")

    def __init__(self, out) -> None:
        self._out = out

    def open(self, prompts, voices, seeds):
        self._rows = len(prompts)
        self.closed = False

    def step(self, tick, heard, played):
        return self._out(self._rows) if tick == 2 else Out(np.zeros((self._rows, TICK), np.float32))

    def close(self):
        self.closed = True


def with_value(rows: int, value: float, ragged: bool = False) -> Out:
    pcm = np.zeros((rows, TICK), np.float32)
    pcm[1, 7] = value
    return Out(list(pcm) if ragged else pcm)


@pytest.mark.parametrize(
    ("out", "says", "rows"),
    [
        (lambda rows: with_value(rows, np.nan), "NaN or infinite audio (row 3, tick 2)", (3,)),
        (lambda rows: with_value(rows, np.inf, ragged=True), "NaN or infinite audio (row 3, tick 2)", (3,)),
        (lambda rows: Out(np.zeros((rows + 1, TICK), np.float32)), "not float32 [3, n]", (1, 3, 5)),
        (lambda rows: Out(np.zeros((rows, 4, 2), np.float32)), "not float32 [3, n]", (1, 3, 5)),
        (lambda rows: Out(np.zeros((rows, TICK), np.int16)), "not float32 [3, n]", (1, 3, 5)),
        (lambda rows: Out([np.zeros(3, np.float32)] * 2), "not float32 [3, n]", (1, 3, 5)),
        (
            lambda rows: Out(with_value(rows, 0).pcm, flush=np.zeros(1, bool)),
            "'flush' of shape (1,)",
            (1, 3, 5),
        ),
        (lambda rows: Out(with_value(rows, 0).pcm, [Text(9, 0, "x")]), "text for its row 9", (1, 3, 5)),
        (lambda rows: Out(with_value(rows, 0).pcm, [Text(0, -1, "x")]), "row 0 at -1", (1, 3, 5)),
    ],
)
def test_broken_output_names_agent_row_and_tick(out, says, rows):
    agent = Breaks(out)
    with pytest.raises(AgentFault) as caught:
        played([lane("silence", "breaks", ticks=5, seed=seed) for seed in range(3)], breaks=agent)
    assert says in str(caught.value)
    assert str(caught.value).startswith("agent 'breaks' returned")
    assert (caught.value.tick, caught.value.rows) == (2, rows)
    assert caught.value.lanes == tuple(row // 2 for row in rows)
    assert agent.closed


def test_a_missing_agent_and_a_full_one_are_refused_before_anything_starts():
    run = lane("echo", "silence")
    with pytest.raises(ConfigError, match="'echo' is played but was not loaded"):
        play([run], {})
    agent = Counts()
    agent.caps = Caps("counts", max_batch=3)
    with pytest.raises(ConfigError, match="at most 3 rows, not 4"):
        played([lane("counts", "counts", seed=seed) for seed in range(2)], counts=agent)
    agent.caps = Caps("counts", max_seconds=3.0)
    with pytest.raises(ConfigError, match="at most 3 s, not 4 s"):
        played([lane("counts", "silence", ticks=50)], counts=agent)


def test_no_lanes_no_recordings():
    assert play([], {}) == []


def test_progress_counts_ticks():
    seen: list[int] = []
    runs = [lane("silence", "echo", ticks=4)]
    play(runs, agents_of(runs), seen.append)
    assert seen == [1, 2, 3, 4]


def test_the_simulated_clock_does_not_wait():
    start = time.perf_counter()
    (recording,) = played([lane("echo", "silence", ticks=200)])
    assert time.perf_counter() - start < 200 * 0.08
    assert (recording.clock, recording.late_ticks, recording.timing_valid) == ("sim", 0, True)


def test_the_wall_clock_is_kept_and_changes_no_sample():
    tone = spec("tone", pattern=[[0, 5]])
    start = time.perf_counter()
    (recording,) = played([lane(tone, "paced", ticks=12)], paced=Paced(0.005))
    assert time.perf_counter() - start >= 11 * 0.08
    assert recording.clock == "wall"
    (free,) = played([lane(tone, "echo", ticks=12)])
    assert np.array_equal(recording.pcm, free.pcm)


def test_a_pace_that_is_lost_is_counted_and_loses_no_audio():
    tone = spec("tone", pattern=[[0, 5]])
    (recording,) = played([lane(tone, "paced", ticks=8)], paced=Paced(0.15))
    assert recording.late_ticks >= 6
    assert not recording.timing_valid
    (free,) = played([lane(tone, "echo", ticks=8)])
    assert np.array_equal(recording.pcm, free.pcm)


def test_one_late_tick_in_a_hundred_is_allowed():
    pace = Pace(wall=True)
    pace.late = 7
    assert pace.valid(700)
    assert not pace.valid(699)


def test_recording_rounds_as_audio_does():
    tone = spec("tone", pattern=[[0, 3]], level=0.3)
    (recording,) = played([lane(tone, "silence", ticks=3)])
    at = np.arange(3 * TICK)
    want = to_int16((0.3 * np.sin(2 * np.pi * 440 * at / 24_000)).astype(np.float32))
    assert np.abs(recording.pcm[0].astype(int) - want).max() <= 1


class Elsewhere(Bursts):
    """Computes elsewhere, as far as the bridge can tell, and notes when it is asked and when it answers."""

    def __init__(self, notes: list[str], loses: int | None = None) -> None:
        super().__init__(9000, 7)
        self.notes, self.loses = notes, loses

    def ask(self, tick, heard, played):
        self.notes.append("asked")
        self.given = (tick, heard, played)

    def answer(self):
        self.notes.append("answered")
        if self.given[0] == self.loses:
            raise Lost("its process is gone", [1])
        return self.step(*self.given)


def test_agents_elsewhere_are_all_asked_before_any_answers():
    notes = list[str]()
    left, right = spec("elsewhere", n=1), spec("elsewhere", n=2)
    runs = [lane(left, right, ticks=60, seed=seed) for seed in range(2)]
    (one, two) = play(runs, {left.key: Elsewhere(notes), right.key: Elsewhere(notes)})
    here = play(runs, {left.key: Bursts(9000, 7), right.key: Bursts(9000, 7)})
    assert notes == ["asked", "asked", "answered", "answered"] * 60
    for there, plain in zip((one, two), here, strict=True):
        assert np.array_equal(there.pcm, plain.pcm)
        assert there.pieces == plain.pieces


def test_rows_that_are_lost_blame_their_lanes_and_no_others():
    left, right = spec("elsewhere", n=1), spec("elsewhere", n=2)
    runs = [lane(left, right, ticks=60, seed=seed) for seed in range(3)]
    agents = {left.key: Elsewhere([], loses=4), right.key: Elsewhere([])}
    with pytest.raises(AgentFault, match=r"lost its state: its process is gone .*tick 4") as fault:
        play(runs, agents)
    assert fault.value.lanes == (1,)
