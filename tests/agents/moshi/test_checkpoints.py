"""Where weights come from, named before anything is loaded: folder, hub cache, hub; and every refusal."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

hub_client = pytest.importorskip("huggingface_hub")
pytest.importorskip("moshi")

from dyad import sums  # noqa: E402
from dyad.agents.moshi import hub, sources  # noqa: E402
from dyad.agents.moshi.checkpoints import CHECKPOINTS, MIMI, MODEL, TOKENIZER  # noqa: E402
from dyad.agents.moshi.params import MoshiParams, PersonaPlexParams  # noqa: E402
from dyad.agents.moshi.sources import assets  # noqa: E402

ROOT = Path(__file__).parents[3]
COMMIT = "0123456789abcdef0123456789abcdef01234567"
CONTENT = {MODEL: b"model" * 9, MIMI: b"mimi" * 9, TOKENIZER: b"words" * 9, "voices.tgz": b"voices" * 9}
SUMS = {name: hashlib.sha256(content).hexdigest() for name, content in CONTENT.items()}
NAMED = {"engine": "1", "model": SUMS[MODEL], "mimi": SUMS[MIMI], "tokenizer": SUMS[TOKENIZER]}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the hub client, and a hub that nobody answers for."""
    monkeypatch.setattr(hub_client.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(hub_client.constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
    reach("http://127.0.0.1:9", monkeypatch)
    return tmp_path / "hub"


def reach(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the hub client ask at `url`."""
    monkeypatch.setattr(hub_client.constants, "ENDPOINT", url)
    template = url + "/{repo_id}/resolve/{revision}/{filename}"
    for module in (hub_client.constants, hub_client.file_download):  # older clients have a copy
        monkeypatch.setattr(module, "HUGGINGFACE_CO_URL_TEMPLATE", template, raising=False)


def fill(cache: Path, checkpoint: str, names: list[str]) -> None:
    """Put files where the hub client would have put them."""
    place = cache / f"models--{CHECKPOINTS[checkpoint].repo.replace('/', '--')}"
    for part in ("blobs", "refs", f"snapshots/{COMMIT}"):
        (place / part).mkdir(parents=True, exist_ok=True)
    (place / "refs/main").write_text(COMMIT)
    for name in names:
        (place / "blobs" / SUMS[name]).write_bytes(CONTENT[name])
        (place / "snapshots" / COMMIT / name).symlink_to(f"../../blobs/{SUMS[name]}")


# A folder


def test_a_folder_is_named_by_what_it_holds(folder: Path, tmp_path: Path) -> None:
    found = assets(MoshiParams(weights=str(folder)), "")
    assert found["model"] == hashlib.sha256((folder / MODEL).read_bytes()).hexdigest()
    assert set(found) == {"engine", "model", "mimi", "tokenizer", "mimi_config", "architecture"}
    folder.rename(tmp_path / "elsewhere")
    assert assets(MoshiParams(weights=str(tmp_path / "elsewhere")), "") == found
    with (tmp_path / "elsewhere" / MODEL).open("ab") as file:
        file.write(b" ")
    assert assets(MoshiParams(weights=str(tmp_path / "elsewhere")), "")["model"] != found["model"]


@pytest.mark.parametrize("name", [MODEL, MIMI, TOKENIZER])
def test_a_missing_file_is_named(folder: Path, name: str, refused: Callable[..., str]) -> None:
    (folder / name).unlink()
    line = refused(assets, MoshiParams(weights=str(folder)), "")
    assert f"has no {name}; it must hold" in line
    assert "https://huggingface.co/kyutai/moshiko-pytorch-bf16" in line


def test_a_missing_folder_is_named(refused: Callable[..., str]) -> None:
    assert "weights folder nowhere does not exist" in refused(assets, MoshiParams(weights="nowhere"), "")


@pytest.mark.parametrize(
    "name", ["../model.safetensors", "/etc/passwd", "a/../../b", "C:\\model", "..\\b", 3]
)
def test_names_stay_inside_the_folder(folder: Path, name: object, refused: Callable[..., str]) -> None:
    (folder / "config.json").write_text(json.dumps({"moshi_name": name}))
    assert "is not a name inside the folder" in refused(assets, MoshiParams(weights=str(folder)), "")


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({"n_q": 32}, "n_q = 32 is not supported"),
        ({"delays": [0] * 17}, "delays ="),
        ({"dims": 64}, "dims = 64 is not supported (extra inputs are not permitted)"),
        ({"model_type": "hibiki"}, "describes a 'hibiki' model"),
        ({"lora": True}, "'lora' is not supported; merge"),
        ({"norm_emb": True}, "norm_emb = True is not supported"),
        ({"causal": False}, "causal = False is not supported"),
        ([], "holds no JSON object"),
    ],
)
def test_another_kind_of_model_is_refused(
    folder: Path, config: object, says: str, refused: Callable[..., str]
) -> None:
    (folder / "config.json").write_text(json.dumps(config))
    assert says in refused(assets, MoshiParams(weights=str(folder)), "")


def test_a_config_may_leave_out_what_is_usual(folder: Path) -> None:
    usual = {
        "lora": False,
        "norm_emb": False,
        "text_card_out": None,
        "depformer_causal": True,
        "lm_gen_config": {"temp": 0.8},
    }
    (folder / "config.json").write_text(json.dumps(usual))
    assert "architecture" not in assets(MoshiParams(weights=str(folder)), "")


def test_a_config_that_is_no_json_is_refused(folder: Path, refused: Callable[..., str]) -> None:
    (folder / "config.json").write_text("{")
    assert "config.json is no JSON file" in refused(assets, MoshiParams(weights=str(folder)), "")


def test_personaplex_does_not_read_its_config(folder: Path) -> None:
    (folder / "config.json").write_text("{}")
    found = assets(PersonaPlexParams(weights=str(folder)), "")
    assert set(found) == {"engine", "model", "mimi", "tokenizer"}


def test_random_weights_are_named_by_their_seed() -> None:
    found = assets(MoshiParams(weights="random:tiny", random_seed=3), "")
    assert found == {"engine": "1", "weights": "random:tiny/3", "generator": "1"}


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]) -> None:
    monkeypatch.setattr(sources, "PACKAGES", ("torch", "no_such_package"))
    line = refused(assets, MoshiParams(weights="random:tiny"), "")
    assert line == 'the Moshi models need no_such_package; run: pip install ".[moshi]"'


# Sums


def test_sums_of_large_files_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = tmp_path / "large"
    large.write_bytes(bytes(sums.SMALL))
    true = hashlib.sha256(bytes(sums.SMALL)).hexdigest()
    assert sums.sha256_of(large) == true
    book = tmp_path / "cache/dyad/sums.json"
    book.write_text(book.read_text().replace(true, "remembered"))
    assert sums.sha256_of(large) == "remembered"
    os.utime(large, ns=(0, 1))
    assert sums.sha256_of(large) == true
    book.write_text("{broken")
    assert sums.sha256_of(large) == true
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert sums.sha256_of(large) == true


# The hub's cache


def test_cached_files_are_used_without_a_network(cache: Path) -> None:
    fill(cache, "moshiko", [MODEL, MIMI, TOKENIZER])
    assert assets(MoshiParams(), "") == NAMED
    source = sources.source_of(MoshiParams())
    assert source is not None
    assert source.label == f"kyutai/moshiko-pytorch-bf16@{COMMIT}"
    assert source.files["model"].read_bytes() == CONTENT[MODEL]


def test_gated_files_in_the_cache_need_no_token(cache: Path) -> None:
    fill(cache, "personaplex-7b-v1", list(CONTENT))
    assert assets(PersonaPlexParams(), "") == NAMED
    assert assets(PersonaPlexParams(), "NATF2") == NAMED | {"voices": SUMS["voices.tgz"]}


def test_an_unknown_voice_is_refused(cache: Path, refused: Callable[..., str]) -> None:
    fill(cache, "personaplex-7b-v1", list(CONTENT))
    assert "has no voice 'NATF9'; did you mean 'NATF" in refused(assets, PersonaPlexParams(), "NATF9")
    assert "voice her.wav does not exist" in refused(assets, PersonaPlexParams(), "her.wav")


def test_the_same_bytes_are_the_same_weights(cache: Path, tmp_path: Path) -> None:
    fill(cache, "moshiko", [MODEL, MIMI, TOKENIZER])
    for name in (MODEL, MIMI, TOKENIZER):
        (tmp_path / name).write_bytes(CONTENT[name])
    assert assets(MoshiParams(), "") == assets(MoshiParams(weights=str(tmp_path)), "")


# The hub


class Hub(BaseHTTPRequestHandler):
    """Answers as the hub does, for the files of CONTENT; `refusal` is a status and an error code."""

    refusal: tuple[int, str] | None = None
    asked: list[str] = []  # noqa: RUF012

    def do_HEAD(self) -> None:
        """Tell what a file is."""
        self.answer(body=False)

    def do_GET(self) -> None:
        """Send a file."""
        self.answer(body=True)

    def answer(self, body: bool) -> None:
        """Send headers, and a body when asked. The model lies in a store that takes no questions."""
        name, stored = self.path.rpartition("/")[2], self.path.startswith("/store/")
        self.asked.append(f"{self.command} {name}")
        status, code = self.refusal or ((200, "") if name in CONTENT else (404, "EntryNotFound"))
        if status == 200 and name == MODEL:
            status = (200 if body else 403) if stored else 302
        self.send_response(status)
        if code:
            self.send_header("X-Error-Code", code)
        content = CONTENT.get(name, b"") if status == 200 else b""
        plain = name == TOKENIZER  # small files have another kind of sum
        self.send_header("ETag", '"' + ("a" * 40 if plain else SUMS.get(name, "")) + '"')
        if status == 302:
            self.send_header("Location", f"http://localhost:{self.server.server_address[1]}/store/{name}")
            self.send_header("X-Linked-Size", str(len(CONTENT[name])))
        if status == 302 or self.refusal:  # what is refused may be named all the same
            self.send_header("X-Linked-Etag", f'"{SUMS[name]}"')
        # after the model, main moves on
        main = COMMIT if name == MODEL else "f" * 40
        self.send_header("X-Repo-Commit", COMMIT if f"/{COMMIT}/" in self.path else main)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if body:
            self.wfile.write(content)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Hub]]:
    """A hub on this machine."""
    monkeypatch.setattr(Hub, "asked", [])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    reach(f"http://127.0.0.1:{server.server_port}", monkeypatch)
    yield Hub
    server.shutdown()
    server.server_close()


def test_the_hub_names_weights_without_a_download(served: type[Hub]) -> None:
    assert assets(MoshiParams(), "") == NAMED
    # the client itself asks for more than that
    assert [name for name in CONTENT if f"GET {name}" in served.asked] == [TOKENIZER]


def test_what_is_downloaded_is_what_was_named(served: type[Hub]) -> None:
    named = assets(MoshiParams(), "")
    source = sources.source_of(MoshiParams())
    assert source is not None
    assert source.files["mimi"].read_bytes() == CONTENT[MIMI]
    assert {path.parent.name for path in source.files.values()} == {COMMIT}
    assert assets(MoshiParams(), "") == named


@pytest.mark.parametrize(
    ("refusal", "says"),
    [
        ((403, "GatedRepo"), "refuses this HF_TOKEN: accept the NVIDIA Open Model License at https://"),
        ((401, "RepoNotFound"), "shows no nvidia/personaplex-7b-v1 to this HF_TOKEN"),
        ((404, "RevisionNotFound"), "has no revision 'main'"),
        ((404, "EntryNotFound"), f"has no file '{MODEL}' at revision 'main'"),
        ((503, ""), "cannot reach the Hugging Face hub"),
    ],
)
def test_a_refusal_of_the_hub_says_what_to_do(
    served: type[Hub],
    monkeypatch: pytest.MonkeyPatch,
    refusal: tuple[int, str],
    says: str,
    refused: Callable[..., str],
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setattr(Hub, "refusal", refusal)
    for ask in (assets, lambda params, voice: hub.download(CHECKPOINTS[params.checkpoint], MODEL, "main")):
        line = refused(ask, PersonaPlexParams(), "")
        assert says in line
        assert "hf_secret" not in line


def test_a_hub_out_of_reach_is_one_line(
    refused: Callable[..., str], capfd: pytest.CaptureFixture[str]
) -> None:
    line = refused(assets, MoshiParams(checkpoint="moshika"), "")
    assert capfd.readouterr() == ("", "")  # no tale of retries
    assert line.startswith("cannot reach the Hugging Face hub for kyutai/moshika-pytorch-bf16 (")
    assert "agent.moshi.weights=FOLDER" in line


def test_a_gated_model_without_a_token_asks_no_network(
    served: type[Hub], refused: Callable[..., str]
) -> None:
    line = refused(assets, PersonaPlexParams(), "")
    assert served.asked == []
    for part in (
        "https://huggingface.co/nvidia/personaplex-7b-v1",
        "HF_TOKEN",
        "agent.personaplex.weights=FOLDER",
    ):
        assert part in line


def test_the_command_line_says_it_and_writes_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dyad", "run", "pairing=pp_pp", "task=t3", f"store={tmp_path / 'store'}"]
    hidden = {k: v for k, v in os.environ.items() if k not in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=hidden | {"HF_HOME": str(tmp_path / "hf"), "XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    weights, licence, *_ = done.stderr.splitlines()  # and how much memory, where there is less
    assert "agent.personaplex.weights=FOLDER" in weights
    assert "https://huggingface.co/nvidia/personaplex-7b-v1" in licence
    assert "HF_TOKEN" in licence
    assert list(tmp_path.iterdir()) == []
