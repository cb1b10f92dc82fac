"""The Hugging Face hub: what its cache on this machine holds, what the hub says, and downloads.

The token is the hub client's own (HF_TOKEN or its log-in file); it is never shown or stored here.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dyad.agents.moshi.checkpoints import Checkpoint
from dyad.errors import ConfigError
from dyad.sums import sha256_of

TIMEOUT_S = 5.0  # for the hub to answer a question about one file; there is no second try


def cached(checkpoint: Checkpoint, name: str, revision: str) -> Path | None:
    """Return a file of the hub's local cache; None when it is not there. Asks no network."""
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(checkpoint.repo, name, revision=revision)
    return Path(found) if isinstance(found, str) else None


def commit_of(path: Path) -> str:
    """Return the commit that a cached file belongs to."""
    return path.parent.name


def sum_of(path: Path) -> str:
    """Return the SHA-256 of a cached file; the hub names large files after it."""
    blob = path.resolve().name
    return blob if _is_sha256(blob) else sha256_of(path)


def remote_sum(checkpoint: Checkpoint, name: str, revision: str) -> str:
    """Return the SHA-256 of a file on the hub, without downloading it. Raises ConfigError when it can't."""
    etag = _asked(checkpoint, name, revision)
    # the hub tells the sum of large files only; the others are small
    return etag if _is_sha256(etag) else sum_of(download(checkpoint, name, revision))


def download(checkpoint: Checkpoint, name: str, revision: str) -> Path:
    """Return a file of the hub, downloaded into its cache unless it is there. Raises ConfigError."""
    if path := cached(checkpoint, name, revision):
        return path
    from huggingface_hub import get_token, hf_hub_download

    _asked(checkpoint, name, revision)  # one question fails at once where a download tries again and again
    try:
        return Path(hf_hub_download(checkpoint.repo, name, revision=revision, token=get_token()))
    except Exception as error:  # as below
        raise ConfigError(
            f"the download of {name} from {checkpoint.repo} broke off ({type(error).__name__}); "
            "check the free space and run the same command again, it goes on from there"
        ) from None


def _asked(checkpoint: Checkpoint, name: str, revision: str) -> str:
    """Return what the hub calls the content of a file; raises ConfigError when it does not answer so."""
    _need_token(checkpoint)
    try:
        return _etag(_head(f"{checkpoint.repo}/resolve/{quote(revision, safe='')}/{quote(name)}"))
    except Exception as error:  # the client raises its own errors and those of whichever HTTP library it uses
        raise _refusal(checkpoint, name, revision, error) from None


def _etag(response: Any) -> str:
    """Return the name of a file's content; raises what the client raises for a refusal."""
    # the hub names a large file, then points to a store, which may refuse a mere question
    answers = [r for r in (*response.history, response) if r.status_code < 400]
    linked = [r.headers.get("X-Linked-Etag") for r in answers]
    etag = next((etag for etag in linked if etag), None)
    if etag is None:
        _client().hf_raise_for_status(response)
        etag = response.headers.get("ETag") or ""
    return str(etag).removeprefix("W/").strip('"')


def _head(path: str) -> Any:
    """Ask the hub once. The client's own question tries six times, which is long without a network."""
    from huggingface_hub import constants, get_token

    url, token = f"{constants.ENDPOINT}/{path}", get_token()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return _client().get_session().request("HEAD", url, headers=headers, timeout=TIMEOUT_S)


def _client() -> Any:
    """Return the hub client's helpers, whose types differ from version to version."""
    return importlib.import_module("huggingface_hub.utils")


def _is_sha256(text: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{64}", text) is not None


def has_token() -> bool:
    """Whether the hub's client knows who asks; says nothing about what that user may have."""
    from huggingface_hub import get_token

    return bool(get_token())


def _need_token(checkpoint: Checkpoint) -> None:
    """A gated file without a token is refused here, before any network is asked."""
    if checkpoint.gated and not has_token():
        raise ConfigError(
            f"{checkpoint.repo} is gated: accept the {checkpoint.licence} at {checkpoint.page} and set "
            f"HF_TOKEN, or give a folder that holds its files: {folder_option(checkpoint)}"
        )


def folder_option(checkpoint: Checkpoint) -> str:
    """Return the override that makes an agent use local files."""
    return f"agent.{checkpoint.adapter}.weights=FOLDER"


def _refusal(checkpoint: Checkpoint, name: str, revision: str, error: Exception) -> ConfigError:
    """Say in one line why the hub gave nothing, and what to do."""
    from huggingface_hub import errors

    repo, page = checkpoint.repo, checkpoint.page
    if isinstance(error, errors.GatedRepoError):
        return ConfigError(
            f"{repo} refuses this HF_TOKEN: accept the {checkpoint.licence} at {page} with the same account, "
            f"or give a local folder: {folder_option(checkpoint)}"
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return ConfigError(f"{repo} has no revision '{revision}'; use main or a commit of {page}/commits")
    if isinstance(error, errors.RepositoryNotFoundError):
        return ConfigError(f"the hub shows no {repo} to this HF_TOKEN; unset or renew the token, see {page}")
    if isinstance(error, errors.EntryNotFoundError):
        return ConfigError(f"{repo} has no file '{name}' at revision '{revision}'; set another revision")
    return ConfigError(
        f"cannot reach the Hugging Face hub for {repo} ({type(error).__name__}); try again online, or fetch "
        f"the files of {page} elsewhere and give their folder: {folder_option(checkpoint)}"
    )
