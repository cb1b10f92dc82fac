"""The `llm` policy: a text model decides what to say (any compatible endpoint, Anthropic, local GGUF)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np

from dyad.errors import ConfigError, DyadError, Missing
from dyad.http.client import breaking_named, opened, proxied
from dyad.http.serving import model_at
from dyad.spec import Prompt, Sheet
from dyad.speech.places import piece_of, tokens_of
from dyad.text import tokens

from .frames import FRAMES, Frame
from .tongues import tongue
from .types import LlmParams, Policy, Say, Temperament

Message = dict[str, str]  # role: user or assistant, content
Ask = Callable[[str, Sequence[Message]], str]  # (system prompt, messages) → reply

STOPS = {  # why Anthropic's model stopped early → what to do
    "max_tokens": "raise llm.max_tokens, thinking counts too",
    "refusal": "change the role's text or the model",
}
_FAREWELL = re.compile(r"\b(good)?bye\b|\bau revoir\b|さようなら|失礼します|再见|拜拜")
_UNSPOKEN = re.compile(r"\([^)]*\)|（[^）]*）|\*[^*]*\*|[\"“”«»「」『』]")
_SPEAKER = re.compile(r"^\s*[^\W\d_]{1,20}\s*[:：]\s*")
TOLD = 0.85  # share of a sentence that must be said to count as told


class Llm:
    """A dialogue policy that asks a text model for every turn; satisfies `Policy`."""

    def __init__(self, prompt: Prompt, system: str, ask: Ask, wait_s: float) -> None:
        self._prompt, self._system, self._ask, self._wait_s = prompt, system, ask, wait_s
        self._frame = _frame(prompt)
        self._history: list[Message] = []

    def open(self) -> Sequence[Say]:
        """Return the first turn of a seat that opens the conversation."""
        return self._turn(self._frame.start)

    def hear(self, text: str) -> Sequence[Say]:
        """Answer what was understood of the other's turn."""
        return self._turn(text.strip() or self._frame.unclear)

    def partial(self, text: str) -> Sequence[Say]:
        """Never interrupt: a text model is too slow to react to an unfinished turn."""
        return []

    def silence(self, seconds: float) -> Sequence[Say]:
        """Go on after a silence that is longer than this temperament bears."""
        if seconds < self._wait_s:
            return []
        return self._turn(self._frame.quiet.format(seconds=round(seconds)))

    def spoken(self, say: Say, share: float) -> None:
        """Keep in the history only what was really said; a cut-off sentence ends in a dash."""
        if share <= 0:
            return
        words = tokens_of(say.text)
        kept = "".join(map(piece_of, words[: max(1, round(share * len(words)))])).strip()
        said = say.text if share >= TOLD else f"{kept} –"
        self._remember("assistant", said)

    @property
    def words(self) -> Sequence[str]:
        """Words for the ears: the prompt's; names alone where folding changes how words are written."""
        sheet = self._prompt.sheet
        if sheet is not None and sheet.lang != "en":
            return [*sheet.candidates, *sheet.options]
        return list(dict.fromkeys(tokens(self._prompt.text)))

    @property
    def phrases(self) -> Sequence[str]:
        """A text model's partner can say anything, so no sentence is expected."""
        return []

    @property
    def finished(self) -> bool:
        """Whether this side has said goodbye in its last words."""
        last = self._history[-1] if self._history else {"role": "", "content": ""}
        return last["role"] == "assistant" and _FAREWELL.search(last["content"].lower()) is not None

    def _turn(self, heard: str) -> list[Say]:
        self._remember("user", heard)
        reply = self._ask(self._system, tuple(self._history))
        says = [Say(s) for s in split_reply(reply)]
        if not says:
            raise DyadError("llm: the model returned an empty reply; try another model or raise max_tokens")
        return says

    def _remember(self, role: str, text: str) -> None:
        """Append to the history, joined to the last line of the same side: sides must alternate."""
        if self._history and self._history[-1]["role"] == role:
            text = f"{self._history.pop()['content']} {text}"
        self._history.append({"role": role, "content": text})


