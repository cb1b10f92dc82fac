"""What is missing on this machine is one line each, of all agents, before anything is loaded or written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import dyad.missing
from dyad.agents.moshi.checkpoints import CHECKPOINTS
from dyad.bridge.protocol import Part, Room, family_of
from dyad.cli.main import run
from dyad.errors import Missing
from dyad.missing import hinders, lacking
from dyad.spec import AgentSpec

GB = 10**9
STUDY = ["task=t3", "scenarios.limit=1", "window_s=2"]
BARE = ("HF_HUB_CACHE", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "CUDA_VISIBLE_DEVICES")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bare")


def dyad_on(bare: Path, *words: str) -> tuple[int, list[str], str]:
    """Run dyad where there are no weights, environments, log-ins and GPUs; exit code, error lines, output."""
    kept = {key: value for key, value in os.environ.items() if key not in BARE}
    own = {"HF_HOME": str(bare / "hf"), "DYAD_HOME": str(bare / "home"), "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-m", "dyad", *words]
    done = subprocess.run(command, cwd=bare, env=kept | own, capture_output=True, text=True)
    return done.returncode, done.stderr.splitlines(), done.stdout


def test_everything_of_all_agents_is_named_and_nothing_is_written(bare: Path) -> None:
    code, lines, _ = dyad_on(bare, "run", "pairing=pp_raon", *STUDY, "launcher=gpu", "store=store")
    assert code == 2
    assert all(line.startswith("dyad: ") for line in lines)
    text = "\n".join(lines)
    for asked in (
        "the weights of agent 'personaplex' are not here; run: hf download nvidia/personaplex-7b-v1",
        "nvidia/personaplex-7b-v1 is gated (NVIDIA Open Model License): accept that at https://huggingface.co/",
        "agent 'personaplex' needs ",
        "agent 'raon' has no environment; run: python -m dyad agents install raon",
        "KRAFTON/Raon-SpeechChat-9B (weights of agent 'raon') is not here; run: hf download KRAFTON/Raon",
        "KRAFTON/Raon-SpeechChat-9B is published under: ",
        "agent 'raon' needs ",
    ):
        assert text.count(asked) == 1, asked
    assert text.count("GB of memory on cuda") == 2
    assert not (bare / "store").exists()


def test_on_a_cpu_the_device_is_named(bare: Path) -> None:
    code, lines, _ = dyad_on(bare, "run", "pairing=raon_raon", *STUDY, "store=store")
    assert code == 2
    (device,) = (line for line in lines if "GPU" in line)
    assert device.endswith("but is placed on 'cpu'; set launcher=gpu, or agent.raon.device=cuda")
    assert len(lines) == len(set(lines))  # both seats lack the same, once


def test_doctor_reports_the_same(bare: Path) -> None:
    code, lines, out = dyad_on(bare, "doctor", "agent=raon")
    assert code == 2
    kinds = [line.split()[1] for line in out.splitlines()]
    assert set(kinds) == {"environment", "weights", "licence", "device"}
    assert all(line.startswith("FAIL ") for line in out.splitlines())
    assert f"{len(kinds)} check(s) failed" in lines[-1]
    code, _, out = dyad_on(bare, "doctor", "pairing=pp_raon", *STUDY)
    assert code == 2
    assert sum(line.startswith("FAIL study") for line in out.splitlines()) >= 5


def test_a_double_needs_nothing(bare: Path) -> None:
    own = ["agent.raon.upstream=double", "store=store"]
    code, lines, _ = dyad_on(bare, "plan", "pairing=raon_raon", *STUDY, *own)
    assert (code, lines) == (0, [])


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, list[Part]]]:
    """What each family of agents says that it needs; a test fills it."""
    told: dict[str, list[Part]] = {}

    def family(name: str) -> object:
        return replace(family_of(name), parts=lambda spec, device: told.get(name, []))

    monkeypatch.setattr(dyad.missing, "family_of", family)
    return told


def played(verb: str, store: Path, *more: str) -> int:
    base = ["pairing=echo_tone", "task=t2", "window_s=2", "scenarios.limit=1", "launcher=serial"]
    return run([verb, *base, *more, f"store={store}"])


def test_an_environment_is_asked_for_when_something_is_played(
    parts: dict[str, list[Part]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts["tone"] = [Part("environment", "broken", "no workshop"), Part("weights", "fetched", "no notes")]
    for verb in ("run", "simulate"):
        assert played(verb, tmp_path / "store") == 2
        assert capsys.readouterr().err.splitlines() == ["dyad: no workshop", "dyad: no notes"]
    assert not (tmp_path / "store").exists()
    assert played("plan", tmp_path / "store") == 0  # as on a login node
    parts.clear()
    assert played("run", tmp_path / "store") == 0
    parts["tone"] = [Part("environment", "missing", "gone")]
    assert played("run", tmp_path / "store") == 0  # all of it is stored


def test_weights_are_asked_for_when_runs_are_named(
    parts: dict[str, list[Part]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts["echo"] = [Part("weights", "missing", "no notes"), Part("device", "missing", "no hall")]
    parts["tone"] = [
        Part("environment", "missing", "no workshop"),
        Part("weights"),
        Part("device", "missing", "no hall"),
    ]
    lacks = ["no notes", "no hall", "no workshop"]
    assert played("run", tmp_path / "store") == 2
    assert capsys.readouterr().err.splitlines() == [f"dyad: {lack}" for lack in lacks]
    assert played("plan", tmp_path / "store") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=1)[1] for line in lines if line.startswith("missing ")] == lacks
    assert "ids       unknown of 12 runs: they name what is missing" in lines
    assert not (tmp_path / "store").exists()


def test_a_plan_answers_where_everything_is_missing(bare: Path) -> None:
    command = ["pairing=pp_raon", *STUDY, "launcher=gpu", "judge=claude_haiku", "store=store"]
    _, refused, _ = dyad_on(bare, "run", *command)
    code, lines, out = dyad_on(bare, "plan", *command)
    assert (code, lines) == (0, [])
    told = dict(line.split(maxsplit=1) for line in out.splitlines() if not line.startswith("missing"))
    assert told["study"] == "named by what is played, which is not known here"
    assert told["runs"] == "24: 0 stored, 24 to play"  # 2 archetypes, 2 roles, 2 openers, 3 repetitions
    assert told["audio"].startswith("0.01 h, about ")  # 24 x 2 s
    assert told["GPU"].endswith(" h")
    assert told["judge"].startswith("claude_haiku: 24 conversations, ")
    missing = [line.split(maxsplit=1)[1] for line in out.splitlines() if line.startswith("missing")]
    assert missing == [line.removeprefix("dyad: ") for line in refused]
    code, _, out = dyad_on(bare, "plan", *command, "name=far", "--json")
    plan = json.loads(out)
    assert (code, plan["study"], plan["runs"], plan["ids"]) == (0, "far", 24, [None] * 24)
    assert plan["missing"] == missing
    assert (plan["audio_s"], plan["gpu_s"]) == (48.0, pytest.approx(48 * 0.3))
    assert plan["disk_bytes"] == 48 * 25_000


def test_an_id_is_told_where_it_is_known(
    parts: dict[str, list[Part]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep = ["agent@pairing.b=silence,tone", "pairing.name=${pairing.b.name}", "--json"]
    assert played("plan", tmp_path / "store", *sweep) == 0
    known = json.loads(capsys.readouterr().out)
    parts["tone"] = [Part("weights", "missing", "no notes")]
    assert played("plan", tmp_path / "store", *sweep) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ids"] == [None if i.startswith("tone") else i for i in known["ids"]]
    assert (known["missing"], found["missing"]) == ([], ["no notes"])


def test_a_plan_says_which_recogniser_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DYAD_WHISPER_DIR", str(tmp_path / "nowhere"))
    assert played("plan", tmp_path / "store", "asr=whisper") == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("missing")]
    assert "DYAD_WHISPER_DIR" in line
    assert played("run", tmp_path / "store") == 0
    assert played("plan", tmp_path / "store", "asr=whisper", "judge=claude_haiku") == 0
    out = capsys.readouterr().out
    assert "DYAD_WHISPER_DIR" in out
    assert "12 conversations" in out  # though nobody can tell which words a judge would read


def test_what_loading_fetches_hinders_nobody(parts: dict[str, list[Part]], tmp_path: Path) -> None:
    parts["echo"] = [Part("weights", "fetched", "no notes"), Part("licence", "fetched", "unread")]
    assert played("run", tmp_path / "store") == 0


def test_memory_is_named_for_one_row() -> None:
    family = replace(
        family_of("tone"), room=lambda spec, demand: Room("cuda:0", 20 * GB, demand.rows * GB, GB)
    )
    spec = AgentSpec(name="tone", adapter="tone")
    assert lacking(family, spec, "cuda", lambda device: 22 * GB) == []
    (part,) = lacking(family, spec, "cuda", lambda device: 21 * GB)
    assert part.lack == (
        "agent 'tone' needs 22.0 GB of memory on cuda:0, 21.0 GB are free; use a device with more, e.g. "
        "launcher=gpu"
    )
    assert not hinders(part)  # how many rows fit, the launcher's own check says


def test_missing_is_one_error_of_several_lines() -> None:
    error = Missing(["a", "b"])
    assert (error.lines, str(error), error.exit_code) == (("a", "b"), "a\nb", 2)


@pytest.mark.parametrize("name", ["moshi", "personaplex", "j_moshi", "llm_jp_moshi"])
def test_the_moshi_family_names_packages_weights_and_licence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
    for key in BARE:
        monkeypatch.delenv(key, raising=False)
    family = family_of(name)

    def states(**params: object) -> dict[str, str]:
        spec = AgentSpec(name=name, adapter=name, params=family.params(**params).model_dump())
        return {part.kind: part.state for part in family.parts(spec, "cpu")}

    assert states(weights="random:tiny") == {"packages": "ready"}
    assert states(weights=str(tmp_path)) == {"packages": "ready", "weights": "missing"}
    gated = any(c.gated for c in CHECKPOINTS.values() if c.adapter == name)
    state = "missing" if gated else "fetched"
    assert states() == {"packages": "ready", "weights": state, "licence": state}
    monkeypatch.setenv("HF_TOKEN", "a-token")
    assert states()["weights"] == "fetched"
