"""The deck: what rows hear and say from tick to tick, what they are made to say, and their saved state."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("moshi")

from safetensors.torch import load, save  # noqa: E402

from dyad.agents.moshi.architecture import TINY  # noqa: E402
from dyad.agents.moshi.engine.codec import Codec  # noqa: E402
from dyad.agents.moshi.engine.context import context  # noqa: E402
from dyad.agents.moshi.engine.deck import Deck  # noqa: E402
from dyad.agents.moshi.engine.prefix import FREE, no_prefix  # noqa: E402
from dyad.agents.moshi.engine.random_weights import random_lm  # noqa: E402
from dyad.agents.moshi.engine.rows import Rows  # noqa: E402
from dyad.agents.moshi.engine.sampling import Sampling  # noqa: E402
from dyad.agents.moshi.engine.words import PAD  # noqa: E402
from dyad.audio import Floats  # noqa: E402
from dyad.errors import ConfigError  # noqa: E402
from dyad.spec import TICK  # noqa: E402

SIZE = 3
SAMPLING = Sampling(temp=1.0, temp_text=2.0, top_k=40, top_k_text=30)
TEXT = "no it is not yet open"

Said = tuple[Floats, list[list[int]]]


def noise(ticks: int, size: int = SIZE, seed: int = 0) -> Floats:
    """Bursts of noise, float32 [ticks, size, 1920]."""
    random = np.random.default_rng(seed)
    level = 0.3 * random.random((ticks, size, 1))
    return (level * random.standard_normal((ticks, size, TICK))).astype(np.float32)


def deck_of(loaded: Any, size: int = SIZE, seeds: tuple[int, ...] = (), ring: int = 64) -> Deck:
    deck = Deck(loaded, size, ring, SAMPLING)
    begin(deck, range(size), seeds or tuple(range(size)))
    return deck


def begin(deck: Deck, rows: Any, seeds: Any) -> None:
    deck.begin({row: (deck.nothing(), seed) for row, seed in zip(rows, seeds, strict=True)})


def play(deck: Deck, heard: Floats) -> Said:
    """Return the sound float32 [ticks, n, 1920] and, for every tick, the text tokens of its rows."""
    said = [deck.step(frame) for frame in heard]
    return np.stack([sound for sound, _ in said]), [tokens for _, tokens in said]


def row_of(said: Said, row: int, since: int = 0) -> tuple[bytes, list[int]]:
    return said[0][since:, row].tobytes(), [tokens[row] for tokens in said[1][since:]]


def test_fewer_rows_are_padded(tiny: Any) -> None:
    heard = noise(10)
    three, one = play(deck_of(tiny, 4), heard), play(deck_of(tiny, 4), heard[:, :1])
    assert three[0].shape == (10, 3, TICK)
    assert one[0].shape == (10, 1, TICK)
    assert row_of(one, 0) == row_of(three, 0)


def test_a_row_that_begins_anew_touches_no_one_else(tiny: Any) -> None:
    heard, deck = noise(20), deck_of(tiny)
    plain = play(deck_of(tiny), heard)
    play(deck, heard[:8])
    begin(deck, [1], [1])
    after = play(deck, heard[8:])
    for row in (0, 2):
        assert row_of(after, row) == row_of(plain, row, 8)
    assert row_of(after, 1) == row_of(play(deck_of(tiny), heard[8:]), 1)


def test_a_row_goes_on_from_its_prefix(tiny: Any) -> None:
    """The first tick is the call after the hand-over, which hears and says what the prefix has."""
    heard, codes = noise(8), torch.randint(0, 48, (17, 9), generator=torch.Generator().manual_seed(1))
    deck = deck_of(tiny)
    prefix = context(deck.initial, tiny.lm.delays, codes[0], codes[1:9], codes[9:])
    play(deck, heard[:3])
    deck.begin({1: (prefix, 4)})
    said = play(deck, heard)
    rows, codec = Rows(tiny.lm, SIZE, 64, SAMPLING), Codec(tiny.new_mimi(), SIZE)
    rows.start(1, prefix, 4, SAMPLING)
    user, own = torch.zeros(SIZE, 8, dtype=torch.long), torch.full((SIZE, 8), FREE)
    user[1], own[1] = prefix.user, prefix.own
    rows.step(user, own=own)
    for tick, frame in enumerate(heard):
        tokens = rows.step(codec.encode(torch.from_numpy(frame)))
        assert int(tokens[1, 0]) == said[1][tick][1]
        np.testing.assert_array_equal(codec.decode(tokens[:, 1:])[1].numpy(), said[0][tick, 1])


def test_rows_of_one_prefix_differ_by_their_seeds(tiny: Any) -> None:
    """They live through it once; so each is what it is with a prefix object of its own."""
    deck, heard = Deck(tiny, SIZE, 64, SAMPLING), np.repeat(noise(12, 1), SIZE, 1)
    prefix = deck.nothing()
    deck.begin({row: (prefix, seed) for row, seed in enumerate((5, 6, 5))})
    shared = play(deck, heard)
    assert row_of(shared, 0) == row_of(shared, 2)
    assert row_of(shared, 0) != row_of(shared, 1)
    apart = play(deck_of(tiny, seeds=(5, 6, 5)), heard)
    assert all(row_of(shared, row) == row_of(apart, row) for row in range(SIZE))


@pytest.mark.parametrize("at", [0, 1, 7])
def test_sound_reaches_the_text_of_the_next_frame(tiny: Any, at: int) -> None:
    """Each of 6 rows has a twin that hears something else in tick `at`: k = 1, and never earlier."""
    heard = np.tile(noise(at + 3, 6, 1), (1, 2, 1))
    heard[at, 6:] = noise(1, 6, 50)[0]
    sound, text = play(deck_of(tiny, 12, tuple(range(6)) * 2), heard)
    quiet = (sound[:, :6] == sound[:, 6:]).all((1, 2))
    assert quiet[:at].all()
    assert not (sound[at : at + 2, :6] == sound[at : at + 2, 6:]).all((0, 2)).any()
    same = [tokens[:6] == tokens[6:] for tokens in text]
    assert same[: at + 1] == [True] * (at + 1)
    assert not same[at + 1]


def produced(loaded: Any, codes: Any, heard: Floats) -> list[Any]:
    """Return what rows say, tick by tick, when row 1 is given codes [F, 8] in the calls that draw them."""
    rows, ear = Rows(loaded.lm, SIZE, 64, SAMPLING), Codec(loaded.new_mimi(), SIZE)
    for row in range(SIZE):
        rows.start(row, no_prefix(rows.initial), row, SAMPLING)
    own = torch.full((1 + len(heard), SIZE, 8), FREE)
    own[: len(codes), 1, 0] = codes[:, 0]
    own[1 : 1 + len(codes), 1, 1:] = codes[:, 1:]
    rows.step(torch.zeros(SIZE, 8, dtype=torch.long), own=own[0])
    frames = map(torch.from_numpy, heard)
    return [rows.step(ear.encode(frame), own=given) for frame, given in zip(frames, own[1:], strict=True)]


def test_forced_sound_is_what_is_said(tiny: Any) -> None:
    """As if its codes had been forced when they were drawn; after 6 ticks the model goes on freely."""
    heard, own, deck = noise(14), noise(6, SIZE, 9), deck_of(tiny)
    ear, mouth = Codec(tiny.new_mimi(), SIZE), Codec(tiny.new_mimi(), SIZE)
    codes = torch.stack([ear.encode(torch.from_numpy(frame)) for frame in own])[:, 1]
    for tick, tokens in enumerate(produced(tiny, codes, heard)):
        if tick < len(own):
            deck.force(1, own[tick, 1], None)
            assert torch.equal(tokens[1, 1:], codes[tick])
        sound, text = deck.step(heard[tick])
        assert text[1] == int(tokens[1, 0])
        np.testing.assert_array_equal(sound[1], mouth.decode(tokens[:, 1:])[1].numpy())


@pytest.mark.parametrize("with_sound", [True, False])
def test_forced_text_is_what_is_said(tiny: Any, with_sound: bool) -> None:
    """One token per forced frame, then no words; then the model goes on by itself."""
    heard, deck, tokens = noise(24), deck_of(tiny), tiny.words.encode(TEXT)
    play(deck, heard[:5])
    told = []
    for tick in range(5, 5 + len(tokens) + 3):
        deck.force(1, np.zeros(TICK, np.float32) if with_sound else None, TEXT if tick == 5 else "")
        told.append(deck.step(heard[tick])[1][1])
    assert len(tokens) > 3
    assert told == [*tokens, PAD, PAD, PAD]
    free = play(deck, heard[5 + len(tokens) + 3 :])[1]
    assert any(frame[1] != PAD for frame in free)


def test_forcing_one_row_touches_no_one_else(tiny: Any) -> None:
    heard, deck = noise(16), deck_of(tiny)
    plain = play(deck_of(tiny), heard)
    play(deck, heard[:4])
    for tick in range(4, 8):
        deck.force(1, heard[tick, 1], TEXT)
        deck.step(heard[tick])
    after = play(deck, heard[8:])
    for row in (0, 2):
        assert row_of(after, row) == row_of(plain, row, 8)
    assert row_of(after, 1) != row_of(plain, 1, 8)


def test_what_one_row_is_made_to_say_another_does_not_hear(tiny: Any) -> None:
    """Row 1 is forced late; whether row 0 was forced before, or is beside it, is nothing to row 1."""
    heard, takes = noise(12), []
    for early in (True, False):
        deck, said = deck_of(tiny), []
        for tick, frame in enumerate(heard):
            if early and tick in (1, 2, 3, 7):
                deck.force(0, frame[2], None)
            if tick in (2, 6, 7):
                deck.force(1, frame[2], None)
            said.append(deck.step(frame))
        takes.append((np.stack([sound for sound, _ in said]), [tokens for _, tokens in said]))
    assert row_of(takes[0], 1) == row_of(takes[1], 1)
    assert row_of(takes[0], 0) != row_of(takes[1], 0)


def test_forcing_nothing_changes_nothing(tiny: Any) -> None:
    heard, deck = noise(8), deck_of(tiny)
    plain = play(deck_of(tiny), heard)
    play(deck, heard[:3])
    deck.force(1, None, None)
    assert row_of(play(deck, heard[3:]), 1) == row_of(plain, 1, 3)


def test_what_was_forced_is_remembered(tiny: Any) -> None:
    """Rows that were made to say different things go different ways, though they hear the same."""
    deck, heard = deck_of(tiny, 2, (1, 1)), np.repeat(noise(16, 1), 2, 1)
    for tick in range(5):
        deck.force(0, noise(1, 1, tick)[0, 0], "yes")
        deck.force(1, noise(1, 1, tick + 90)[0, 0], "well")
        deck.step(heard[tick])
    after = play(deck, heard[6:])
    assert row_of(after, 0) != row_of(after, 1)


def test_a_row_that_begins_anew_forgets_what_it_was_to_say(tiny: Any) -> None:
    heard, deck = noise(16), deck_of(tiny)
    deck.force(1, noise(1)[0, 0], TEXT)
    deck.step(heard[0])
    deck.force(1, noise(1)[0, 0], TEXT)
    begin(deck, [1], [1])
    assert row_of(play(deck, heard[1:]), 1) == row_of(play(deck_of(tiny), heard[1:]), 1)
    deck.force(1, None, "")
    assert deck.step(heard[0])[1][1] == PAD  # no word of it waits


def force_and_step(deck: Deck, heard: Floats, text: str) -> Said:
    """Force row 1 in every tick, with the sound that row 0 hears."""
    said = []
    for frame in heard:
        deck.force(1, frame[0], text)
        said.append(deck.step(frame))
    return np.stack([sound for sound, _ in said]), [tokens for _, tokens in said]


def test_a_snapshot_replays_what_is_being_forced(tiny: Any) -> None:
    """Tokens that wait and the ear for the own channel are part of a row, in this deck and in a fresh one."""
    heard, deck = noise(24), deck_of(tiny)
    play(deck, heard[:3])
    force_and_step(deck, heard[3:5], TEXT)
    state = deck.snapshot(1)
    went = force_and_step(deck, heard[5:12], ""), play(deck, heard[12:])
    for again in (deck, deck_of(tiny, seeds=(7, 8, 9))):
        again.restore(1, state)
        forced, free = force_and_step(again, heard[5:12], ""), play(again, heard[12:])
        assert row_of(forced, 1) == row_of(went[0], 1)
        assert row_of(free, 1) == row_of(went[1], 1)


def test_a_snapshot_restores_into_a_longer_ring(tiny: Any) -> None:
    heard, deck = noise(20), deck_of(tiny)
    play(deck, heard[:10])
    longer = deck_of(tiny, ring=128)
    longer.restore(2, deck.snapshot(2))
    assert row_of(play(longer, heard[10:]), 2) == row_of(play(deck, heard[10:]), 2)


def grown(loaded: Any, **update: int) -> Any:
    shape = TINY.model_copy(update=update)
    return replace(loaded, lm=random_lm(shape, 0, "cpu", torch.float32).eval(), architecture=shape)


def refuses(deck: Deck, state: bytes) -> None:
    """The state is refused with one line, and the deck goes on as if it had not been offered."""
    with pytest.raises(ConfigError, match="no snapshot of this model") as caught:
        deck.restore(1, state)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("update", [{"num_layers": 1}, {"num_layers": 3}, {"dim": 32}], ids=str)
def test_a_snapshot_of_another_architecture_is_refused(tiny: Any, update: dict[str, int]) -> None:
    other = Deck(grown(tiny, **update), 2, 64, SAMPLING)
    begin(other, range(2), (1, 2))
    play(other, noise(3, 2))
    refuses(deck_of(tiny), other.snapshot(0))


def test_a_snapshot_that_does_not_fit_the_ring_is_refused(tiny: Any) -> None:
    """It is longer; or it has wrapped, and its slots mean other positions here."""
    long, wrapped = deck_of(tiny, ring=64), deck_of(tiny, ring=16)
    for deck in (long, wrapped):
        play(deck, noise(18))
    refuses(wrapped, long.snapshot(1))
    refuses(long, wrapped.snapshot(1))


def test_a_snapshot_of_half_a_past_is_refused(tiny: Any) -> None:
    deck = deck_of(tiny)
    play(deck, noise(8))
    state = load(deck.snapshot(1))
    refuses(deck, save(state | {"rows/past": state["rows/past"][:, :, :, :4].contiguous()}))


def test_what_is_no_snapshot_is_refused(tiny: Any) -> None:
    deck = deck_of(tiny)
    state = deck.snapshot(0)
    empty = struct.pack("<Q", 2) + b"{}"
    for spoilt in (b"", b"hello, how are you", state[:100], state[:-1], empty):
        refuses(deck, spoilt)


def test_a_refused_snapshot_leaves_the_row(tiny: Any) -> None:
    heard, deck = noise(12), deck_of(tiny)
    plain = play(deck_of(tiny), heard)
    play(deck, heard[:4])
    other = Deck(grown(tiny, num_layers=3), 2, 64, SAMPLING)
    begin(other, range(2), (1, 2))
    play(other, noise(6, 2))
    for state in (other.snapshot(0), other.snapshot(0)[:500]):
        with pytest.raises((ConfigError, ValueError)):
            deck.restore(1, state)
    assert row_of(play(deck, heard[4:]), 1) == row_of(plain, 1, 4)
