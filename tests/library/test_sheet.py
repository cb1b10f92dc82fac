"""What a seat is told: exactly its own role, never the truth or the other seat's private facts."""

from __future__ import annotations

import pytest
import yaml

from dyad.library import Library, PoolTruth, SecretTruth, builtin_root, prompt, role_of, sheet, truth_of
from dyad.library.sheet import spaced
from dyad.spec import SEATS, Scenario, Seat, other
from dyad.spec.scenario import Role

MAREN = """\
A minibus for sixteen is needed for Sunday's choir trip, and five firms replied: Kendall, Tilbury, Mercer, \
Bennett and Robinson.

You are Maren. You want one name on the form today. Kendall's minibus is in the workshop until after the \
weekend. Bennett sends no driver, and nobody in the choir can drive one. The conductor's sister swears by \
Mercer.
You have about 45 seconds.
You speak first; start talking now."""


Played = list[tuple[Scenario, Role, Role]]


def private_texts(role: Role) -> list[str]:
    """What only a seat knows; the pass word of an authorised call is known to both."""
    cues = (*role.reasons, *role.points, *role.steps, *role.duties)
    items = [item.text for item in role.private if item.kind != "passphrase"]
    return [*items, *(cue.text for cue in cues), *role.episodes]


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
    for scenario in library.scenarios.values():
        for seat in scenario.seats if scenario.twin != "full" else ():
            told = prompt(library, scenario, seat, opens=True, window_s=60)
            everything = told.text + (told.sheet.model_dump_json() if told.sheet else "")
            for text in private_texts(role_of(library, scenario, other(seat))):
                assert text not in everything, (scenario.id, seat)


def test_only_the_defender_knows_the_secret(library: Library) -> None:
    for scenario in library.scenarios.values():
        truth = truth_of(scenario)
        if isinstance(truth, SecretTruth):
            attacker, defender = (prompt(library, scenario, seat, opens=True) for seat in SEATS)
            spaced = "" if scenario.lang in ("ja", "zh") else " "
            assert truth.secret not in attacker.model_dump_json().lower()
            assert truth.secret.replace(" ", spaced) in defender.text.lower(), scenario.id
            assert sheet(library, scenario, "b", opens=False).secret == truth.secret
            assert sheet(library, scenario, "a", opens=False).secret == ""


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
def test_the_seat_that_opens_is_told_so_in_its_language(library: Library, opens: bool) -> None:
    lines = yaml.safe_load((builtin_root() / "roles/_lines.yaml").read_text("utf-8"))
    for scenario in library.scenarios.values():
        for seat in scenario.seats:
            told = prompt(library, scenario, seat, opens)
            assert told.sheet is not None
            assert told.sheet.opens is opens
            assert told.sheet.lang == scenario.lang
            assert told.text.endswith(f"\n{lines[scenario.lang]['opening']}") is opens


def test_the_window_is_told_in_whole_seconds_before_the_opening(library: Library) -> None:
    for lang, says in (("fr", "45 secondes"), ("ja", "45秒"), ("zh", "45秒")):
        for scenario in library.scenarios.values():
            if scenario.lang == lang and not scenario.free:
                window = prompt(library, scenario, "a", opens=True, window_s=44.9).text.splitlines()[-2]
                assert says in window


@pytest.mark.parametrize(
    ("sentences", "text"),
    [
        (["One.", "Two.", ""], "One. Two."),
        ([" One. ", "\nTwo."], "One. Two."),
        (["一つ。", "二つ。", "三つ"], "一つ。二つ。三つ"),
        (["一つ", "二つ。"], "一つ 二つ。"),
    ],
)
def test_sentences_are_joined_as_their_script_is_written(sentences: list[str], text: str) -> None:
    assert spaced(sentences) == text


def test_a_sheet_of_each_twin_says_what_its_role_says(library: Library, played: Played) -> None:
    for scenario, role, _ in played:
        seat = next(seat for seat, ref in scenario.seats.items() if ref.role == role.id)
        own = sheet(library, scenario, seat, opens=False)
        assert (own.kind, own.name, own.private, own.reasons) == (
            role.kind,
            role.name,
            role.private,
            role.reasons,
        )


def test_rivals_share_the_tactic(library: Library) -> None:
    guides = library.scenarios["t3_1_guides"]
    assert {sheet(library, guides, seat, opens=False).tactic for seat in SEATS} == {"cut-in"}
