"""Freeze-Omni in its own interpreter: a gate, units of 160 ms, and a reply that is written phrase by phrase.

The model's state is a plain dict that goes in and comes out of `speech_dialogue`; its `stat` says what comes
next: `sl` a turn of the other begins, `cl` it goes on, `el` it was no turn, `ss` it is over and the reply
begins, `cs` the reply goes on. A reply is written only as far as it is spoken: the next phrase when the
play-out queue holds less than the coming tick, so that the model's memory is never more than one phrase ahead
of its voice. Whatever the other says while the gate is shut is not heard, which is upstream's way.
"""

from __future__ import annotations

import copy
import json
import re
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from dyad.host.worker import RATE, TICK, Floats, Line, Said, Units

WEIGHTS, LLM = "VITA-MLLM/Freeze-Omni", "Qwen/Qwen2-7B-Instruct"
UNIT = 2_560  # samples at 16 kHz
WIDTH = 896  # of the speech decoder's input
MOST_TOKENS = 500  # of one reply
LEAST_TOKENS = 4  # of a phrase
LONG = 20  # tokens of a phrase that may end with a comma
ENDS = ("。", "：", "？", "！", ".", "?", "!", "\n")
PAUSES = (*ENDS, ",", "，", ":")
START_LEVEL = 0.03  # of the first sound of a reply; what is quieter before it is cut
# Settings of the speech decoder, as released; the checkpoint's server.json has them too, and goes first.
SERVER = {
    "decoder_first_chunk_size": 20,
    "decoder_chunk_size": 40,
    "decoder_chunk_overlap_size": 10,
    "decoder_seg_threshold_first_pack": 0.1,
    "decoder_seg_threshold": 0.015,
    "decoder_top_k": 2,
    "decoder_penalty_window_size": -1,
    "decoder_penalty": 1.1,
    "decoder_N": 2401,
}


class Model:
    """The pipeline and the speech decoder; neither keeps anything of a row."""

    def __init__(self, options: dict[str, Any], device: str) -> None:
        from models.decoder.llm2tts import llm2TTS  # type: ignore[import-not-found]
        from models.pipeline import inferencePipeline  # type: ignore[import-not-found]

        folders = options["weights"]
        folder = f"{folders[WEIGHTS]}/checkpoints"
        sampling = {name: options[name] for name in ("top_k", "top_p", "temperature")}
        args = {"model_path": folder, "llm_path": folders[LLM], **sampling}
        self.device = device
        self.pipeline = inferencePipeline(SimpleNamespace(**args))
        self._decoder = llm2TTS(folder)
        self._settings = _settings(Path(folder) / "server.json")

    def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row:
        """Start a row that has read its role."""
        known = (
            self.pipeline.speech_dialogue(None, stat="pre", role=prompt) if prompt.strip() else self._stock()
        )
        return Row(self, known)

    def _stock(self) -> dict[str, Any]:
        """Return the state of one who was given no role: upstream's server tells every user its own."""
        from web.parms import GlobalParams  # type: ignore[import-not-found]

        user = SimpleNamespace(pipeline_proc=self.pipeline)
        pool = SimpleNamespace(acquire=lambda: user)
        known: dict[str, Any] = GlobalParams(pool, pool).system_role
        return known

    def numerics(self) -> dict[str, str]:
        """Return what could change the last bits."""
        import torch

        place = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
        return {"torch": torch.__version__, "device": place}

    def listen(self, state: dict[str, Any], features: Any) -> dict[str, Any]:
        """Return the state after one unit of the other's turn, features [1, 19, 80]."""
        import torch

        return self._dialogue(torch.tensor(features), state)

    def write(self, state: dict[str, Any]) -> dict[str, Any]:
        """Return the state after one more token of the reply."""
        return self._dialogue(None, state)

    def _dialogue(self, features: Any, state: dict[str, Any]) -> dict[str, Any]:
        given = {key: value for key, value in state.items() if key not in ("text", "hidden_state")}
        after: dict[str, Any] = self.pipeline.speech_dialogue(features, **given)
        return after

    def speak(self, phrase: str, hidden: list[Any], first: bool) -> Floats:
        """Return the sound of a phrase, float32 [n], from its text and the states behind its tokens."""
        import torch

        tokens = self.pipeline.model.tokenizer.encode(self.pipeline.post_process(phrase))
        known = self.pipeline.model.llm_decoder.model.embed_tokens(torch.tensor(tokens).to(self.device))
        set_to = self._settings
        segments = self._decoder.run(
            known.reshape(-1, WIDTH).unsqueeze(0),
            set_to["decoder_top_k"],
            torch.cat(hidden).squeeze(1).reshape(-1, WIDTH).unsqueeze(0),
            set_to["decoder_first_chunk_size" if first else "decoder_chunk_size"],
            set_to["decoder_chunk_overlap_size"],
            set_to["decoder_penalty_window_size"],
            set_to["decoder_penalty"],
            set_to["decoder_N"],
            set_to["decoder_seg_threshold_first_pack" if first else "decoder_seg_threshold"],
        )
        pcm = [segment.float().cpu().numpy().reshape(-1) for segment in segments]
        if first and pcm:
            pcm[0] = _from_first_sound(pcm[0])
        return np.concatenate([np.zeros(0, np.float32), *pcm]).clip(-1.0, 1.0)


def _settings(path: Path) -> dict[str, Any]:
    return {**SERVER, **(json.loads(path.read_text("utf-8")) if path.is_file() else {})}


