"""What names a hosted agent's runs: adapter, code, and weights by what they hold, not by where they lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dyad.bridge.protocol import Caps, Demand
from dyad.errors import ConfigError
from dyad.host import Code, Home, Hosted, HostParams, Weights, hosted
from dyad.spec import AgentSpec
from tests.host.plug import FAKES

CODE = Code("https://example.org/lab/wren.git", "a" * 40, "MIT")
ONE, TWO = Weights("lab/wren-9b", "MIT", 18.0), Weights("lab/ears", "MIT", 1.0)


def family(*weights: Weights, gpu_gb: float = 20.0) -> Any:
    home = Home("wren", "3.10", (CODE,), weights, gpu_gb=gpu_gb, row_gb=2.0)
    return hosted(Hosted(home, HostParams, lambda params: Caps("wren"), FAKES / "echo.py", about="a bird"))


def folder(root: Path, **files: str) -> Path:
    for name, content in files.items():
        (root / name.replace("_", "/", 1)).parent.mkdir(parents=True, exist_ok=True)
        (root / name.replace("_", "/", 1)).write_text(content)
    return root


def assets(family: Any, **params: Any) -> dict[str, str]:
    found: dict[str, str] = family.assets(params, "")
    return found


def test_a_folder_of_weights_is_named_by_all_it_holds(tmp_path: Path) -> None:
    wren = family(ONE)
    first = folder(tmp_path / "a/model", config="1", sub_model="2")
    same = folder(tmp_path / "b/other", config="1", sub_model="2")
    tuned = folder(tmp_path / "c/model", config="1", sub_model="3")
    (tmp_path / "latest").symlink_to(tuned)
    named = [
        assets(wren, weights=str(path))["lab/wren-9b"] for path in (first, same, tuned, tmp_path / "latest")
    ]
    assert named[0] == named[1]
    assert named[2] == named[3] != named[0]


def test_a_snapshot_of_the_hub_is_named_by_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    cache = tmp_path / "models--lab--wren-9b"
    folder(cache, refs_main="c" * 40 + "\n")
    folder(cache / "snapshots", **{"c" * 40 + "_config": "1"})
    assert assets(family(ONE))["lab/wren-9b"] == "c" * 40
    assert assets(family(ONE), revision="c" * 40) == assets(family(ONE))
    with pytest.raises(
        ConfigError, match=r"is not here; run: hf download lab/wren-9b \(18 GB\).*agent.wren.weights"
    ):
        assets(family(ONE), revision="other")


def test_several_repositories_lie_in_folders_of_their_names(tmp_path: Path) -> None:
    folder(tmp_path, **{"wren-9b_config": "1"})
    with pytest.raises(ConfigError, match="hf download lab/ears"):
        assets(family(ONE, TWO), weights=str(tmp_path))
    folder(tmp_path, ears_config="2")
    assert {"lab/wren-9b", "lab/ears"} < set(assets(family(ONE, TWO), weights=str(tmp_path)))


def test_code_is_named_by_its_commit_unless_the_environment_is_the_users(tmp_path: Path) -> None:
    model = str(folder(tmp_path, config="1"))
    assert assets(family(ONE), weights=model)["code:wren"] == "a" * 40
    assert assets(family(ONE), weights=model, env="/somewhere")["code:wren"] == "own"


def test_a_double_is_named_as_one_and_needs_nothing() -> None:
    assert assets(family(ONE), upstream="double") == {"engine": "1", "upstream": "double"}
    assert (
        family(ONE).parts(AgentSpec(name="wren", adapter="wren", params={"upstream": "double"}), "cuda") == []
    )


def test_a_voice_is_named_by_its_file_and_a_name_by_nothing(tmp_path: Path) -> None:
    (tmp_path / "voice.wav").write_bytes(b"sound")
    named = family().assets({}, str(tmp_path / "voice.wav"))
    assert len(named["voice"]) == 64
    assert "voice" not in family().assets({}, "Aria")
    with pytest.raises(ConfigError, match="does not exist; give the path of a wav or flac file"):
        family().assets({}, "nowhere.wav")


@pytest.mark.parametrize(
    ("params", "rows", "gb"), [({}, 4, 20), ({"rows_per_worker": 1}, 4, 80), ({"rows_per_worker": 3}, 4, 40)]
)
def test_every_worker_has_the_weights(params: dict[str, Any], rows: int, gb: int) -> None:
    spec = AgentSpec(name="wren", adapter="wren", params=HostParams(**params).model_dump())
    room = family().room(spec, Demand(rows, 100, (), "cuda"))
    assert (room.weights_bytes, room.row_bytes) == (gb * 10**9, 2 * 10**9)
    assert family().room(spec, Demand(rows, 100, (), "cpu")) is None


def test_a_download_that_broke_off_is_named_by_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    cache, commit = tmp_path / "models--lab--wren-9b", "c" * 40
    folder(cache, refs_main=commit)
    index = '{"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}'
    here = folder(cache / "snapshots" / commit, config="1", **{"model.safetensors.index.json": index})
    (here / "one.safetensors").write_text("1")
    with pytest.raises(
        ConfigError, match=r"lab/wren-9b .* lacks two.safetensors; run: hf download lab/wren-9b "
    ):
        assets(family(ONE))
    (here / "two.safetensors").symlink_to("../../blobs/gone")
    with pytest.raises(ConfigError, match=r"lacks two.safetensors"):
        assets(family(ONE))
    (here / "two.safetensors").unlink()
    (here / "two.safetensors").write_text("2")
    assert assets(family(ONE))["lab/wren-9b"] == commit
    some = Weights("lab/wren-9b", "MIT", 18.0, files=("voices/*", "model*"))
    with pytest.raises(
        ConfigError, match=r"lacks voices/\*; run: hf download .* --include 'voices/\*' --include"
    ):
        assets(family(some))


def test_files_that_were_cut_in_parts_lie_where_their_index_lies(tmp_path: Path) -> None:
    """Also in a folder of the repository; parts that are not used, of another index, may be missing."""
    sub = Weights("lab/wren-9b", "MIT", 18.0, files=("sub/*",))
    index = '{"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}'
    here = folder(tmp_path / "wren", **{"model.safetensors.index.json": index})
    folder(here, **{"sub_model.safetensors.index.json": index, "sub_one.safetensors": "1"})
    with pytest.raises(ConfigError, match=r"lab/wren-9b .* lacks sub/two.safetensors; run: hf download "):
        assets(family(sub), weights=str(here))
    folder(here, **{"sub_two.safetensors": "2"})
    assert len(assets(family(sub), weights=str(here))["lab/wren-9b"]) == 64
    with pytest.raises(ConfigError, match=r" lacks one.safetensors;"):
        assets(family(ONE), weights=str(here))


def test_a_folder_without_the_weights_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"lab/ears .* is no folder in .*; run: hf download lab/ears"):
        assets(family(ONE, TWO), weights=str(folder(tmp_path, **{"wren-9b_config": "1"})))


def test_what_the_hubs_client_notes_beside_weights_names_nothing(tmp_path: Path) -> None:
    model = folder(tmp_path / "model", config="1")
    before = assets(family(ONE), weights=str(model))
    folder(model, **{".cache_huggingface": "12:03", ".gitattributes": "lfs"})
    assert assets(family(ONE), weights=str(model)) == before


def test_a_double_runs_on_a_cpu_wherever_the_launcher_is() -> None:
    agent = family().make({"upstream": "double", "device": "cuda:3"})
    assert agent._hosting.device == "cpu"


@pytest.mark.parametrize("device", ["gpu", "cuda:x", "cuda:0,1", "mps"])
def test_a_device_that_is_none_is_refused_in_words(device: str) -> None:
    with pytest.raises(ValueError, match=r"needs cpu, cuda, cuda:1, or cuda:0\+1"):
        HostParams(device=device)
