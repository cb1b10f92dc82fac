"""Memory: what is free on this machine, and what the processes of workers have taken of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from dyad.errors import ConfigError

MIB = 1 << 20
PROC = Path("/proc")


def free_bytes(device: str) -> int | None:
    """Return the bytes that are free on a device, or None where nobody can tell.

    Raises ConfigError where there is no such device.
    """
    if device == "cpu":
        return _free_memory()
    return _free_cuda(device) if device.startswith("cuda") else None


def gpus() -> dict[int, int]:
    """Return the GPUs that the driver shows, each with its free bytes; asks no torch."""
    return {int(index): int(free) * MIB for index, free in _ask_driver("--query-gpu=index,memory.free")}


def peak_bytes(groups: Iterable[int]) -> int:
    """Return the most memory that the processes of some process groups have taken, each at its own time."""
    return sum(_peak(pid) for pid in _members(groups))


def gpu_bytes(groups: Iterable[int]) -> int:
    """Return the memory that the processes of some process groups hold on all GPUs now."""
    used = _ask_driver("--query-compute-apps=pid,used_gpu_memory")
    own = set(_members(groups))
    return sum(int(size) * MIB for pid, size in used if int(pid) in own)


def _ask_driver(query: str) -> list[tuple[str, str]]:
    """Return what nvidia-smi answers, two numbers a line; nothing where there is no driver."""
    if not shutil.which("nvidia-smi"):
        return []
    words = ["nvidia-smi", query, "--format=csv,noheader,nounits"]
    try:
        ran = subprocess.run(words, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    pairs = (tuple(part.strip() for part in line.split(",")) for line in ran.stdout.splitlines())
    return [(pair[0], pair[1]) for pair in pairs if len(pair) == 2 and all(map(str.isdigit, pair))]


def _members(groups: Iterable[int]) -> Iterator[int]:
    """Yield the processes of some process groups; none where the system does not list them."""
    wanted = set(groups)
    for folder in PROC.glob("[0-9]*"):
        try:
            if os.getpgid(int(folder.name)) in wanted:
                yield int(folder.name)
        except ProcessLookupError:
            continue


def _peak(pid: int) -> int:
    try:
        lines = (PROC / str(pid) / "status").read_text("utf-8", "replace").splitlines()
        return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
    except OSError:  # it has just ended
        return 0


def _free_memory() -> int | None:
    """Return what new processes can take: Linux counts caches as free, elsewhere only the whole is known."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        free = next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        try:
            free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, ValueError):  # not on this system
            return None
    return min(free, free_in_group(free))


def free_in_group(unlimited: int, root: Path = Path("/sys/fs/cgroup"), own: str | None = None) -> int:
    """Return what the control group (version 2) of a job or a container leaves; its caches count as free."""
    try:
        own = Path("/proc/self/cgroup").read_text("ascii") if own is None else own
        group = root / next(line[4:] for line in own.splitlines() if line.startswith("0::/"))
        most, used = ((group / f"memory.{name}").read_text("ascii").strip() for name in ("max", "current"))
        kinds = dict(line.split() for line in (group / "memory.stat").read_text("ascii").splitlines())
        return unlimited if most == "max" else int(most) - int(used) + int(kinds["inactive_file"])
    except (OSError, StopIteration, ValueError, KeyError):
        return unlimited


def _free_cuda(device: str) -> int:
    """Ask torch, which numbers the devices as it is told to see them; without it, the driver."""
    index = int(device.partition(":")[2] or 0)
    try:
        import torch
    except ImportError:
        known = _visible(gpus())
        free = known[index] if index < len(known) else None
    else:
        known = list(range(torch.cuda.device_count() if torch.cuda.is_available() else 0))
        free = int(torch.cuda.mem_get_info(index)[0]) if index < len(known) else None
    if free is None:
        raise ConfigError(
            f"no CUDA device {index} here ({len(known)} found), and agents are placed on {device}; "
            "set launcher.device=cpu, or the agents' own device"
        )
    return free


def _visible(known: dict[int, int]) -> list[int]:
    """Return the free bytes of each GPU in the order of CUDA_VISIBLE_DEVICES, where that has numbers."""
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if chosen is None or not all(part.strip().isdigit() for part in chosen.split(",") if part):
        return list(known.values())
    return [known[int(part)] for part in chosen.split(",") if part and int(part) in known]