def _from_first_sound(pcm: Floats) -> Floats:
    loud = np.flatnonzero(np.abs(pcm) > START_LEVEL)
    return pcm[loud[0] :] if len(loud) else pcm


@dataclass
class Reply:
    """A reply in the making: the model's state, and what of its text has no sound yet."""

    state: dict[str, Any]
    hidden: list[Any]
    written: str = ""
    phrase: str = ""
    spoken: int = 0  # phrases
    over: bool = False

    def next(self, model: Model) -> tuple[str, Floats]:
        """Write and speak the next phrase; when there is none, it is empty and the reply is over."""
        while not self.over and not self._token(model):
            pass
        phrase, hidden = self.phrase, self.hidden
        self.phrase, self.hidden = "", []
        if not phrase.strip() or not hidden:
            return "", np.zeros(0, np.float32)
        self.spoken += 1
        return phrase, model.speak(phrase, hidden, self.spoken == 1)

    def _token(self, model: Model) -> bool:
        """Write one token; True when it ends a phrase."""
        if len(self.state["past_tokens"]) > MOST_TOKENS:
            self.over = True
            return False
        self.state = model.write(self.state)
        if self.state["stat"] != "cs":
            self.over = True
            return False
        self.hidden.append(self.state["hidden_state"])
        new = self.state["text"][len(self.written) :]
        if "\ufffd" in new:  # part of a character
            return False
        before, self.written = self.written, self.state["text"]
        self.phrase += new
        return self._ends(new, before)

    def _ends(self, new: str, before: str) -> bool:
        ends = ENDS if self.spoken and len(self.hidden) < LONG else PAUSES
        number = new.endswith(".") and before[-1:].isdigit()
        return new.endswith(ends) and len(self.hidden) >= LEAST_TOKENS and not number


class Row:
    """One dialogue. All but the model is plain state."""

    def __init__(self, model: Model, known: dict[str, Any]) -> None:
        """`known`: the model's state after the role."""
        from web.vad import VAD  # type: ignore[import-not-found]

        self._model, self._known = model, known
        self._turn: dict[str, Any] | None = None  # of the other, while it lasts
        self._reply: Reply | None = None
        self._words: list[tuple[int, str]] = []  # whose sound has not begun
        self._units, self._line, self._gate = Units(UNIT), Line(RATE), VAD()

    def step(self, tick: int, heard: Floats, played: int) -> Said:
        """Hear what has come, then say what the coming tick needs."""
        begun = [self._hear(unit) for unit in self._units(heard)]
        if flush := any(begun):
            self._line.flush(played)
            self._words = []
        pcm = self._speak(tick, played)
        due = [(at, word, "own") for at, word in self._words if at < (tick + 1) * TICK]
        self._words = self._words[len(due) :]
        speaking = self._reply is not None or self._line.waiting(played) >= TICK
        return Said(pcm, due, speaking, flush)

    def save(self) -> dict[str, Any]:
        """Return a copy of everything that is this row's."""
        return copy.deepcopy({key: value for key, value in vars(self).items() if key != "_model"})

    def restore(self, state: dict[str, Any]) -> None:
        """Become a saved row."""
        vars(self).update(copy.deepcopy(state))

    def _hear(self, unit: Floats) -> bool:
        """Give one unit to the gate and, while that is open, to the model; True when a reply begins."""
        found = self._gate.predict(unit)
        if found["status"] == "sl":
            self._turn = self._begun(found["feature_last_chunk"])
        if found["status"] == "el":  # it has waited long enough, and the model has not decided
            self._gate.in_dialog = False
        if found["status"] not in ("sl", "cl") or self._turn is None:
            return False
        if self._turn["stat"] == "cl":
            self._turn = self._model.listen(self._turn, found["feature"])
        if self._turn["stat"] in ("el", "ss"):
            self._gate.in_dialog = False
        return self._turn["stat"] == "ss" and self._answer()

    def _begun(self, before: list[Any]) -> dict[str, Any]:
        """Return a turn of which the model has heard the units just before the gate opened."""
        turn = {"past_key_values": self._known["past_key_values"], "stat": "sl"}
        for index, features in enumerate(before):
            if turn["stat"] in ("sl", "cl"):
                turn = self._model.listen(turn, features)
            if index:  # upstream overrules what the model decides about these
                turn["stat"] = "cl"
        return turn

    def _answer(self) -> bool:
        assert self._turn is not None
        begun = self._model.write(self._turn)
        self._turn, self._known = None, begun
        self._reply = Reply(begun, [begun["hidden_state"]]) if begun["stat"] == "cs" else None
        return True

    def _speak(self, tick: int, played: int) -> Floats:
        pcm = [np.zeros(0, np.float32)]
        while self._reply and self._line.waiting(played) < TICK:
            phrase, sound = self._reply.next(self._model)
            self._known = self._reply.state
            self._words += _spread(phrase, self._line.starts(tick, played), len(sound))
            self._line.give(len(sound))
            pcm.append(sound)
            if self._reply.over:
                self._reply = None
        return np.concatenate(pcm)


def _spread(phrase: str, at: int, samples: int) -> list[tuple[int, str]]:
    """Place words in their phrase's sound by their share of its letters."""
    words = list(re.finditer(r"\s*\S+", phrase))
    return [(at + samples * word.start() // len(phrase), word.group()) for word in words]
