"""VITA-1.5 in its own interpreter: a gate cuts turns, the model answers each as a whole, phrase by phrase.

As in upstream's demo, the whole answer is written before its first sound. Here that takes no time, so the
only delay is that of the gate. A turn of less than a second is dropped, but the silence that ends it and the
unit before it count, so hardly any is. Any other is answered, and so stops the answer before it, though not
before it is over. The model remembers one exchange.

The gate is after the demo of VITA 1.0, which answers in the same terms, with the detector as its package has
it. Two things of the demo are left out: formulas are not read as Chinese words, and its mark of an answer's
first phrase does not get into the model's memory.
"""

from __future__ import annotations

import ast
import copy
import json
import os
import re
import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from dyad.host.worker import RATE, TICK, Floats, Line, Said, Units

WEIGHTS = "VITA-MLLM/VITA-1.5"
RATE_IN, UNIT, WINDOW = 16_000, 4_096, 512  # samples at 16 kHz
LEAST = RATE_IN  # samples of a turn
THRESHOLD, HANGOVER_MS = 0.7, 500
WIDTH = 896  # of the speech decoder's input
TOP_K, PADDING = 2, 10
CHUNK, LEVEL = (40, 20), (0.015, 0.1)  # of the speech decoder: later phrases, and the first
START_LEVEL = 0.03  # of sound in a first phrase; what is quieter before it is cut
MARKS = ",，.。?？!！、\n"
LETTERS = 5  # of a phrase, at least
SIGNS = re.compile(r"☞ ?|☟|☜|<unk>|<\|im_end\|>")
SERVER, WANTED = "web_demo.server", ("merge_current_and_history", "tokenizer_image_audio_token")
MODELS, PATCH = "vllm.model_executor.models", "vllm_tools/vllm_file"
AIRPORTS = "pyairports.airports"
TABLE, INDEX = "model.embed_tokens.weight", "model.safetensors.index.json"


class Model:
    """The language model and the speech decoder; neither keeps anything of a row."""

    def __init__(self, options: dict[str, Any], device: str) -> None:
        _prepare()
        from transformers import AutoFeatureExtractor, AutoTokenizer  # type: ignore[import-not-found]
        from vita.model.vita_tts.decoder.llm2tts import llm2TTS  # type: ignore[import-not-found]
        from vllm import LLM, SamplingParams  # type: ignore[import-not-found]

        folder = options["weights"][WEIGHTS]
        self._llm = LLM(
            model=folder,
            dtype="float16",
            tensor_parallel_size=1,
            trust_remote_code=True,
            gpu_memory_utilization=options["gpu_share"],
            disable_custom_all_reduce=True,
            limit_mm_per_prompt={"audio": 2},
        )
        self._sampling = SamplingParams(
            temperature=0.001, max_tokens=512, best_of=1, skip_special_tokens=False
        )
        self._tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
        self._features = AutoFeatureExtractor.from_pretrained(
            folder, subfolder="feature_extractor", trust_remote_code=True
        )
        self._demo, self._device = _functions(SERVER, WANTED), device
        self._embedding = _embedding(Path(folder)).to(device)
        self._decoder = llm2TTS(f"{folder}/vita_tts_ckpt/")

    def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row:
        """Start a row; the model has a role of its own."""
        return Row(self)

    def numerics(self) -> dict[str, str]:
        """Return what could change the last bits."""
        import torch

        place = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
        return {"torch": torch.__version__, "device": place}

    def answer(self, turn: Floats, history: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the exchange of a turn and its answer, which is `response`; `history`: those before it."""
        import torch

        sound = torch.from_numpy(turn)[None]
        heard = self._features(sound, sampling_rate=RATE_IN, return_tensors="pt")["input_features"].squeeze(0)
        asked = {"prompt": "<audio>", "multi_modal_data": {"audio": [heard]}}
        inputs = self._demo["merge_current_and_history"](
            history, dict(asked), skip_history_vision=True, move_image_token_to_start=True
        )
        tokens = self._demo["tokenizer_image_audio_token"](inputs.pop("prompt"), self._tokenizer)
        inputs["prompt_token_ids"] = tokens
        (output,) = self._llm.generate(inputs, sampling_params=self._sampling)
        return {**asked, "response": output.outputs[0].text}

    def speak(self, phrase: str, first: bool) -> Floats:
        """Return the sound of a phrase, float32 [n]."""
        import torch

        text = (re.sub("[,，]", "。", phrase) if first else phrase).lower()
        tokens = torch.tensor(self._tokenizer.encode(text)).to(self._device)
        segments = self._decoder.run(
            torch.nn.functional.embedding(tokens, self._embedding).reshape(-1, WIDTH).unsqueeze(0),
            TOP_K,
            None,
            codec_chunk_size=CHUNK[first],
            codec_padding_size=PADDING,
            seg_threshold=LEVEL[first],
        )
        pcm = [segment.float().cpu().numpy().reshape(-1) for segment in segments]
        if first:
            pcm = [_from_first_sound(segment) for segment in pcm]
        return np.concatenate([np.zeros(0, np.float32), *pcm]).clip(-1.0, 1.0)


class Overlay:
    """Finds a package in one folder first, then where it is installed: nothing has to be copied into it."""

    def __init__(self, package: str, folder: Path) -> None:
        self._package, self._folder = package, folder

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return how the package is loaded; other modules are for the other finders."""
        installed = PathFinder.find_spec(name, path) if name == self._package else None
        if installed is None:
            return None
        places = [str(self._folder), *(installed.submodule_search_locations or ())]
        return spec_from_file_location(name, self._folder / "__init__.py", submodule_search_locations=places)


def _prepare() -> None:
    """Let vLLM be imported, and know upstream's model, as if upstream's files had been copied into it.

    vLLM imports outlines for answers of a given form, which nobody asks for here, and that imports a list of
    airports, which is gone from PyPI.
    """
    sys.meta_path.insert(0, Overlay(MODELS, _file_of(SERVER).parent / PATCH))
    if find_spec("pyairports") is None:
        airports: Any = ModuleType(AIRPORTS)
        airports.AIRPORT_LIST = []
        sys.modules |= {"pyairports": ModuleType("pyairports"), AIRPORTS: airports}


def _embedding(folder: Path) -> Any:
    """Return the language model's table of tokens, in float32; upstream builds the whole model to have it."""
    from safetensors import safe_open

    part = json.loads((folder / INDEX).read_text("utf-8"))["weight_map"][TABLE]
    with safe_open(folder / part, framework="pt") as tensors:
        return tensors.get_tensor(TABLE).float()


def _file_of(module: str) -> Path:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin)


