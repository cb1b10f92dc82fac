"""The scenario library: loading, checking and rendering what two agents are told (layer 1)."""

from .archetypes import INFO, NEEDS, ArchetypeInfo, info_of
from .balance import report as balance_report
from .files import builtin_root
from .lint import Finding, lint
from .load import Library, load_library
from .schema import schemas
from .select import select
from .sheet import prompt, role_of, sheet
from .show import COLUMNS, Filter, find, prompts, rows, show, twins_named
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
    "ArchetypeInfo", "Filter", "Finding", "Library", "LineTruth", "OptionTruth", "PoolTruth", "PriceTruth",
    "SecretTruth", "TacticTruth",
    "aliases_of", "balance_report", "builtin_root", "find", "info_of", "lint", "load_library", "options_of",
    "prompt", "prompts", "role_of", "rows", "schemas", "select", "sheet", "show", "truth_of", "twins_named",
]  # fmt: skip
