"""The four families: what they claim, how they are told a role, and what a plan refuses before loading."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

pytest.importorskip("moshi")
torch = pytest.importorskip("torch")

from dyad.agents.moshi.architecture import FULL, TINY, lm_bytes, ring_bytes, ring_frames  # noqa: E402
from dyad.agents.moshi.family import CODEC, caps_for, render_system  # noqa: E402
from dyad.agents.moshi.params import MoshiParams, PersonaPlexParams  # noqa: E402
from dyad.bridge.protocol import Demand, caps_of, family_of  # noqa: E402
from dyad.cli.compose import compose  # noqa: E402
from dyad.plan import make_plan  # noqa: E402
from dyad.spec import AgentSpec, Prompt  # noqa: E402

KINDS = ("moshi", "personaplex", "j_moshi", "llm_jp_moshi")


def spec(kind: str, voice: str = "", **params: Any) -> AgentSpec:
    full = family_of(kind).params(**{"weights": "random:tiny"} | params).model_dump()
    return AgentSpec(name=kind, adapter=kind, params=full, voice=voice)


def demand(ticks: int = 750, *prompts: str, rows: int = 16, device: str = "cpu") -> Demand:
    return Demand(rows, ticks, prompts, device)


@pytest.mark.parametrize("kind", KINDS)
def test_what_each_can_do(kind: str) -> None:
    caps = caps_of(spec(kind))
    assert (caps.name, caps.rate_in, caps.rate_out, caps.chunk_ms, caps.lag_ms) == (
        kind,
        24_000,
        24_000,
        80,
        80,
    )
    assert (caps.clock, caps.snapshot, caps.deterministic) == ("sim", "state", True)
    assert caps.force == {"text", "audio"}
    assert (caps.prompt, caps.voice) == (("text", "wav") if kind == "personaplex" else ("none", "none"))


def test_licences() -> None:
    assert [caps_of(spec(kind)).licence for kind in KINDS] == [
        "CC BY 4.0", "NVIDIA Open Model License", "CC BY-NC 4.0", "Apache-2.0",
    ]  # fmt: skip


def test_how_long_they_last() -> None:
    assert caps_for("moshi", MoshiParams()).max_seconds == 240
    assert caps_for("personaplex", PersonaPlexParams(prompt_frames=500)).max_seconds == 200


def test_only_a_device_of_its_own_is_stepped_beside_others() -> None:
    assert not caps_of(spec("moshi")).concurrent
    assert caps_of(spec("moshi", device="cuda:1")).concurrent


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("You are Ruben. ", "<system> You are Ruben. <system>"),
        ("<system> You are Ruben. <system>", "<system> You are Ruben. <system>"),
        ("<system> half", "<system> <system> half <system>"),
        ("<system>", "<system> <system> <system>"),
        (" \n", ""),
    ],
)
def test_a_role_stands_between_equal_tags(text: str, rendered: str) -> None:
    assert render_system(Prompt(text=text)) == rendered
    assert family_of("personaplex").render(Prompt(text=text)) == rendered


def test_the_others_are_told_nothing() -> None:
    assert {family_of(kind).render(Prompt(text="a role")) for kind in KINDS} == {
        "",
        "<system> a role <system>",
    }


def test_where_a_model_runs_is_no_part_of_a_run() -> None:
    placed = spec("moshi", device="cuda:1", threads=4)
    family = family_of("moshi")
    plain, other = (
        agent.model_copy(update={"assets": family.assets(agent.params, ""), "local": family.local}).identity()
        for agent in (spec("moshi"), placed)
    )
    assert plain == other
    assert "random:tiny/0" in plain["assets"]["weights"]


def test_families_are_read_without_torch() -> None:
    code = (
        "import sys\nfrom dyad.bridge.protocol import default_params, family_of\n"
        f"for k in {KINDS}: f = family_of(k); f.caps(default_params(f.params))\n"
        "print(sorted(set(sys.modules) & {'torch', 'moshi', 'safetensors', 'huggingface_hub'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_plan_counts_prompts_without_torch(folder: Path) -> None:
    """Importing it would take most of the plan's time; only a `.pt` voice cannot be read without it."""
    soundfile.write(folder / "her.wav", np.zeros(16_000), 16_000)
    told = [("random:tiny", "NATF2"), (folder, ""), (folder, folder / "her.wav")]
    shared = [
        "plan", "pairing=pp_pp", "task=t1_1", "scenarios.limit=1", f"store='{folder / 'store'}'",
        "agent.personaplex.prompt_frames=2000",
    ]  # fmt: skip
    own = [[f"agent.personaplex.weights='{w}'", f"agent.personaplex.voice='{voice}'"] for w, voice in told]
    code = (
        f"import sys\nfrom dyad.cli.main import run\ndone = [run([*{shared}, *own]) for own in {own}]\n"
        "print(done, sorted(set(sys.modules) & {'torch', 'moshi', 'safetensors', 'huggingface_hub'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[0, 0, 0] []", done.stderr


# What a plan refuses


def test_a_window_beyond_the_ring_is_refused(refused: Callable[..., str]) -> None:
    check = family_of("personaplex").check
    check(spec("personaplex", prompt_frames=500), demand(2500))
    line = refused(check, spec("personaplex", prompt_frames=500), demand(2501))
    assert line == "agent 'personaplex' remembers 200 s, not 200.08 s; shorten window_s"


def test_a_role_in_another_language_is_refused(refused: Callable[..., str]) -> None:
    asked = Demand(1, 100, (), "cpu", ("en", "ja"))
    line = refused(family_of("personaplex").check, spec("personaplex"), asked)
    assert line == ("agent 'personaplex' takes roles in English, not in 'ja'; leave scenarios.lang at en")
    family_of("j_moshi").check(spec("j_moshi"), asked)  # it is told nothing


def test_a_prompt_longer_than_its_frames_is_refused(refused: Callable[..., str]) -> None:
    check = family_of("personaplex").check
    told = "<system> " + "word " * 40 + "<system>"  # 42 words, 42 made-up tokens
    check(spec("personaplex", prompt_frames=54), demand(100, told))
    line = refused(check, spec("personaplex", prompt_frames=53), demand(100, "short", told))
    assert "a prompt takes 54 frames (voice 0, text 42), but 53 are kept" in line
    assert "agent.personaplex.prompt_frames=54" in line
    assert "voice 8," in refused(check, spec("personaplex", "NATF0", prompt_frames=61), demand(100, told))


def test_voices_of_files_count(folder: Path, refused: Callable[..., str]) -> None:
    check = family_of("personaplex").check
    sound = folder / "her.wav"
    soundfile.write(sound, np.zeros(16_000), 16_000)  # 1 s, 12.5 frames
    line = refused(check, spec("personaplex", str(sound), prompt_frames=16), demand())
    assert "a prompt takes 25 frames (voice 13, text 0)" in line
    torch.save({"embeddings": torch.zeros(30, 1, 1, 64), "cache": torch.zeros(1, 17, 4)}, folder / "her.pt")
    line = refused(check, spec("personaplex", str(folder / "her.pt"), prompt_frames=16), demand())
    assert "voice 31," in line


def test_a_voice_is_known_by_what_it_holds(folder: Path, refused: Callable[..., str]) -> None:
    assets = family_of("personaplex").assets
    params = spec("personaplex", weights=str(folder)).params
    (folder / "voices").mkdir()
    (folder / "voices" / "NATF2.pt").write_bytes(b"voice")
    assert len(assets(params, "NATF2")["voice"]) == 64
    assert assets(params, "NATF2") == assets(params, str(folder / "voices" / "NATF2.pt"))
    assert "has no voice 'NATF3'; did you mean 'NATF2'?" in refused(assets, params, "NATF3")


def test_a_voice_in_the_archive_is_known_by_the_archive(folder: Path) -> None:
    with tarfile.open(folder / "voices.tgz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("voices/NATF2.pt"), io.BytesIO())
    found = family_of("personaplex").assets(spec("personaplex", weights=str(folder)).params, "NATF2")
    assert len(found["voices"]) == 64
    assert "voice" not in found


def test_a_model_without_prompts_plays_no_role(refused: Callable[..., str]) -> None:
    studies = compose(["pairing=moshi_moshi", "task=t3", "agent.moshi.weights=random:tiny"]).studies
    assert "agent 'moshi' takes no role prompt" in refused(make_plan, studies)


# Memory


def test_a_ring_holds_prompt_and_window_in_steps() -> None:
    assert ring_frames(3000, 750, 0) == 768
    assert ring_frames(3000, 120, 0) == 128
    assert ring_frames(3000, 121, 0) == 192
    assert ring_frames(3000, 750, 512) == 1280
    assert ring_frames(3000, 3000, 0) == 3000


def test_room_of_the_full_model() -> None:
    room = family_of("moshi").room(spec("moshi", weights="random:7b"), demand(device="cuda:0"))
    assert room is not None
    assert room.device == "cuda:0"
    assert lm_bytes(FULL, "bfloat16") == 15_375_458_304
    assert ring_bytes(FULL, 1, "bfloat16") == 524_288
    assert room.weights_bytes == 15_375_458_304 + CODEC["released"][0]
    assert 768 * 524_288 + 16_500_000 < room.row_bytes < 768 * 524_288 + 19_000_000
    on_cpu = family_of("moshi").room(spec("moshi", weights="random:7b"), demand())
    assert on_cpu is not None
    assert on_cpu.weights_bytes - CODEC["released"][0] == 2 * lm_bytes(FULL, "bfloat16")


def test_room_covers_what_a_codec_takes() -> None:
    from dyad.agents.moshi.engine.weights import load_model

    loaded = load_model(MoshiParams(weights="random:tiny"), "cpu")
    mimi = loaded.new_mimi()
    assert lm_bytes(TINY, "float32") == sum(4 * p.numel() for p in loaded.lm.parameters())
    with torch.no_grad(), mimi.streaming(1):
        mimi.decode(mimi.encode(torch.zeros(1, 1, 1920)))
        state = sum(tensor_bytes(s) for s in mimi.get_streaming_state().values())
        weights = sum(t.numel() * t.element_size() for t in (*mimi.parameters(), *mimi.buffers()))
    assert 0.8 * CODEC["tiny"][1] < state < CODEC["tiny"][1]
    assert 0.8 * CODEC["tiny"][0] < weights < CODEC["tiny"][0]


def tensor_bytes(state: Any) -> int:
    """Bytes of the tensors of one streaming state, those of its ring included."""
    values = [*vars(state).values()]
    values += [v.cache for v in values if type(v).__name__ == "RingKVCache"]
    return sum(v.numel() * v.element_size() for v in values if isinstance(v, torch.Tensor))
