"""This process and its hardware: threads, memory, and what they are called."""

from __future__ import annotations

import ctypes
import platform
import sys

import torch

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h


def prepare(device: str, threads: int) -> None:
    """Set up this process for a device: on a CPU torch's threads, whose number can change the order of sums.

    By default glibc gives large buffers back to the system at once and asks for them again in the next
    operation, a third of the time of a wide batch; here it keeps buffers of up to 32 MB, and 512 MB in all.
    """
    if device != "cpu":
        return
    torch.set_num_threads(threads)
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None
    if libc is not None and hasattr(libc, "mallopt"):
        libc.mallopt(_M_MMAP_THRESHOLD, 1 << 25)
        libc.mallopt(_M_TRIM_THRESHOLD, 1 << 29)


def free_memory(device: str) -> None:
    """Give the memory of a dropped deck back to the device; its tensors are gone by now."""
    if device.startswith("cuda"):
        torch.cuda.empty_cache()


def thread_count() -> str:
    """Return how many threads torch has on the CPU."""
    return str(torch.get_num_threads())


def device_name(device: str) -> str:
    """Return the name of the hardware behind a device."""
    return torch.cuda.get_device_name(device) if device.startswith("cuda") else platform.machine()
