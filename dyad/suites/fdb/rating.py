"""Ratings of replies to interruptions: what a judge's answer says, and how ratings and takeovers are counted.

The authors' script asks again with the same seed until it can read the answer. Each time it counts the
takeover anew, and in the end it counts the rating twice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from dyad.spec import Label
from dyad.suites.protocol import Scored

from .flags import is_on

QUESTION = "fdb.rating"
SENTENCE = "I would rate the AI's response as "

_AS = re.compile(r"\bas\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.,])-?[0-9]+(?:[.,][0-9]+)*\b")
_RANGE = re.compile(r"\s*(?:-|–|to\b|or\b)\s*[0-9]")
_COMPAT = re.compile(r"Analysis:\s*.*?\n" + re.escape(SENTENCE) + r"(\d+)", re.DOTALL)


def read_rating(reply: str) -> int | None:
    """Return the rating in a judge's reply: the first number after the last "as", one digit from 0 to 5.

    None where there is no such number or it is another one ("10", "4.5", "3 or 4"): ask again.
    """
    words = list(_AS.finditer(reply))
    found = _NUMBER.search(reply, words[-1].end()) if words else None
    if found is None or not re.fullmatch("[0-5]", found[0]) or _RANGE.match(reply, found.end()):
        return None
    return int(found[0])


def read_rating_compat(reply: str | None) -> int | None:
    """Return what the authors' pattern reads: "Analysis:", then a line with the sentence and any number.

    Of two such lines under one "Analysis:" the first counts, of several under their own the last. An empty
    reply, at which the script crashes, says nothing.
    """
    found = _COMPAT.findall(reply or "")
    return int(found[-1]) if found else None


def rating_score(took: bool, labels: Sequence[Label], twice: bool = False) -> Scored:
    """Return the rating of a trial, of labels that answer `fdb.rating`; there is none without a takeover."""
    if not took:
        return Scored("rating", 0.0, 0.0)
    given = [label for label in labels if label.question == QUESTION]
    rating = next((float(label.label) for label in given if label.label is not None), None)
    if rating is None:
        return Scored("rating", None, 0.0, reason=given[-1].status if given else "not judged")
    n = 2.0 if twice else 1.0
    return Scored("rating", n * rating, n)


def takeovers(took: bool, retries: int, flags: Mapping[str, bool]) -> Scored:
    """Return the takeover as the script counts it, after `retries` replies that it could not read."""
    n = 1.0 + (retries if took and is_on(flags, "tor_retry_inflation") else 0)
    return Scored("tor", n * took, n)