def _functions(module: str, names: tuple[str, ...]) -> dict[str, Any]:
    """Return functions of a module without running it: upstream's server reads a command line at once."""
    file = _file_of(module)
    kept: list[ast.stmt] = [
        node
        for node in ast.parse(file.read_text("utf-8")).body
        if (isinstance(node, ast.FunctionDef) and node.name in names)
        or (isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant))
    ]
    space: dict[str, Any] = {"os": os, "re": re}
    exec(compile(ast.Module(kept, []), str(file), "exec"), space)
    return space


def _from_first_sound(pcm: Floats) -> Floats:
    loud = np.flatnonzero(np.abs(pcm) > START_LEVEL)
    return pcm[loud[0] :] if len(loud) else pcm


class Gate:
    """Cuts turns out of what is heard, each with the unit before it and the silence that ends it."""

    def __init__(self) -> None:
        from silero_vad import VADIterator, load_silero_vad  # type: ignore[import-not-found]

        self._find = VADIterator(load_silero_vad(), threshold=THRESHOLD, min_silence_duration_ms=HANGOVER_MS)
        self._before, self._turn = np.zeros(0, np.float32), list[Floats]()

    def __call__(self, unit: Floats) -> Floats | None:
        """Take one unit, float32 [4096], and return the turn that it ends."""
        import torch

        if self._turn:
            self._turn.append(unit)
        found = [
            event for window in torch.from_numpy(unit).reshape(-1, WINDOW) if (event := self._find(window))
        ]
        ended = None
        for event in found:
            if "start" in event:
                self._turn = [self._before, unit]
            elif self._turn:
                ended, self._turn = np.concatenate(self._turn), []
                self._find.reset_states()
        if not found:
            self._before = unit
        return ended


class Row:
    """One dialogue. All but the model is plain state."""

    def __init__(self, model: Model) -> None:
        self._model, self._gate = model, Gate()
        self._history: list[dict[str, Any]] = []  # the last exchange
        self._phrases: list[str] = []  # that are still to be spoken
        self._first = True  # whether the next one begins an answer
        self._words: list[tuple[int, str]] = []  # whose sound has not begun
        self._units, self._line = Units(UNIT), Line(RATE)

    def step(self, tick: int, heard: Floats, played: int) -> Said:
        """Hear what has come, then say what the coming tick needs."""
        turns = [turn for unit in self._units(heard) if (turn := self._gate(unit)) is not None]
        answered = [turn for turn in turns if len(turn) >= LEAST]
        for turn in answered:
            self._answer(turn, played)
        pcm = self._speak(tick, played)
        due = [(at, word, "own") for at, word in self._words if at < (tick + 1) * TICK]
        self._words = self._words[len(due) :]
        speaking = bool(self._phrases) or self._line.waiting(played) >= TICK
        return Said(pcm, due, speaking, flush=bool(answered))

    def save(self) -> dict[str, Any]:
        """Return a copy of everything that is this row's."""
        return copy.deepcopy({key: value for key, value in vars(self).items() if key != "_model"})

    def restore(self, state: dict[str, Any]) -> None:
        """Become a saved row."""
        vars(self).update(copy.deepcopy(state))

    def _answer(self, turn: Floats, played: int) -> None:
        exchange = self._model.answer(turn, self._history)
        self._history = [exchange] if exchange["response"] else self._history
        self._phrases, self._first, self._words = phrases(exchange["response"]), True, []
        self._line.flush(played)

    def _speak(self, tick: int, played: int) -> Floats:
        pcm = [np.zeros(0, np.float32)]
        while self._phrases and self._line.waiting(played) < TICK:
            phrase = self._phrases.pop(0)
            sound = self._model.speak(phrase, self._first)
            self._words += _spread(phrase, self._line.starts(tick, played), len(sound))
            self._line.give(len(sound))
            pcm.append(sound)
            self._first = False
        return np.concatenate(pcm)


def phrases(text: str) -> list[str]:
    """Cut an answer at its marks, as upstream does: what comes after the last of them is not said."""
    found, phrase = list[str](), ""
    for piece in re.findall(f"[^{MARKS}]*[{MARKS}]", SIGNS.sub("", text)):
        phrase += piece
        if len(phrase) >= LETTERS or not found:
            found.append(phrase)
            phrase = ""
    return [one for one in [*found, phrase] if one.strip()]


def _spread(phrase: str, at: int, samples: int) -> list[tuple[int, str]]:
    """Place words in their phrase's sound by their share of its letters."""
    words = list(re.finditer(r"\s*\S+", phrase))
    return [(at + samples * word.start() // len(phrase), word.group()) for word in words]
