"""What a seat is told: exactly its own role, never the truth or the other seat's private facts."""

from __future__ import annotations

import pytest

from dyad.library import Library, PoolTruth, SecretTruth, prompt, role_of, sheet, truth_of
from dyad.spec import SEATS, Scenario, Seat, other
from dyad.spec.scenario import Role

MAREN = """\
A minibus for sixteen is needed for Sunday's choir trip, and five firms replied: Kendall, Tilbury, Mercer, \
Wexford and Dempsey.

You are Maren. You want one name on the form today. Kendall's minibus is in the workshop until after the \
weekend. Wexford sends no driver, and nobody in the choir can drive one. The conductor's sister swears by \
Mercer.
You have about 45 seconds.
You speak first; start talking now."""


def every_seat(library: Library) -> list[tuple[Scenario, Seat]]:
    return [(scenario, seat) for scenario in library.scenarios.values() for seat in scenario.seats]


def private_texts(role: Role) -> list[str]:
    cues = (*role.reasons, *role.points, *role.steps, *role.duties)
    return [item.text for item in role.private] + [cue.text for cue in cues] + list(role.episodes)


def test_prompt_text(library: Library) -> None:
    told = prompt(library, library.scenarios["t2_minibus"], "a", opens=True, window_s=45.0)
    assert told.text == MAREN


def test_window_and_opening_lines_are_off_unless_used(library: Library) -> None:
    text = prompt(library, library.scenarios["t2_minibus"], "a", opens=False).text
    assert text == MAREN[: MAREN.index("\nYou have about")]


@pytest.mark.parametrize("seat", SEATS)
def test_in_a_free_conversation_nobody_is_told_anything(library: Library, seat: Seat) -> None:
    told = prompt(library, library.scenarios["t0_en"], seat, opens=True, window_s=60)
    assert (told.text, told.sheet) == ("", None)


def test_no_seat_is_told_what_is_private_to_the_other(library: Library) -> None:
    for scenario, seat in every_seat(library):
        told = prompt(library, scenario, seat, opens=True, window_s=60)
        everything = told.text + (told.sheet.model_dump_json() if told.sheet else "")
        for text in private_texts(role_of(library, scenario, other(seat))):
            assert text not in everything, (scenario.id, seat)


def test_only_the_defender_knows_the_secret(library: Library) -> None:
    for scenario in library.scenarios.values():
        truth = truth_of(scenario)
        if isinstance(truth, SecretTruth):
            attacker, defender = (prompt(library, scenario, seat, opens=True) for seat in SEATS)
            assert truth.secret not in attacker.model_dump_json().lower()
            assert truth.secret in defender.text.lower()
            assert sheet(library, scenario, "b", opens=False).secret == truth.secret


def test_pooling_sheet_does_not_single_out_the_answer(library: Library) -> None:
    for scenario in library.scenarios.values():
        truth = truth_of(scenario)
        if isinstance(truth, PoolTruth):
            for seat in SEATS:
                own = sheet(library, scenario, seat, opens=True)
                assert own.candidates == truth.candidates
                blind = own.model_copy(update={"candidates": (), "setting": "", "private": ()})
                assert truth.answer not in blind.model_dump_json()
                assert sum(item.target == (truth.answer,) for item in own.private) == 0


def test_sheet_holds_the_own_option_first(library: Library) -> None:
    radio, gym = library.scenarios["t4_1_radio"], library.scenarios["t4_3_gym"]
    assert sheet(library, radio, "a", opens=True).options == ("Late Harbour", "Small Hours")
    assert sheet(library, radio, "b", opens=True).options == ("Small Hours", "Late Harbour")
    assert sheet(library, gym, "b", opens=True).options == ("single month", "full year")


def test_sheet_holds_own_prices_only(library: Library) -> None:
    sewing = library.scenarios["t4_4_sewing"]
    buyer = sheet(library, sewing, "b", opens=False)
    assert (buyer.open_price, buyer.limit_price, buyer.unit) == (90, 150, "euros")
    assert "180" not in buyer.model_dump_json()
    assert "120" not in buyer.model_dump_json()


@pytest.mark.parametrize("opens", [True, False])
def test_sheet_says_who_opens(library: Library, opens: bool) -> None:
    for scenario, seat in every_seat(library):
        assert sheet(library, scenario, seat, opens).opens is opens
        assert ("You speak first" in prompt(library, scenario, seat, opens).text) is opens


def test_rivals_share_the_tactic(library: Library) -> None:
    guides = library.scenarios["t3_1_guides"]
    assert {sheet(library, guides, seat, opens=False).tactic for seat in SEATS} == {"cut-in"}
