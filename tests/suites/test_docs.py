"""What docs say of suites is so, and what they tell people to type can be planned."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import get_args

import pytest

from dyad import registry
from dyad.cli.args import Args, parse
from dyad.cli.compose import compose
from dyad.cli.suite import spelled
from dyad.hear.ears import ears_of
from dyad.judge.questions import question
from dyad.pipeline import check
from dyad.plan import make_plan
from dyad.spec.study import StudyConfig
from dyad.suites import mini
from dyad.suites.fdb.behaviour import TAGS
from dyad.suites.fdb.family import ASKED, MEASURES, V1, V15
from dyad.suites.fdb.flags import FLAGS
from dyad.suites.fdb.layout import V1 as V1_SETS
from dyad.suites.fdb.layout import V15 as V15_SETS
from dyad.suites.fdb.measures import BETTER
from dyad.suites.protocol import Status
from dyad.suites.published import names, published

ROOT = Path(__file__).parents[2]
SUITES = (ROOT / "docs/suites.md").read_text("utf-8")
AGENTS = (ROOT / "docs/agents.md").read_text("utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ONE_EACH = ("mini_pause_handling.0", "mini_backchannel.0", "mini_turn_taking.0", "mini_user_interruption.0",
            "mini_overlap_user_interruption.0")  # fmt: skip


def table(page: str, head: str) -> dict[str, list[str]]:
    """The cells of the table whose first head is given, by their line's first cell."""
    lines = page.split(f"\n| {head} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    return {first: rest for first, *rest in cells}


def code(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


# -- tables ----------------------------------------------------------------------------------------


def test_every_flag_has_its_line_in_the_words_of_the_code() -> None:
    assert {code(name)[0]: about for name, (about,) in table(SUITES, "flag").items()} == FLAGS


def test_every_suite_and_status_has_a_line() -> None:
    assert {code(name)[0] for name in table(SUITES, "suite")} == set(registry.BUILT_IN["suites"])
    assert {code(name)[0] for name in table(SUITES, "status")} == set(get_args(Status))


def test_every_set_has_its_rules() -> None:
    tasks = table(SUITES, "task: sets that end in")
    ends = {end for name in tasks for end in code(name.partition(":")[2])}
    assert ends == {*V1_SETS, *V15_SETS}
    assert len(mini.SETS) == 8
    assert "eight tasks" in SUITES


def test_every_measure_has_its_unit_its_direction_and_the_words_of_the_code() -> None:
    told = {name: cells for names_, cells in table(SUITES, "measure").items() for name in code(names_)}
    parts = re.compile(r"_(pre|post|clean)$")
    assert set(told) == {parts.sub("_…", name) for name in MEASURES}
    for name, measure in MEASURES.items():
        unit, about = told[parts.sub("_…", name)]
        better = {sign for (_, of), sign in BETTER.items() if of == name} or {measure.better}
        arrows = "".join({1: "↑", -1: "↓", 0: ""}[sign] for sign in sorted(better))
        assert unit == f"{measure.unit} {arrows}".strip(), name
        assert parts.search(name) or about == measure.about, name


def test_judges_are_asked_what_the_page_says() -> None:
    said = SUITES.split("## Judges")[1].split("##")[0]
    assert {"fdb.rating", "fdb.behaviour", *TAGS.values()} <= set(code(said))
    assert set(question("fdb.behaviour").labels) == set(TAGS.values())
    assert list(question("fdb.rating").labels) == list("012345")
    assert ASKED == V1.asked == V15.asked == {"interruption", "overlap"}


def test_published_tables_stand_where_the_page_says() -> None:
    assert names() == ["fdb_french", "fdb_v1"]
    assert published("fdb_v1").suite == "fdb_v1"
    assert published("fdb_v1").mode == "compat"
    assert published("fdb_french").suite not in registry.BUILT_IN["suites"]


def test_every_recogniser_has_a_line() -> None:
    lines = {code(name)[0]: cells for name, cells in table(AGENTS, "`asr`").items()}
    assert set(lines) == set(registry.BUILT_IN["asr"])
    for name, (_, needs, *_) in lines.items():
        home = ears_of(name).home
        assert ("own environment" in needs) == (home is not None)
        if home is not None:
            assert f"{home.weights[0].size_gb:g} GB of weights" in needs
            assert f"{home.gpu_gb:g} GB of a GPU" in needs


# -- commands --------------------------------------------------------------------------------------


def commands() -> list[Args]:
    """Every `python -m dyad suite …` line of a shell block."""
    blocks = [b for page in PAGES for b in re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.S)]
    lines = dict.fromkeys(line for block in blocks for line in block.splitlines())
    typed = [line for line in lines if line.startswith("python -m dyad suite ")]
    return [parse(shlex.split(line, comments=True)[3:]) for line in typed]


COMMANDS = commands()
# As the page says beside its tables.
FURTHER = [
    "suite=fdb_v1 agent=recorded agent.recorded.stem=moshi agent.recorded.name=moshi data=FDB",
    "suite=fdb_mini agent=cascade suite.limit=1 suite.flags.stop_capped=false",
    "suite=fdb_mini agent=cascade suite.lead_s=5 suite.tail_s=20 suite.prompt=Hi suite.repetitions=2",
    "suite=fdb_v1 agent=recorded data=FDB suite.transcripts=heard suite.references=FDB/v1_0",
]


@pytest.fixture(scope="module")
def fdb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as that of the authors, with answers: a stimulus of each kind, which answers itself."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("hibari")
    pytest.importorskip("faster_whisper")
    folder = tmp_path_factory.mktemp("fdb")
    mini.build(folder, ONE_EACH)
    for sound in folder.rglob("input.wav"):
        for stem in ("output", "human", "moshi"):
            shutil.copy(sound, sound.with_name(f"{stem}.wav"))
            shutil.copy(sound, sound.with_name(f"clean_{stem}.wav"))
    return folder


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, fdb: Path) -> Path:
    """A store that has the small set already, with a stimulus of each kind only."""
    folder = tmp_path_factory.mktemp("store")
    made = folder / ".cache" / "suites"
    made.mkdir(parents=True)
    shutil.copytree(fdb, made / f"fdb_mini-{mini.folders._made_of()}")
    return folder


