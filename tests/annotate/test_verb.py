"""The verb `annotate` as it is typed: what is refused before a page is served."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyad.cli.main import run

pytestmark = pytest.mark.xdist_group("annotate")  # what is set up once is set up by one worker


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["study=small"], "by is missing: who labels?"),
        (["study=small", "by=A B"], "by = 'A B' must be 1 to 8 letters or digits"),
        (["study=small", "by=../x"], "by = '../x' must be 1 to 8 letters or digits"),
        (["study=small", "by=AB", "n=0"], "n = '0' must be a whole number from 1"),
        (["study=small", "by=AB", "n=ten"], "n = 'ten' must be a whole number"),
        (["study=small", "by=AB", "seed=-1"], "seed = '-1' must be a whole number"),
        (["study=small", "by=AB", "port=70000"], "port = '70000' must be a whole number from 0 to 65535"),
        (["study=small", "by=AB", f"port={'9' * 5000}"], "must be a whole number from 0 to 65535"),
        (["study=small", "by=AB", "questions=t2.choise"], "did you mean 't2.choice'"),
        (["study=small", "by=AB", "questions=[t2.choice,t3.points]"], "people are not asked 't3.points'"),
        (["study=smal", "by=AB"], "did you mean 'small'"),
        (["by=AB"], "name one stored study"),
        (["study=small", "by=AB", "window_s=9"], "'window_s' cannot be changed in a stored study"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(
    store: Path, words: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["annotate", *words, f"store={store}"]) == 2
    told = capsys.readouterr().err
    assert line in told
    assert told.count("\n") == 1
