"""What a validation error says, in one line and in the words of the configuration."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import ValidationError

from dyad.errors import near


def first_complaint(error: ValidationError, prefix: str = "", known: Sequence[str] = ()) -> str:
    """Say the first of pydantic's complaints in one line, with the near name of an unknown field."""
    detail = error.errors()[0]
    where = ".".join(str(part) for part in (prefix, *detail["loc"]) if part != "")
    if detail["type"] == "extra_forbidden":
        advice = near(str(detail["loc"][-1]), known) or "; remove it or correct its name"
        return f"unknown key '{where}'{advice}"
    if detail["type"] == "missing":
        return f"'{where}' is missing; set {where}=VALUE"
    message = detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "string_type" and isinstance(detail["input"], bool):
        message += "; YAML takes yes, no, on and off for truth values: put a name in quotes"
    shown = "…" if where.endswith("key_env") else _shown(detail["input"])  # it may be the key itself
    return f"{where} = {shown}: {message[0].lower()}{message[1:]}"


def _shown(value: object) -> str:
    """A value as it was set, without the password of an address."""
    return re.sub(r"[^/'\"\s]+@", "…@", repr(value)) if "@" in str(value) else repr(value)
