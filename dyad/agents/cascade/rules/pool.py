"""What one pooler knows: its own items, and what it believes it heard."""

from __future__ import annotations

from dataclasses import dataclass, field

from dyad.spec import Item, Sheet

from .acts import Heard


@dataclass
class Pool:
    """Candidates, own items, and the exclusions heard from the other."""

    names: tuple[str, ...]
    items: tuple[Item, ...]  # what excludes candidates
    lures: tuple[Item, ...]  # what only sounds like it matters
    heard_out: set[str] = field(default_factory=set)
    evidence: int = 0  # turns in which the other said anything about the choice

    @property
    def own_out(self) -> set[str]:
        """The candidates that own items exclude."""
        return {n for i in self.items for n in self.excluded(i)}

    @property
    def left(self) -> list[str]:
        """The candidates that nothing known excludes, in order."""
        return [n for n in self.names if n not in self.own_out | self.heard_out]

    def excluded(self, item: Item) -> list[str]:
        """Return the candidates that an item excludes."""
        return [n for n in self.names if (n in item.target) == (item.kind == "eliminate")]

    def news(self, heard: Heard) -> list[str]:
        """Return the candidates that a turn excludes and that were still in."""
        kept = heard.names("keep")
        said = set(heard.names("out")) - set(kept) | ({*self.names} - {*kept} if len(kept) > 1 else set())
        return [n for n in self.left if n in said]

    def take_in(self, heard: Heard) -> list[str]:
        """Strike what a turn excludes; return the news."""
        news = self.news(heard)
        self.heard_out = (self.heard_out | set(news)) - set(heard.names("back"))
        self.evidence += bool(
            {a.kind for a in heard.acts} & {"out", "keep", "propose", "check", "praise", "back"}
        )
        return news

    def why_out(self, name: str) -> Item | None:
        """Return the own item that excludes a name."""
        return next((i for i in self.items if name in self.excluded(i)), None)


def pool_of(sheet: Sheet) -> Pool:
    """Return what a pooler knows before the conversation."""
    facts = tuple(i for i in sheet.private if i.kind in ("eliminate", "keep"))
    return Pool(sheet.candidates, facts, tuple(i for i in sheet.private if i.kind in ("lure", "decoy")))
