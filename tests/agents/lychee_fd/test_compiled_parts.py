"""Upstream's patched vllm is source only; its compiled parts come from the installed one."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyad.agents.lychee_fd.inside import complete


@pytest.fixture
def patched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    installed = tmp_path / "site"
    (installed / "vllm" / "vllm_flash_attn").mkdir(parents=True)
    (installed / "vllm-0.6.5.dist-info").mkdir()
    (installed / "vllm-0.6.5.dist-info" / "METADATA").write_text("Name: vllm\nVersion: 0.6.5\n")
    for name in ("_C.abi3.so", "_moe_C.abi3.so", "_version.py", "config.py", "vllm_flash_attn/flash.so"):
        (installed / "vllm" / name).write_text(f"installed {name}")
    monkeypatch.syspath_prepend(str(installed))
    source = tmp_path / "third_party" / "vllm"
    source.mkdir(parents=True)
    (source / "config.py").write_text("patched")
    return source


def test_compiled_parts_come_and_source_stays(patched: Path) -> None:
    complete(patched)
    there = {path.relative_to(patched).as_posix(): path for path in patched.rglob("*") if path.is_file()}
    assert set(there) == {
        "_C.abi3.so", "_moe_C.abi3.so", "_version.py", "config.py", "vllm_flash_attn/flash.so",
    }  # fmt: skip
    assert there["config.py"].read_text() == "patched"
    assert there["_C.abi3.so"].read_text() == "installed _C.abi3.so"


def test_what_is_there_is_not_copied_again(patched: Path) -> None:
    (patched / "_C.abi3.so").write_text("built here")
    complete(patched)
    complete(patched)
    assert (patched / "_C.abi3.so").read_text() == "built here"
    assert len(list(patched.iterdir())) == 5