def make_llm(
    prompt: Prompt | Sheet, params: LlmParams, temperament: Temperament, rng: np.random.Generator
) -> Policy:
    """Return the policy that lets a text model act a role; its seed is drawn from the generator.

    Raises ConfigError for a backend that is not installed, a missing key or a missing file.
    """
    if isinstance(prompt, Sheet):
        prompt = Prompt(text=text_of(prompt), sheet=prompt)
    frame = _frame(prompt)
    system = "\n\n".join([prompt.text, frame.speak, *traits(temperament, frame)])
    ask = BACKENDS[params.backend](params, int(rng.integers(2**31)))
    return Llm(prompt, system, ask, 1.5 + 3 * temperament.patience)


def _frame(prompt: Prompt) -> Frame:
    lang = prompt.sheet.lang if prompt.sheet else "en"
    tongue(lang)  # raises for a language that the cascade does not speak
    return FRAMES[lang]


def traits(temperament: Temperament, frame: Frame) -> list[str]:
    """Return one line for the traits that are clearly low or high; none for a neutral temperament."""
    values = {name: getattr(temperament, name) for name in frame.traits}
    said = [frame.traits[name][v > 0.5] for name, v in values.items() if abs(v - 0.5) >= 0.2]
    return [frame.gap.join(said)] if said else []


def text_of(sheet: Sheet) -> str:
    """Return a plain role text made of a sheet, for callers without a rendered prompt."""
    frame = FRAMES[sheet.lang]
    told = [frame.you_are.format(name=sheet.name), *(item.text for item in sheet.private)]
    return f"{sheet.setting}\n\n{frame.gap.join(told)}"


def split_reply(reply: str) -> list[str]:
    """Split a reply into sentences, without quotation marks, speaker labels or stage directions."""
    plain = _SPEAKER.sub("", _UNSPOKEN.sub("", reply))
    return [s for s in re.split(r"(?<=[.!?])\s+|(?<=[。！？])", " ".join(plain.split())) if tokens(s)]


def openai_backend(params: LlmParams, seed: int) -> Ask:
    """Return an asker for `<base_url>/chat/completions`; the key, if any, is read from `key_env`."""
    url = params.base_url.rstrip("/") + "/chat/completions"
    headers = {"Content-Type": "application/json"} | _bearer(params)

    def ask(system: str, messages: Sequence[Message]) -> str:
        body = {
            "model": params.model, "messages": [{"role": "system", "content": system}, *messages],
            "max_tokens": params.max_tokens, "temperature": params.temperature, "seed": seed,
        }  # fmt: skip
        reply = _post(url, headers, body, params.timeout_s)
        try:
            return _said(reply["choices"][0]["message"]["content"])
        except (KeyError, IndexError, TypeError, AttributeError):
            raise DyadError(
                f"llm: {url} answered without choices; is it a chat completion endpoint?"
            ) from None

    return ask


def _bearer(params: LlmParams) -> dict[str, str]:
    if not params.key_env:
        return {}
    key = os.environ.get(params.key_env)
    if not key:
        raise ConfigError(
            f"llm.key_env: the variable {params.key_env} is not set; export it, or leave key_env empty"
        )
    return {"Authorization": f"Bearer {key}"}


