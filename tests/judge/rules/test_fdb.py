"""Full-Duplex-Bench by rules: replies to interruptions, and what is done under an overlap."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from dyad.judge.case import Excerpt
from dyad.judge.evidence import MOST_WORDS, check, passages
from dyad.judge.questions import question
from dyad.judge.rules import label, reads
from dyad.spec import Label

WORKED_ON = yaml.safe_load((Path(__file__).parents[1] / "development_fdb.yaml").read_text("utf-8"))
FLOUR = "First you sieve the flour into a bowl. Then you add"
CLEAN = f"[2.00-12.00] {FLOUR} two eggs and the milk, and stir until it is smooth."
ASKED = "[0.20-1.60] How do I make pancakes?"


def answer(noisy: str, overlap: str = "[4.00-5.50] Do you have an oven?", **parts: str) -> Label:
    """The behaviour in `noisy`, from 4.00 s on beside an overlap."""
    shown = {
        "input_clean": ASKED,
        "input_noisy": f"{ASKED}\n{overlap}",
        "output_clean": CLEAN,
        "output_noisy": noisy,
    }
    (found,) = label(Excerpt("fdb", shown | parts))
    assert check(found.evidence, passages(Excerpt("fdb", shown | parts)).values()) == "ok"
    return found


def ratings() -> Iterator[tuple[str, Excerpt]]:
    for case in WORKED_ON["rating"]:
        parts = {name: case[name] for name in ("context", "interruption")}
        yield from ((right, Excerpt("fdb", {**parts, "reply": reply})) for right, reply in case["replies"])


def behaviours() -> Iterator[tuple[str, Excerpt]]:
    for case in WORKED_ON["behaviour"]:
        asked, before = f"[0.20-2.00] {case['context']}", f"[2.80-6.40] {case['before']}"
        for right, after in case["after"]:
            yield (
                right,
                Excerpt(
                    "fdb",
                    {
                        "input_clean": asked,
                        "input_noisy": f"{asked}\n[5.20-7.00] {case['overlap']}",
                        "output_clean": f"[2.80-14.00] {case['clean']}",
                        "output_noisy": f"{before}\n[8.20-11.00] {after}" if after else before,
                    },
                ),
            )


def test_ratings_worked_on() -> None:
    given = [(right, *label(shown)) for right, shown in ratings()]
    assert {right for right, _ in given} == set(question("fdb.rating").labels)
    assert sum(right == found.label for right, found in given) >= 0.95 * len(given)
    assert max(abs(int(right) - int(found.label or 9)) for right, found in given) <= 2


@pytest.mark.parametrize(("right", "shown"), list(behaviours()))
def test_behaviours_worked_on(right: str, shown: Excerpt) -> None:
    (found,) = label(shown)
    assert (found.label, found.status) == (right, "ok")


@pytest.mark.parametrize("shown", [shown for _, shown in (*ratings(), *behaviours())])
def test_what_rests_on_words_cites_them(shown: Excerpt) -> None:
    (found,) = label(shown)
    rests = found.label not in question(found.question).negative
    assert len(found.evidence) == rests
    assert check(found.evidence, passages(shown).values()) == "ok"
    assert all(len(x.quote.split()) <= MOST_WORDS for x in found.evidence)
    assert label(shown) == [found]


# -- what is new -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("noisy", "right"),
    [
        (CLEAN, "C_UNKNOWN"),  # talks right through
        (f"[2.00-3.80] {FLOUR}", "C_UNKNOWN"),  # stops for good
        (f"[2.00-4.40] {FLOUR}\n[7.00-9.00] two eggs and the milk.", "C_RESUME"),
        # the rest of a sentence that was under way is not new, what follows it is
        (f"[2.00-3.90] {FLOUR}\n[4.50-5.20] two eggs.", "C_UNKNOWN"),
        (f"[2.00-3.90] {FLOUR}\n[4.50-5.20] two eggs.\n[6.50-8.00] Yes, I have an oven.", "C_RESPOND"),
        # a sentence of the same stretch is new where it turns
        (f"[2.00-8.00] {FLOUR} two eggs. Sorry, I did not catch that.", "C_UNCERTAIN_HANDLING"),
        (f"[2.00-8.00] {FLOUR} two eggs. An oven is not needed.", "C_RESPOND"),
        (f"[2.00-8.00] {FLOUR} two eggs. Anyway, back to the milk.", "C_RESUME"),
        # but not where it was said before the overlap
        ("[2.00-4.20] Sorry, I did not catch that. Then you sieve the flour.", "C_UNKNOWN"),
        # a short pause does not end a stretch, a long one does
        (f"[2.00-4.40] {FLOUR}\n[6.00-6.50] Well, um.\n[7.20-8.00] No oven is needed.", "C_RESPOND"),
        (f"[2.00-4.40] {FLOUR}\n[6.00-6.50] Well, um.\n[8.20-9.00] No oven is needed.", "C_UNKNOWN"),
        # a short yes is read with what follows
        (f"[2.00-4.40] {FLOUR}\n[6.00-9.00] Of course! A pan will do.", "C_RESPOND"),
        (f"[2.00-4.40] {FLOUR}\n[6.00-7.00] Of course!", "C_UNKNOWN"),
        # who did not catch something and answers all the same has caught it
        (f"[2.00-4.40] {FLOUR}\n[6.00-9.00] Sorry, what was that? The oven? Not needed.", "C_RESPOND"),
        (f"[2.00-4.40] {FLOUR}\n[6.00-9.00] What was that? Anyway, the eggs.", "C_UNCERTAIN_HANDLING"),
    ],
)
def test_the_first_new_stretch_decides(noisy: str, right: str) -> None:
    assert answer(noisy).label == right


def test_the_overlap_is_what_the_clean_input_lacks() -> None:
    oven = f"[2.00-4.40] {FLOUR}\n[7.00-9.00] You need no oven."
    assert answer(oven).label == "C_RESPOND"
    one_row = "[0.20-5.50] How do I make pancakes? Do you have an oven?"
    assert answer(oven, input_noisy=one_row).label == "C_RESPOND"
    misheard = "[0.20-1.60] How do I make pen cakes?\n[4.00-5.50] Do you have an oven?"
    assert answer(oven, input_noisy=misheard).label == "C_RESPOND"
    cited = answer(oven).evidence[0]
    assert (cited.line, cited.quote) == ("output_noisy2", "You need no oven.")


# -- what cannot be read -----------------------------------------------------------------------------


def test_what_is_not_known_is_missing() -> None:
    same = answer(CLEAN, input_noisy=ASKED)  # the overlap was too faint to be heard
    assert (same.label, same.status) == (None, "unsupported")
    parts = {"context": "How do I make pancakes?", "interruption": "", "reply": "With eggs."}
    (found,) = label(Excerpt("fdb", parts))
    assert (found.label, found.status) == (None, "unsupported")


def test_another_language_is_missing() -> None:
    parts = {"context": "Une recette ?", "interruption": "Sans oignons ?", "reply": "Oui, sans oignons."}
    (found,) = label(Excerpt("fdb", parts, lang="fr"))
    assert (found.label, found.status) == (None, "unsupported_language")


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_silence_has_an_answer(lang: str) -> None:
    parts = {"context": "A quick dinner?", "interruption": "For four, please.", "reply": " "}
    (found,) = label(Excerpt("fdb", parts, lang))
    assert (found.question, found.label, found.status) == ("fdb.rating", "0", "no_speech")


def test_no_question_is_answered_whose_texts_are_not_there() -> None:
    assert label(Excerpt("fdb", {})) == []
    m3 = Excerpt("m3", {"user": "When?", "dialogue": "Hi.", "reply": "At two."})
    assert {(x.label, x.status) for x in label(m3)} == {(None, "unsupported")}
    assert not reads(m3)
