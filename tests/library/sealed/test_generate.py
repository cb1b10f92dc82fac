"""What a set of generated scenarios promises: the same bytes, nothing twice, hashes that hold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.errors import ConfigError
from dyad.library import load_library
from dyad.library.seal import COMMITMENT, Sealed, record_hash, root_hash, write_sealed
from dyad.library.sealed import ARCHETYPES, GENERATOR, canary, generate

SEEDS = st.text(max_size=20)
MADE = st.sampled_from(ARCHETYPES)


def plain(made: list[Sealed]) -> list[str]:
    return [record.model_dump_json() for scenario, roles in made for record in (scenario, *roles)]


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("archetype", ARCHETYPES)
def test_the_same_seed_writes_the_same_bytes_in_another_process(archetype: str, tmp_path: Path) -> None:
    write_sealed(tmp_path / "here", GENERATOR, canary("s"), generate(archetype, 30, "s"))
    code = (
        "import sys; from pathlib import Path; from dyad.library.seal import write_sealed;"
        "from dyad.library.sealed import GENERATOR, canary, generate;"
        "write_sealed(Path(sys.argv[2]), GENERATOR, canary('s'), generate(sys.argv[1], 30, 's'))"
    )
    there = tmp_path / "there"
    command = [sys.executable, "-c", code, archetype, str(there)]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONHASHSEED": "4711"})
    assert files(there) == files(tmp_path / "here")


# Over 300 scenarios to one seed: when one changes, raise GENERATOR and write the new ones here.
ROOTS = {
    "t2": "71d85fea01300d175eae1f72b428e19511be8d96ac2e2bba40fe15354e64614e",
    "t4_1": "ebf88ec90bee76f3f0c96ce860acdb2c04429b83e11c863a9635a412d35642cc",
    "t4_2": "3894000849d6a26e480b6377ab151dc47200faaff19b0b1894e001dc5f0c596a",
    "t4_3": "74f8b17f90451edfa29cae3a6384d18b22c1cdc904edd6da35edfd123b130798",
    "t4_4": "8ebc39d7ac8cb0a95838004ad3f1669e78a55e6da6e52f7500c295d25116ef6d",
}


@pytest.mark.parametrize("archetype", ARCHETYPES)
def test_a_change_of_the_grammar_needs_a_new_revision(archetype: str) -> None:
    made = generate(archetype, 300, "golden")
    root = root_hash({scenario.id: record_hash(scenario, roles) for scenario, roles in made})
    assert (GENERATOR, root) == (1, ROOTS[archetype])


@settings(max_examples=25, deadline=None)
@given(MADE, SEEDS, st.integers(1, 12), st.integers(0, 12))
def test_a_scenario_does_not_depend_on_those_after_it(archetype: str, seed: str, n: int, more: int) -> None:
    assert plain(generate(archetype, n + more, seed))[: 3 * n] == plain(generate(archetype, n, seed))


@settings(max_examples=25, deadline=None)
@given(MADE, SEEDS, SEEDS)
def test_another_seed_makes_other_scenarios(archetype: str, one: str, other: str) -> None:
    if one == other:
        return
    first, second = generate(archetype, 8, one), generate(archetype, 8, other)
    ids = [
        {record.id for scenario, roles in made for record in (scenario, *roles)} for made in (first, second)
    ]
    assert not ids[0] & ids[1]
    assert len(ids[0]) == len(ids[1]) == 3 * 8
    told = [{(s.setting, *(role.brief for role in roles)) for s, roles in made} for made in (first, second)]
    assert not told[0] & told[1]
    assert canary(one) != canary(other)


@settings(max_examples=25, deadline=None)
@given(MADE, SEEDS)
def test_every_file_carries_canary_and_salt(archetype: str, seed: str) -> None:
    made = generate(archetype, 5, seed)
    assert {scenario.provenance["canary"] for scenario, _ in made} == {canary(seed)}
    salts = {scenario.provenance["salt"] for scenario, _ in made}
    assert len(salts) == 5
    assert all(len(bytes.fromhex(salt)) == 16 for salt in salts)
    assert {scenario.split for scenario, _ in made} == {"sealed"}
    assert len({record_hash(scenario, roles) for scenario, roles in made}) == 5


@pytest.mark.parametrize(
    ("archetype", "n", "problem"),
    [
        ("t4_5", 1, "no grammar makes 't4_5'; did you mean"),
        ("t1_1", 1, "no grammar makes 't1_1'"),
        ("t2", 0, "0 scenarios"),
        ("t2", -3, "-3 scenarios"),
        ("t2", 9000, "this seed makes"),
    ],
)
def test_what_cannot_be_made_is_refused(archetype: str, n: int, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        generate(archetype, n, "s")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    write_sealed(folder, GENERATOR, canary("s"), generate("t4_4", 6, "s"))
    load_library([folder], builtin=False)
    return folder


def test_a_word_changed_in_a_role_is_found_on_loading(small: Path) -> None:
    path = sorted((small / "roles").rglob("*.yaml"))[0]
    path.write_text(path.read_text("utf-8").replace("You are", "You were", 1), "utf-8")
    with pytest.raises(ConfigError, match="L14"):
        load_library([small], builtin=False)


def test_a_changed_commitment_is_found_on_loading(small: Path) -> None:
    path = small / COMMITMENT
    commitment = json.loads(path.read_text("utf-8"))
    first = next(iter(commitment["hashes"]))
    commitment["hashes"][first] = "0" * 64
    path.write_text(json.dumps(commitment), "utf-8")
    with pytest.raises(ConfigError, match="root hash"):
        load_library([small], builtin=False)


def test_a_committed_scenario_cannot_leave_its_split(small: Path) -> None:
    path = sorted((small / "scenarios").rglob("*.yaml"))[0]
    path.write_text(path.read_text("utf-8").replace("split: sealed", "split: test"), "utf-8")
    with pytest.raises(ConfigError, match="L14"):
        load_library([small], builtin=False)


def test_a_sealed_scenario_names_no_roles_that_no_hash_covers(tmp_path: Path) -> None:
    scenario, roles = generate("t4_4", 1, "s")[0]
    named = scenario.model_copy(update={"twins": {"easy": {"b": roles[1].id}}})
    write_sealed(tmp_path, GENERATOR, canary("s"), [(named, roles)])
    with pytest.raises(ConfigError, match="twins: L14"):
        load_library([tmp_path], builtin=False)


def test_a_removed_commitment_is_found_on_loading(small: Path) -> None:
    (small / COMMITMENT).unlink()
    with pytest.raises(ConfigError, match="L14 sealed"):
        load_library([small], builtin=False)
