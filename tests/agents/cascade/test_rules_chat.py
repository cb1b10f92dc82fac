"""The rules without a role: they answer whatever is asked, in English, and begin nothing."""

from __future__ import annotations

import numpy as np
import pytest

from dyad.agents.cascade import parts
from dyad.agents.cascade.family import FAMILY, render
from dyad.agents.cascade.parts import make_policy
from dyad.agents.cascade.rules import Chat
from dyad.agents.cascade.tongues import tongue
from dyad.agents.cascade.types import CascadeParams, Policy, Say
from dyad.bridge.protocol import Demand
from dyad.errors import ConfigError
from dyad.spec import AgentSpec, Prompt, Sheet
from dyad.text import tokens

QUESTIONS = (
    "Can you explain how a heat pump works?",
    "Which bus goes to the museum?",
    "Thanks.",
    "No, that was yesterday, and then it rained all day and everybody went home.",
    "Hm?",
    "42",
    "Что это?",
)


def chat(seed: int = 3) -> Policy:
    return make_policy(CascadeParams(), Prompt(text="Be helpful."), np.random.default_rng(seed))


def texts(said: list[Say] | tuple[Say, ...]) -> list[str]:
    return [say.text for say in said]


def test_a_prompt_without_a_sheet_makes_a_chat_and_one_with_a_sheet_a_role():
    sheet = Sheet(archetype="t1_1", kind="engaged", name="Anna", setting="A bus stop.", opens=False)
    assert isinstance(chat(), Chat)
    acted = make_policy(CascadeParams(), Prompt(text="", sheet=sheet), np.random.default_rng(3))
    assert not isinstance(acted, Chat)


def test_it_answers_every_turn_in_sentences():
    policy = chat()
    for question in QUESTIONS:
        said = policy.hear(question)
        assert [say.act for say in said[:1] + said[2:]] == ["begin", "more", "more", "more", "end"]
        assert len({say.text for say in said}) == 6
        assert all(text[0].isupper() and text.endswith(".") and "{" not in text for text in texts(said))


@pytest.mark.parametrize(
    ("asked", "word"),
    [("Which bus goes to the museum?", "museum"), ("Is concrete better than wood?", "concrete")],
)
def test_it_takes_up_the_longest_word_of_a_question(asked: str, word: str):
    about = chat().hear(asked)[1]
    assert about.act == "about"
    assert word in tokens(about.text)


def test_it_takes_up_nothing_where_nothing_was_said():
    assert [say.act for say in chat().hear("Go on then.")][1] == "react"


@pytest.mark.parametrize("heard", ["", "  ", "\n"])
def test_it_asks_again_when_nothing_was_understood(heard: str):
    (said,) = chat().hear(heard)
    assert said.act == "unclear"
    assert "again" in said.text


def test_it_begins_no_talk_and_bears_silence():
    policy = chat()
    policy.hear(QUESTIONS[0])
    assert [*policy.open(), *policy.partial("Can you"), *policy.silence(60.0)] == []
    assert policy.finished is False


def test_a_seed_decides_what_it_says():
    def talk(seed: int) -> list[list[str]]:
        policy = chat(seed)
        return [texts(policy.hear(question)) for question in QUESTIONS]

    assert talk(3) == talk(3)
    assert talk(3) != talk(4)


def test_silence_and_what_was_cut_short_draw_nothing():
    one, other = chat(), chat()
    first = one.hear(QUESTIONS[0])
    other.hear(QUESTIONS[0])
    other.silence(5.0)
    other.partial("and")
    other.spoken(first[0], 0.3)
    assert texts(one.hear(QUESTIONS[1])) == texts(other.hear(QUESTIONS[1]))


def test_without_expectations_the_light_ears_hear_anything():
    for package in ("pocketsphinx", "hibari", "onnxruntime"):
        pytest.importorskip(package)
    from scipy.signal import resample_poly

    from dyad.speech.voices import load_voice

    spoken = load_voice("hibari", "heart")("The weather is very good today.").pcm
    pcm = np.concatenate([resample_poly(spoken, 2, 3), np.zeros(8_000)]).astype(np.float32)
    ears = parts._light_ears(chat(), tongue("en"))
    assert ears is not None
    for at in range(0, len(pcm) - 1_280, 1_280):
        ears.feed(pcm[at : at + 1_280])
    assert {"weather", "today"} <= set(tokens(ears.end()))


def test_there_are_no_light_ears_for_other_languages():
    assert parts._light_ears(chat(), tongue("fr")) is None


def test_other_languages_are_refused_in_one_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(
        parts, "check_language", lambda *_: None
    )  # which voices and ears are here is not asked
    told, spec = render(Prompt(text="Sois gentil.")), AgentSpec(name="x", adapter="cascade", params={})
    FAMILY.check(spec, Demand(1, 10, (told,), "cpu", ("en",)))
    with pytest.raises(
        ConfigError, match=r"^the cascade's rules talk .* English only, not 'fr'; use policy=llm$"
    ):
        FAMILY.check(spec, Demand(1, 10, (told,), "cpu", ("en", "fr")))
    model = spec.model_copy(update={"params": {"policy": "llm"}})
    FAMILY.check(model, Demand(1, 10, (told,), "cpu", ("fr",)))
