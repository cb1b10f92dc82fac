"""The scenario library: loading, checking and rendering what two agents are told (layer 1)."""

from .archetypes import INFO, NEEDS, ArchetypeInfo, info_of
from .lint import Finding, lint
from .load import Library, builtin_root, load_library
from .select import select
from .sheet import prompt, role_of, sheet
from .show import COLUMNS, rows, show
from .truth import (
    LineTruth,
    OptionTruth,
    PoolTruth,
    PriceTruth,
    SecretTruth,
    TacticTruth,
    aliases_of,
    options_of,
    truth_of,
)

__all__ = [
    "COLUMNS", "INFO", "NEEDS",
    "ArchetypeInfo", "Finding", "Library", "LineTruth", "OptionTruth", "PoolTruth", "PriceTruth",
    "SecretTruth", "TacticTruth",
    "aliases_of", "builtin_root", "info_of", "lint", "load_library", "options_of", "prompt",
    "role_of", "rows", "select", "sheet", "show", "truth_of",
]  # fmt: skip
