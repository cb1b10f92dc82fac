"""One self-contained page from plain data: no requests, no network, works from a file."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import string
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from dyad.tables.words import MISSING, count

from . import judges
from .markup import Html, join, tag
from .sections import sections

Data = Mapping[str, Any]


def render(data: Data) -> str:
    """Return the report of one study as an HTML page.

    `data` is JSON-able: study, verdict, judges, rows of tables, flags, runs. Numbers that are not finite
    count as missing. Each run lies in a block of its own that is parsed when the run is opened.
    """
    page = clean(data)
    content = string.Template(asset("template.html")).substitute(
        summary=_summary(page["study"], page["verdict"]),
        hidden=" hidden" if _from_tables(page["study"]) else "",
        judges="" if _from_tables(page["study"]) else judges.section(page["judges"]),
        list=run_list("conversations", "scenario", "Task", "Pairing"),
        **sections(page["rows"], page["study"]["mode"], page["flags"]),
    )
    blocks = _run_blocks(page["runs"], page["study"]["judge"])
    return shell(f"{page['study']['name']} · dyad report", content, blocks)


def shell(title: str, content: str, data: Html, about: str = "", more_style: str = "") -> str:
    """Return a whole page around its content: head, scripts, and the blocks of `data` that these read.

    `about` are attributes of the body, by which the scripts know what the page calls things.
    """
    style, script = asset("style.css") + more_style, scripts()
    return string.Template(asset("shell.html")).substitute(
        policy=policy(script, style),
        style=style,
        script=script,
        title=tag("title", title),
        about=about,
        content=content,
        data=data,
    )


def run_list(noun: str, name: str, task: str, pairing: str) -> str:
    """Return the list of runs with its filters, which scripts fill, in the words of the page."""
    words = {"noun": noun, "name": name, "task": task, "pairing": pairing}
    return string.Template(asset("list.html")).substitute(words).rstrip()


def clean(value: Any) -> Any:
    """Return a copy for JSON: numbers that are not finite become None, broken Unicode is mended."""
    if isinstance(value, Mapping):
        return {str(key): clean(item) for key, item in value.items()}
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Sequence):
        return [clean(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def json_block(name: str, value: Any) -> Html:
    """Return `value` as an inert JSON block: ASCII only, and no character that could end or open markup."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return tag("script", Html(text), type="application/json", id=name)


def asset(name: str) -> str:
    """Return a file of this folder: a script, a style or a template."""
    return files(__package__).joinpath(name).read_text("utf-8")


def scripts() -> str:
    """Return the script of a page: lists, and the player in its drawer."""
    return "\n".join(asset(name) for name in ("dom.js", "player.js", "run.js", "page.js"))


def policy(script: str, style: str) -> str:
    """Return the policy of a page's content.

    Only our own script and style run; audio comes from the page or its folder (`blob:` where it had to be
    loaded as a whole); nothing else loads.
    """
    allowed = (
        "default-src 'none'",
        f"script-src '{_digest(script)}'",
        f"style-src '{_digest(style)}'",
        "media-src 'self' file: data: blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(allowed)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _summary(study: Data, verdict: str) -> Html:
    head = tag("p", "dyad report", class_="kicker"), tag("h1", study["name"])
    notes = (
        tag("ul", *(tag("li", note) for note in study["notes"]), class_="notes") if study["notes"] else None
    )
    mdd = (
        tag("p", tag("b", "Smallest difference this design can see: "), study["mdd"])
        if study["mdd"]
        else None
    )
    verdict_box = tag("div", tag("p", verdict, class_="lead"), mdd, notes, class_="verdict")
    return join(*head, verdict_box, facts(study) if _from_tables(study) else _run(study))


def _from_tables(study: Data) -> bool:
    """Whether a study is known by its tables alone, so that judges and conversations have no section."""
    return not study["command"]


def _run(study: Data) -> Html:
    """What was run."""
    command = tag("pre", tag("code", study["command"]), tabindex=0, aria_label="the exact command")
    about = command, facts(study), agents_table(study["agents"])
    return join(_tiles(study), tag("h2", "What was run"), *about)


def _tiles(study: Data) -> Html:
    counts = (
        ("conversations", "n_runs"),
        ("failed to run", "n_failed"),
        ("missing", "n_missing"),
        ("unhealthy, not judged", "n_unhealthy"),
    )
    tiles = (
        tag(
            "div",
            tag("b", count(study[key])),
            tag("span", word),
            class_="warn" if _alarming(key, study) else None,
        )
        for word, key in counts
    )
    return tag("div", *tiles, class_="tiles")


def _alarming(key: str, study: Data) -> bool:
    return key != "n_runs" and bool(study[key])


def facts(study: Data) -> Html:
    """Return when, by which definitions and with what a study's numbers were made."""
    words = {
        "created_utc": "made",
        "dyad": "dyad",
        "mode": "definitions",
        "judge": "judge",
        "asr": "asr",
        "vad": "vad",
    }
    told = (tag("div", tag("dt", word), tag("dd", study[key] or MISSING)) for key, word in words.items())
    return tag("dl", *told, class_="facts")


def agents_table(agents: Sequence[Data]) -> Html:
    """Return the agents of a study with their settings, a line for each."""
    words = ("agent", "adapter", "about", "parameters", "made with")
    head = tag("tr", *(tag("th", word, scope="col") for word in words))
    rows = (
        tag(
            "tr",
            tag("th", agent["name"], scope="row"),
            tag("td", agent["adapter"]),
            tag("td", agent["about"], tag("small", f" {agent['licence']}")),
            tag("td", tag("small", _params(agent["params"])), class_="mono"),
            tag("td", tag("small", "; or ".join(agent["numerics"]) or MISSING)),
        )
        for agent in agents
    )
    return tag("div", tag("table", tag("thead", head), tag("tbody", *rows), class_="agents"), class_="scroll")


def _params(params: Data) -> str:
    return "  ".join(f"{key}={_param(value)}" for key, value in params.items()) or MISSING


def _param(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _run_blocks(runs: Sequence[Data], judge: str | None) -> Html:
    index = [_index_entry(run, judge) for run in runs]
    return join(json_block("index", index), *(json_block(f"data-{i}", run) for i, run in enumerate(runs)))


def _index_entry(run: Data, judge: str | None) -> dict[str, Any]:
    """What the list of conversations sorts, filters and searches, so that it needs no run's own block.

    Its labels are those of the judge behind the scores; a run's own block has them all.
    """
    kept = ("id", "pairing", "archetype", "task", "title", "opener", "repetition", "seed", "duration_s")
    labels = [
        {"question": j["question"], "seat": j["seat"], "label": j["label"], "judge": j["judge"]}
        for j in run["judgments"]
        if j["judge"] == judge
    ]
    spoken = (line["text"] for line in run["lines"])
    words = (run["id"], run["title"], run["scenario"], run["setting"], *run["agents"].values(), *spoken)
    return {key: run[key] for key in kept} | {
        "agents": run["agents"],
        "labels": labels,
        "problems": run["health"]["problems"],
        "healthy": run["health"]["ok"],
        "words": " ".join(word for word in words if word).lower(),
    }