def test_there_are_commands() -> None:
    suites = {o for args in COMMANDS for o in args.overrides if o.startswith("suite=")}
    assert suites == {f"suite={name}" for name in registry.BUILT_IN["suites"]}


@pytest.mark.parametrize("args", COMMANDS, ids=lambda a: a.command)
def test_suites_that_pages_name_can_be_planned(args: Args, fdb: Path, store: Path) -> None:
    assert planned(args.overrides, fdb, store)


@pytest.mark.parametrize("line", FURTHER)
def test_options_that_the_page_names_are_there(line: str, fdb: Path, store: Path) -> None:
    assert planned(tuple(line.split()), fdb, store)


def planned(overrides: tuple[str, ...], fdb: Path, store: Path) -> tuple[object, ...]:
    """The runs of a command, on the folder of the tests in place of the reader's, and in their store."""
    kept = [o for o in overrides if not o.startswith("store=")]
    own = [re.sub(r"^data=.*", f"data={fdb}", o).replace("=FDB/v1_0", f"={fdb}/v1_0") for o in kept]
    studies = [drawn(study) for study in compose((*spelled(own), f"store={store}")).studies]
    check(studies[0])
    return make_plan(studies).runs


def drawn(study: StudyConfig) -> StudyConfig:
    """The same study with random weights where an agent's are to be fetched."""
    agent = study.pairing.a
    if agent.params.get("weights") != "hub":
        return study
    agent = agent.model_copy(update={"params": agent.params | {"weights": "random:tiny"}})
    return study.model_copy(update={"pairing": study.pairing.model_copy(update={"a": agent})})
