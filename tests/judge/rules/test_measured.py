"""What is known of the rules is what they do."""

from __future__ import annotations

from dyad.cli.compose import compose
from dyad.judge.check import check, shipped_check
from dyad.judge.known import known_answers
from dyad.judge.protocol import one_by_one
from dyad.judge.rules import label, reads
from dyad.library import load_library
from dyad.pipeline.judging import checked_as


def test_the_shipped_check_is_what_the_rules_do_now() -> None:
    (settings,) = compose(["judge=mechanical"]).studies[0].judges
    items = [item for item in known_answers(load_library()) if reads(item.subject)]
    now = check(checked_as(settings), lambda draw: one_by_one(label), items)
    shipped = shipped_check()
    assert shipped is not None
    assert shipped.model_copy(update={"date": now.date}) == now, "`make known` renews the check of the rules"


def test_no_injection_moves_the_rules() -> None:
    shipped = shipped_check()
    assert shipped is not None
    assert shipped.obeyed == ()
    assert all(not found.flips.hits for found in shipped.letters)
