"""What README and docs tell a newcomer to type is planned, not only printed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dyad.cli.args import Args, parse
from dyad.cli.compose import compose
from dyad.cli.power import is_asked, power
from dyad.plan import make_plan
from dyad.spec.study import StudyConfig

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
OWN_FILES = ("--config-dir", "scenario_dirs", "base/wren")  # examples with files that the reader writes first


def commands() -> list[Args]:
    """Every `python -m dyad …` line of a shell block, continued lines joined."""
    found = []
    for page in PAGES:
        for block in re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.S):
            for line in block.replace("\\\n", " ").splitlines():
                words = shlex.split(line, comments=True)
                words = [word for word in words if not word.startswith("HF_TOKEN=")]
                if words[:3] == ["python", "-m", "dyad"] and not any(x in line for x in OWN_FILES):
                    found.append(parse(words[3:]))
    return found


def test_there_are_commands() -> None:
    assert {args.verb for args in commands()} >= {"run", "plan", "show", "measure"}


PLANNED = [c for c in commands() if is_asked(c)]
STUDIES = [c for c in commands() if c.verb in ("run", "plan") and c not in PLANNED]
SHOWN = [c for c in commands() if c.verb == "show" and c.words != ("RUN_ID",)]


@pytest.mark.parametrize("args", STUDIES, ids=lambda a: a.command)
def test_studies_that_pages_name_can_be_planned(args: Args) -> None:
    pytest.importorskip("onnxruntime")
    assert make_plan([drawn(study) for study in compose(args.overrides).studies]).runs


def drawn(study: StudyConfig) -> StudyConfig:
    """The same study with doubles, or random weights, or rules, where an agent's model is elsewhere."""
    agents = {seat: getattr(study.pairing, seat) for seat in ("a", "b")}
    for seat, agent in agents.items():
        if agent.params.get("policy") == "llm":
            agents[seat] = agent.model_copy(update={"params": agent.params | {"policy": "rules"}})
        if agent.params.get("weights") == "hub":
            instead = {"upstream": "double"} if "upstream" in agent.params else {"weights": "random:tiny"}
            params = agent.params | instead
            agents[seat] = agent.model_copy(update={"params": params})
    return study.model_copy(update={"pairing": study.pairing.model_copy(update=agents)})


@pytest.mark.parametrize("args", SHOWN, ids=lambda a: a.command)
def test_runs_that_pages_name_are_in_the_demo(args: Args) -> None:
    pytest.importorskip("onnxruntime")
    ids = [run.id for run in make_plan(compose(["study=demo"]).studies).runs]
    assert len([i for i in ids if i.startswith(args.words[0])]) == 1


@pytest.mark.parametrize("args", PLANNED, ids=lambda a: a.command)
def test_differences_that_pages_name_can_be_planned(args: Args) -> None:
    assert power(args) == 0
