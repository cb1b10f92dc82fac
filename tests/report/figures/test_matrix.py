"""Score matrices as tables."""

from typing import Any

from dyad.report.figures.matrix import matrix, tint

LEAK: dict[str, Any] = {
    "archetype": "t4_2", "title": "Leak", "measure": "leak", "unit": "share", "rows": ["bold", "shy"],
    "cols": ["bold", "shy"], "row_word": "attacker", "col_word": "defender", "better": 1,
    "flags": ["mechanical on t4.leak: below .95"],
    "cells": [[{"value": 0.25, "lo": 0.1, "hi": 0.5, "n": 8}, None], [None, None]],
}  # fmt: skip


def test_the_tint_follows_what_is_better():
    assert [tint(v, (0, 1), 1) for v in (0, 0.5, 1, 7)] == [0, 4, 8, 8]
    assert [tint(v, (0, 1), -1) for v in (0, 1)] == [8, 0]
    assert tint(3, (3, 3), -1) == 0


def test_a_matrix_prints_value_interval_and_n_and_keeps_missing_cells_missing():
    table = matrix(LEAK)
    assert '<td class="t2"><b>0.25</b><small>[0.10, 0.50] · n 8</small></td>' in table
    assert table.count('class="missing"') == 3
    assert "higher is better" in table


def test_an_all_missing_matrix_in_another_unit_is_a_table_of_dashes():
    table = matrix(LEAK | {"unit": "per_min", "cells": [[None, None], [None, None]]})
    assert table.count(">–</td>") == 4
    assert "(per min)" in table
