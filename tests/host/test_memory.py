"""Memory of workers and of GPUs, asked without torch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dyad.errors import ConfigError
from dyad.host import memory
from dyad.host.memory import free_bytes, gpu_bytes, gpus, peak_bytes

MIB = 1 << 20
DRIVER = """#!/bin/sh
case "$1" in
  *gpu=*) printf '0, 81000\\n1, 20000\\n3, [N/A]\\n' ;;
  *apps=*) printf '%s\\n' '$PID, 5000' '$PID, 300' '1, 900' ;;
esac
"""
HELD = "x = bytearray(100 * 2**20); del x; print('ready', flush=True); input()"


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that answers as nvidia-smi does."""
    path = tmp_path / "nvidia-smi"
    path.write_text(DRIVER)
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    return path


def test_the_peak_of_a_group_counts_what_was_given_back() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HELD], stdin=-1, stdout=-1, text=True, start_new_session=True
    ) as process:
        assert process.stdout
        assert process.stdin
        process.stdout.readline()
        peak = peak_bytes([process.pid])
        process.stdin.write("\n")
        process.stdin.flush()
        process.wait()
    assert 100 * MIB < peak < 200 * MIB
    assert peak_bytes([process.pid]) == 0


def test_the_driver_tells_what_is_free_and_who_holds_what(driver: Path) -> None:
    assert gpus() == {0: 81_000 * MIB, 1: 20_000 * MIB}  # one that does not say is left out
    with subprocess.Popen(["/bin/sleep", "60"], start_new_session=True) as process:
        driver.write_text(DRIVER.replace("$PID", str(process.pid)))
        held = gpu_bytes([process.pid])
        process.kill()
    assert held == 5_300 * MIB


def test_without_torch_the_driver_is_asked(driver: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert free_bytes("cuda") == free_bytes("cuda:0") == 81_000 * MIB
    assert free_bytes("cuda:1") == 20_000 * MIB
    with pytest.raises(ConfigError, match=r"no CUDA device 2 here \(2 found\)"):
        free_bytes("cuda:2")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert free_bytes("cuda:0") == 20_000 * MIB
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(ConfigError, match="no CUDA device 0"):
        free_bytes("cuda:0")


@pytest.mark.parametrize("answer", ["exit 9", "echo Failed to initialize NVML"])
def test_a_driver_that_fails_shows_no_gpu(driver: Path, answer: str) -> None:
    driver.write_text(f"#!/bin/sh\n{answer}\n")
    assert gpus() == {}
    assert memory.gpu_bytes([1]) == 0
