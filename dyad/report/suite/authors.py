"""The tables of a mode as their authors print them, with comparable published rows below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from dyad.report.markup import Html, join, tag
from dyad.suites.published import Found, Table, found
from dyad.tables.rows import Row

from .alike import letters
from .sheet import OVERLAP, authors, cell, columns, digits, head, marked, set_names

Key = tuple[str, str, str]  # kind, set and measure of a column
Line = tuple[Html, Sequence[Html]]


def tables(rows: Sequence[Row], mode: str, published: Sequence[Table]) -> Iterator[Html]:
    """Yield a table of each version: v1.0 has a line per agent and system, v1.5 one per set and agent."""
    for version, own in authors(rows, mode):
        title = f"{version} · {mode}"
        late = own[0]["archetype"] == OVERLAP
        yield _by_set(own, title) if late else _by_agent(own, title, published)


def is_lettered(rows: Sequence[Row], mode: str, published: Sequence[Table]) -> bool:
    """Whether some column has two intervals, so that numbers have letters."""
    own = [x for _, found_ in authors(rows, mode) for x in found_]
    theirs = [bool(_others(key, published)) for key in columns(own)]
    return len({x["agent"] for x in own}) > 1 or any(theirs)


def _by_agent(rows: Sequence[Row], title: str, published: Sequence[Table]) -> Html:
    keys, names = columns(rows), set_names(dict.fromkeys(x["condition"] for x in rows))
    made = [_column(key, rows, _others(key, published)) for key in keys]
    of_any = {(x["condition"], x["measure"]): x for x in rows}
    groups = [(names[task], len(list(same))) for task, same in groupby(keys, key=lambda key: key[1])]
    heads = [head(kind, of_any[task, name]) for kind, task, name in keys]
    first = tag("tr", tag("td"), *(tag("th", name, scope="colgroup", colspan=n) for name, n in groups))
    second = tag("tr", tag("th", "agent", scope="col"), *(tag("th", x, scope="col") for x in heads))
    agents = sorted({x["agent"] for x in rows})
    systems = dict.fromkeys(who for column in made for who in column if who not in agents)
    body = [(Html(tag("b", who)), [column.get(who, Html("")) for column in made]) for who in agents]
    theirs = [(join(who), [column.get(who, Html("–")) for column in made]) for who in systems]
    lines = [*map(_line, body), *_between(theirs, len(keys)), *map(_line, theirs)]
    return _table(title, marked(rows), join(first, second), lines)


def _others(key: Key, published: Sequence[Table]) -> list[Found]:
    kind, task, measure = key
    return [x for made in published for x in found(made, kind, measure, task)]


def _column(key: Key, rows: Sequence[Row], others: Sequence[Found]) -> Mapping[str, Html]:
    """The cells of a column by agent, then by published system."""
    own = [x for x in rows if (x["condition"], x["measure"]) == key[1:]]
    ends = [(x["low"], x["high"]) for x in own] + [(x.low, x.high) for x in others]
    marks = letters([None if low is None or high is None else (low, high) for low, high in ends])
    texts = [cell(x) for x in own] + [_published(x) for x in others]
    names = [x["agent"] for x in own] + [x.name for x in others]
    return {name: _cell(text, mark) for name, text, mark in zip(names, texts, marks, strict=True)}


def _published(x: Found) -> list[str]:
    ends = f"[{digits(x.low)}, {digits(x.high)}]" if x.low is not None else ""
    return [digits(x.value), *filter(None, (ends, x.note or f"n {x.n}"))]


def _cell(lines: Sequence[str], letters: str = "") -> Html:
    if not lines:
        return Html("")
    first, *rest = lines
    return join(first, tag("sup", letters) if letters else "", *(tag("small", line) for line in rest))


def _by_set(rows: Sequence[Row], title: str) -> Html:
    """A line per set and agent; letters compare the agents on a set."""
    names = set_names(dict.fromkeys(x["condition"] for x in rows))
    kind, measures = rows[0]["archetype"], list(dict.fromkeys(name for _, _, name in columns(rows)))
    of_any = {x["measure"]: x for x in rows}
    heads = ["set", "agent", *(head(kind, of_any[name]) for name in measures)]
    lines = []
    for task in names:
        made = [_column((kind, task, name), rows, ()) for name in measures]
        agents = sorted({x["agent"] for x in rows if x["condition"] == task})
        for place, who in enumerate(agents):
            cells = [join(who), *(column.get(who, Html("")) for column in made)]
            span = [] if place else [tag("th", names[task], scope="rowgroup", rowspan=len(agents))]
            lines.append(tag("tr", *span, *(tag("td", cell) for cell in cells)))
    first = tag("tr", *(tag("th", word, scope="col") for word in heads))
    return _table(title, marked(rows), first, lines)


def _line(line: Line) -> Html:
    name, cells = line
    return tag("tr", tag("th", name, scope="row"), *(tag("td", cell) for cell in cells))


def _between(theirs: Sequence[Line], width: int) -> Iterator[Html]:
    if theirs:
        words = "published by others, who had another ASR and another judge"
        yield tag("tr", tag("th", words, scope="rowgroup", colspan=width + 1), class_="between")


def _table(title: str, note: str, head: Html, lines: Sequence[Html]) -> Html:
    caption = tag("caption", tag("b", title), tag("small", note) if note else None)
    made = tag("table", caption, tag("thead", head), tag("tbody", *lines), class_="known authors")
    return tag("div", made, class_="scroll card", tabindex=0, role="region", aria_label=title)
