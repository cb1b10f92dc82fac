"""The shipped scenarios themselves, in every language: complete, varied, sealed between the seats.

Words, lengths and runs are counted here anew, not by the library's own functions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from statistics import fmean

import pytest

from dyad.library import INFO, Library, lint, prompt, role_of
from dyad.spec import ARCHETYPES, SEATS, Scenario
from dyad.spec.scenario import Role

Written = Callable[..., list[Scenario]]
Played = list[tuple[Scenario, Role, Role]]
LANGUAGES = ("fr", "ja", "zh")  # beside English
RUN = {
    "en": 5,
    "fr": 5,
    "ja": 12,
    "zh": 8,
}  # words, or characters, that the other seat may not share in a row


def text_of(role: Role) -> str:
    return " ".join([role.brief, *(item.text for item in role.private), role.closing])


def test_twenty_of_each_in_english_and_two_in_each_other_language(written: Written) -> None:
    found = Counter((s.archetype, s.lang, s.split) for s in written())
    expected = {
        (a, "en", split): n for a in ARCHETYPES for split, n in (("test", 12), ("dev", 6), ("held_out", 2))
    }
    expected |= {(a, lang, split): 1 for a in ARCHETYPES for lang in LANGUAGES for split in ("test", "dev")}
    assert found == expected


def test_every_file_is_clean(library: Library) -> None:
    assert [str(finding) for finding in lint(library)] == []


def test_prompts_in_other_languages_hold_no_english_and_no_stray_spaces(library: Library) -> None:
    for id, scenario in library.scenarios.items():
        if scenario.free or scenario.lang == "en":
            continue
        for seat in SEATS:
            text = prompt(library, scenario, seat, opens=seat == "a", window_s=60).text
            wrong = r"  |{|(?<! )[;:?!](?!\S)| [.,]" if scenario.lang == "fr" else r"[A-Za-z{}]|[^\S\n]"
            assert not re.search(wrong, text), (id, seat)
            lines = library.lines[scenario.lang]
            assert text.count(lines.window.format(window=60)) == 1
            assert text.endswith(lines.opening) == (seat == "a")


def test_every_role_is_played(library: Library, played: Played) -> None:
    assert {role.id for _, role, _ in played} == set(library.roles)


def test_every_file_has_the_same_fields_filled(written: Written) -> None:
    for scenario in written():
        assert set(scenario.tags) == {"domain", "channel", "register", "stakes"}, scenario.id
        assert scenario.tags["channel"] in ("face", "phone")
        assert scenario.provenance["licence"] == "CC0-1.0"
        assert scenario.id.startswith(
            f"{scenario.archetype}_{'' if scenario.lang == 'en' else scenario.lang}"
        )


@pytest.mark.parametrize("archetype", ARCHETYPES)
def test_settings_vary(archetype: str, written: Written) -> None:
    files = written(archetype, "en")
    assert len({s.tags["domain"] for s in files}) >= 5
    assert {s.tags["channel"] for s in files} == {"face", "phone"}
    assert len({s.tags["register"] for s in files}) > 1
    assert len({s.setting for s in files}) == len(files)


@pytest.mark.parametrize("archetype", ARCHETYPES)
def test_both_seats_are_told_about_as_much(library: Library, archetype: str, written: Written) -> None:
    files = written(archetype, "en")
    means = [fmean(len(text_of(role_of(library, s, seat)).split()) for s in files) for seat in SEATS]
    assert min(means) >= 0.85 * max(means)


def test_a_name_is_used_at_most_four_times(library: Library) -> None:
    people = {(role.id.partition(".")[0], role.name) for role in library.roles.values()}
    uses = Counter(name for _, name in people)
    assert {name: count for name, count in uses.items() if count > 4} == {}


@cache
def runs(text: str, lang: str) -> frozenset[str]:
    """Every run of words (of characters, where words are not spaced) of the length that would be a leak."""
    said = re.findall(r"[^\W_]+" if lang in ("en", "fr") else r"[^\W_]", text.lower())
    count = RUN[lang]
    return frozenset(" ".join(said[i : i + count]) for i in range(len(said) - count + 1))


def test_no_run_of_a_private_statement_is_told_to_the_other_seat(played: Played) -> None:
    for scenario, role, partner in played:
        told = runs(scenario.setting, scenario.lang) | runs(text_of(partner), scenario.lang)
        for item in role.private if scenario.twin != "full" else ():
            if item.kind != "passphrase":  # which both sides of an authorised call know
                assert not runs(item.text, scenario.lang) & told, (scenario.id, role.name, item.id)


def test_a_run_is_found_where_there_is_one() -> None:
    assert runs("The Heron lies at Copper Ladder.", "en") & runs("There: the heron lies at copper pots", "en")
    assert runs("青い船が朝早く港へと着く", "ja") & runs("では、青い船が朝早く港へと、着く。", "ja")
    assert not runs("One two three four.", "en")


def names_in(scenario: Scenario) -> list[str]:
    """What a listener must catch: candidates, options, lines, the words of a secret."""
    truth = scenario.truth
    return [
        *truth.get("candidates", ()),
        *truth.get("options", {}).values(),
        *truth.get("lines", {}).values(),
        *truth.get("secret", "").split(),
    ]


def test_hotwords_are_the_names_of_the_truth_and_of_the_texts(library: Library, written: Written) -> None:
    for scenario in written():
        texts = [text_of(role_of(library, scenario, seat)) for seat in SEATS]
        told = " ".join([scenario.setting, *texts]).lower()
        hotwords = [word.lower() for word in scenario.asr.get("hotwords", ())]
        assert all(word in told for word in hotwords), scenario.id
        for name in names_in(scenario):
            assert any(name.lower() in word for word in hotwords), (scenario.id, name)


def test_readings_are_given_where_the_writing_does_not_tell(written: Written) -> None:
    for scenario in written():
        readings = scenario.asr.get("readings", {})
        if scenario.lang in ("ja", "zh"):
            assert set(names_in(scenario)) <= set(readings), scenario.id
        written_as = r"[a-z ]+" if scenario.lang == "zh" else r"[\u3041-\u309fー]+"
        assert all(re.fullmatch(written_as, reading) for reading in readings.values()), scenario.id


def test_free_conversations_differ_in_their_language_only(library: Library) -> None:
    free = [scenario for scenario in library.scenarios.values() if scenario.free]
    assert {scenario.archetype for scenario in free} == {"t0"}
    assert len({scenario.lang for scenario in free}) == len(free)
    same = {"id": "t0_x", "lang": "en"}
    assert len({scenario.model_copy(update=same).model_dump_json() for scenario in free}) == 1


def test_archetype_table(library: Library, written: Written) -> None:
    assert [INFO[a].anchor for a in ARCHETYPES] == [None, "a", None, None, "a", None, "a", "a", "a"]
    assert [INFO[a].better for a in ARCHETYPES] == [1, 1, 1, 0, 0, 0, 0, 0, 0]
    assert all(INFO[a].symmetric is (INFO[a].anchor is None) for a in ARCHETYPES)
    seated = {(s.archetype, seat): role_of(library, s, seat).kind for s in written() for seat in SEATS}
    assert seated == {(a, seat): INFO[a].kind(seat) for a in ARCHETYPES for seat in SEATS}
