"""What sections are made of: the rows of one condition, what may be concluded from them, and cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dyad.report.markup import Html, join, tag
from dyad.tables.claims import Claim, claims
from dyad.tables.rows import Row
from dyad.tables.sheets import Sheet, sheets
from dyad.tables.words import named

Key = tuple[str, str]  # archetype and measure
HOLDS = {True: "claim holds", False: "claim refused", None: "claim"}


@dataclass(frozen=True)
class Part:
    """The rows of one condition by table, and what may be concluded by table, archetype and measure."""

    condition: str
    tables: Mapping[str, Sequence[Row]]
    claims: Mapping[tuple[str, str, str], Claim]

    def rows(self, table: str, key: Key | None = None, **where: str) -> list[Row]:
        """Return the rows of a table, of one archetype and measure, whose columns are as given."""
        return [
            row
            for row in self.tables.get(table, ())
            if key in (None, (row["archetype"], row["measure"]))
            and all(row[k] == v for k, v in where.items())
        ]

    def keys(self, *tables: str) -> list[Key]:
        """Return the archetypes and measures of some tables, in their order."""
        return list(
            dict.fromkeys((r["archetype"], r["measure"]) for t in tables for r in self.tables.get(t, ()))
        )

    def claim(self, *names: str, key: Key = ("", "")) -> Html:
        """Return what may be concluded from tables, as a paragraph that repeats nothing; "" without."""
        found = [self.claims[name, *key] for name in names if (name, *key) in self.claims]
        if not found:
            return Html("")
        said = dict.fromkeys(sentence for claim in found for sentence in claim.sentences)
        verdicts = {claim.holds for claim in found}
        holds = next((verdict for verdict in HOLDS if verdict in verdicts), None)
        return tag("p", " ".join(said), class_=HOLDS[holds])

    def titled(self, text: str) -> str:
        """Return a title with the condition, where there are several."""
        return " · ".join(filter(None, (text, self.condition)))


def parts(rows: Sequence[Row]) -> list[Part]:
    """Split the rows of all tables by condition."""
    said = claims(rows)
    return [
        Part(
            condition,
            _by_table([row for row in rows if row["condition"] == condition]),
            {(c.table, c.archetype, c.measure): c for c in said if c.condition == condition},
        )
        for condition in dict.fromkeys(row["condition"] for row in rows)
    ]


def _by_table(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["table"], []).append(row)
    return found


def about(key: Key) -> str:
    """Return what a score is of: its archetype, where it has one, and its measure."""
    return ": ".join(filter(None, (named(key[0]), key[1])))


def card(*content: object) -> Html:
    """Return a card of a grid."""
    return tag("div", *content, class_="card")


def cards(made: Iterable[Html], empty: str) -> Html:
    """Return cards as a grid; where there are none, a sentence that says why."""
    found = list(made)
    return tag("div", *found, class_="cards") if found else tag("p", empty, class_="empty")


def table(title: str, heads: Sequence[object], body: Iterable[Sequence[object]], note: str = "") -> Html:
    """Return a table of texts on a card of its own, the first column naming the lines."""
    lines = (
        tag("tr", tag("th", first, scope="row"), *(tag("td", cell) for cell in rest)) for first, *rest in body
    )
    head = tag("thead", tag("tr", *(tag("th", word, scope="col") for word in heads)))
    caption = tag("caption", tag("b", title), tag("small", note) if note else None)
    made = tag("table", caption, head, tag("tbody", *lines), class_="known")
    return tag("div", made, class_="scroll card", tabindex=0, role="region", aria_label=title)


def tables(part: Part, *names: str) -> Iterator[Html]:
    """Yield tables of rows as people read them, each after what may be concluded from it."""
    for name in names:
        yield from (_sheet(sheet) for sheet in sheets(name, part.tables.get(name, ())))


def _sheet(sheet: Sheet) -> Html:
    return table(sheet.title, sheet.heads, sheet.body, sheet.note)


def folded(title: str, content: Sequence[Html]) -> Html:
    """Return content that opens on demand; nothing where there is none."""
    return tag("details", tag("summary", title), *content, class_="more") if content else Html("")


def stacked(made: Iterable[Html], empty: str) -> Html:
    """Return parts one below the other; where all are empty, a sentence that says why."""
    found = [part for part in made if part]
    return join(*found) if found else tag("p", empty, class_="empty")
