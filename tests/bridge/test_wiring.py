"""Rows: lane l is played in rows 2l and 2l + 1, and each row hears the other."""

from __future__ import annotations

import numpy as np

from dyad.bridge.wiring import cross, row_of, seat_agents
from dyad.spec import AgentSpec
from dyad.testing import agents_of, lane


def test_cross_exchanges_the_rows_of_each_lane():
    said = np.arange(12, dtype=np.float32).reshape(6, 2)
    assert cross(said)[:, 0].tolist() == [2, 0, 6, 4, 10, 8]
    assert np.array_equal(cross(cross(said)), said)
    assert not np.shares_memory(cross(said), said)


def test_rows_are_numbered_by_lane_then_seat():
    assert [row_of(lane_, seat) for lane_ in (0, 3) for seat in ("a", "b")] == [0, 1, 6, 7]


def test_one_session_serves_every_row_of_its_agent():
    runs = [lane("echo", "silence"), lane("silence", "silence"), lane("echo", "echo")]
    rows = {session.name: session.rows.tolist() for session in seat_agents(runs, agents_of(runs))}
    assert rows == {"echo": [0, 4, 5], "silence": [1, 2, 3]}


def test_settings_that_differ_in_name_or_voice_share_one_loaded_agent() -> None:
    one, two = (AgentSpec(name=name, adapter="tone", voice=name) for name in ("low", "high"))
    run = lane(one, two)
    (session,) = seat_agents([run], agents_of([run]))
    assert list(session.rows) == [0, 1]
    other = AgentSpec(name="low", adapter="tone", params={"period_ticks": 999})
    assert len(agents_of([lane(one, other)])) == 2
