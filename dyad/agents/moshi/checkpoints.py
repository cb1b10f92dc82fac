"""The official checkpoints of the Moshi family: where they lie, what they are called, under which licence."""

from __future__ import annotations

from dataclasses import dataclass

from dyad.agents.moshi.params import AnyParams
from dyad.agents.moshi.voice_files import ARCHIVE

MODEL = "model.safetensors"
MIMI = "tokenizer-e351c8d8-checkpoint125.safetensors"
TOKENIZER = "tokenizer_spm_32k_3.model"
HUB_PAGE = "https://huggingface.co"


@dataclass(frozen=True)
class Checkpoint:
    """One published set of weights. `adapter` is the family that plays it; `spaced` says that the
    text stream marks the start of a word, which is shown as a space.
    """

    adapter: str
    repo: str
    licence: str
    gated: bool = False
    spaced: bool = True
    kyutai_config: bool = True  # whether a config.json beside the weights describes their architecture
    voices: str = ""  # archive of voice prompts

    @property
    def page(self) -> str:
        """Where the weights and their licence are published."""
        return f"{HUB_PAGE}/{self.repo}"

    @property
    def files(self) -> dict[str, str]:
        """Part → file name, of everything that `load` needs."""
        voices = {"voices": self.voices} if self.voices else {}
        return {"model": MODEL, "mimi": MIMI, "tokenizer": TOKENIZER} | voices


CHECKPOINTS = {
    "moshiko": Checkpoint("moshi", "kyutai/moshiko-pytorch-bf16", "CC BY 4.0"),
    "moshika": Checkpoint("moshi", "kyutai/moshika-pytorch-bf16", "CC BY 4.0"),
    "personaplex-7b-v1": Checkpoint(
        adapter="personaplex",
        repo="nvidia/personaplex-7b-v1",
        licence="NVIDIA Open Model License",
        gated=True,
        kyutai_config=False,  # the one that NVIDIA publishes only counts downloads
        voices=ARCHIVE,
    ),
    "j-moshi": Checkpoint("j_moshi", "nu-dialogue/j-moshi", "CC BY-NC 4.0", spaced=False),
    "j-moshi-ext": Checkpoint("j_moshi", "nu-dialogue/j-moshi-ext", "CC BY-NC 4.0", spaced=False),
    "llm-jp-moshi-v1": Checkpoint("llm_jp_moshi", "llm-jp/llm-jp-moshi-v1", "Apache-2.0", spaced=False),
}


def checkpoint_of(params: AnyParams) -> Checkpoint:
    """Return the official checkpoint that some parameters name."""
    return CHECKPOINTS[params.checkpoint]
