"""Executes notebooks in place, in a process that ends with the kernel's client: `execute.py FOLDER NOTEBOOK`.

One kernel serves all: what they import takes longer than what they do. A cell that fails shows it as output.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from jupyter_client import KernelManager
from nbclient import NotebookClient


def main(folder: str, *paths: str) -> None:
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=folder)
    try:
        for path in map(Path, paths):
            notebook = nbformat.read(path, as_version=4)
            NotebookClient(notebook, km=manager, timeout=600, allow_errors=True).execute()
            nbformat.write(notebook, path)
    finally:
        manager.shutdown_kernel(now=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