def _said(content: str | list[dict[str, Any]] | None) -> str:
    """Return a message's words, which some services send in parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return str(content or "")


def _post(url: str, headers: dict[str, str], body: dict[str, Any], timeout_s: float) -> Any:
    import httpx2

    try:
        with opened(url, headers=headers, timeout=timeout_s) as client:
            response = client.post(url, content=json.dumps(body).encode())
    except httpx2.HTTPError as error:
        why = f"{error}{proxied(url)}"
        raise DyadError(f"llm: no answer from {url} within {timeout_s:g} s ({why}); is it running?") from None
    if response.status_code != 200:
        status = f"{response.status_code} {response.reason_phrase}"
        raise DyadError(f"llm: {url} answered {status}; check model and key")
    try:
        return response.json()
    except ValueError:
        raise DyadError(f"llm: {url} did not answer in JSON; check base_url") from None


def served_model(params: LlmParams) -> str:
    """Return which model a server has behind the name, as far as it says; Missing if nobody answers."""
    import httpx2

    try:
        with opened(params.base_url, headers=_bearer(params)) as client:
            return model_at(client, params.base_url.rstrip("/"), params.model, params.timeout_s)
    except httpx2.HTTPError as error:
        line = (
            f"llm.base_url: nobody says which model answers at {params.base_url} ({error})"
            f"{proxied(params.base_url)}; start the server, or correct the address"
        )
        raise Missing([line]) from None


def anthropic_backend(params: LlmParams, seed: int) -> Ask:
    """Return an asker for Anthropic's messages; it takes neither a temperature nor a seed.

    `base_url` is not used: the SDK knows its address, and `ANTHROPIC_BASE_URL` names another.
    """
    import anthropic

    key = os.environ.get(params.key_env or "ANTHROPIC_API_KEY")
    if not key:
        raise ConfigError(
            f"llm: the variable {params.key_env or 'ANTHROPIC_API_KEY'} is not set; export your key"
        )
    with breaking_named("https://api.anthropic.com"):
        client = anthropic.Anthropic(api_key=key, timeout=params.timeout_s)

    def ask(system: str, messages: Sequence[Message]) -> str:
        chat: Any = list(messages)
        try:
            reply = client.messages.create(
                model=params.model, max_tokens=params.max_tokens, system=system, messages=chat
            )
        except (anthropic.AnthropicError, ValueError) as error:  # ValueError: a body that is no JSON
            why = shorten(str(error).replace(key, "…"), 300, placeholder=" …")
            raise DyadError(
                f"llm: anthropic {params.model}: {why}; check llm.model, key and network"
            ) from None
        return _whole_text(params.model, reply)

    return ask


def _whole_text(model: str, reply: Any) -> str:
    """Return the text of a reply that the model ended itself; one cut off or refused is an error."""
    stop: Any = getattr(reply, "stop_reason", None)  # a body that is not JSON arrives as a plain string
    if stop != "end_turn":
        hint = STOPS.get(stop, "try another model, and check ANTHROPIC_BASE_URL if it is set")
        raise DyadError(f"llm: anthropic {model} did not end its reply (stop_reason {stop}); {hint}")
    return " ".join(c.text for c in reply.content if c.type == "text")


def gguf_file(params: LlmParams) -> Path:
    """Return the local model; raises Missing when it is not there."""
    if not Path(params.gguf).is_file():
        raise Missing([f"llm.gguf: no file '{params.gguf}'; name a GGUF model"])
    return Path(params.gguf)


def gguf_backend(params: LlmParams, seed: int) -> Ask:
    """Return an asker for a local GGUF file through llama.cpp."""
    try:
        from llama_cpp import Llama
    except ImportError:
        raise ConfigError("llm.backend gguf: llama_cpp is missing; pip install llama-cpp-python") from None
    file = gguf_file(params)
    try:
        model = Llama(str(file), seed=seed, n_ctx=4096, verbose=False)
    except ValueError as error:
        raise ConfigError(f"llm.gguf: '{file}' does not load ({error}); name a GGUF model") from None

    def ask(system: str, messages: Sequence[Message]) -> str:
        chat = [{"role": "system", "content": system}, *messages]
        try:
            reply = model.create_chat_completion(
                chat, max_tokens=params.max_tokens, temperature=params.temperature
            )
        except (ValueError, RuntimeError) as error:  # e.g. a conversation longer than the context
            raise DyadError(f"llm: {file.name}: {error}; shorten the run or try another model") from None
        return str(reply["choices"][0]["message"]["content"] or "")

    return ask


BACKENDS: dict[str, Callable[[LlmParams, int], Ask]] = {
    "openai": openai_backend,
    "anthropic": anthropic_backend,
    "gguf": gguf_backend,
}
