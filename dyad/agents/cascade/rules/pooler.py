"""T2: two speakers pool what each knows until one candidate is left."""

from __future__ import annotations

from collections.abc import Sequence

from dyad.spec import Item

from ..types import Say
from .acts import Heard
from .pool import pool_of
from .talk import Talk
from .words import as_named, first_person, listed


class Pooler:
    """Tells its own items, strikes what either side excludes, and names a choice only when it follows."""

    haste, done = 1.0, False

    def __init__(self, talk: Talk) -> None:
        self.talk, self.pool = talk, pool_of(talk.sheet)
        self.proposed = ""
        sheet, article = talk.sheet, talk.language.article
        self.shown = {name: as_named(name, sheet.setting, article) for name in sheet.candidates}

    def open(self) -> list[Say]:
        """Name the choice, then tell a first item or ask for one."""
        first = self.line("open", "open", all=self.listed(self.pool.names, "or"))
        return first + (self.next_item() if self.willing() else self.line("ask", "ask"))

    def reply(self, heard: Heard) -> list[Say]:
        """Take in what was said; answer a proposal or a check, else go on."""
        news = self.pool.take_in(heard)
        if answer := self.answer(heard):
            open_ = not self.done and len(self.pool.left) == 1 and not heard.names("check")
            return answer + (self.go_on() if open_ else [])
        return self.react(heard, news) + self.go_on(asked=heard.has("ask"))

    def early(self, heard: Heard) -> list[Say]:
        """Come in when the unfinished turn already leaves one candidate."""
        left = [n for n in self.pool.left if n not in self.pool.news(heard)]
        if len(left) != 1 or len(self.pool.left) == 1:
            return []
        self.pool.take_in(heard)
        return [Say(self.talk.language.wait, "react"), *self.propose(left[0])]

    def nudge(self) -> list[Say]:
        """Go on by itself; without a word from the other it never decides."""
        if not self.pool.evidence and not self.untold():
            return self.line("alone", "undecided") + self.line("ask", "ask")
        return self.go_on(asked=True)

    def answer(self, heard: Heard) -> list[Say]:
        """Answer a proposal, an assent to an own proposal, or a check; nothing if there was none."""
        for name in heard.names("propose"):
            return self.judge(name)
        assent = heard.has("agree") and not heard.has("disagree", "out")
        if assent and self.proposed in self.pool.left:
            return self.settle("confirm", self.proposed)
        checked = heard.names("check")
        if len(checked) == 1:  # more are a list, not a check
            return self.object(checked[0]) or self.fine(checked[0]) + self.go_on()
        return next((no for name in heard.names("praise") if (no := self.object(name))), [])

    def judge(self, name: str) -> list[Say]:
        """Answer a proposal by what is known: object, doubt, add what is untold, or agree."""
        if name in self.pool.own_out:
            return self.object(name)
        if name in self.pool.heard_out:
            return self.line("check", "ask", name=name)
        if self.pool.left == [name] or not self.untold():
            return self.fact() + self.settle("confirm" if self.proposed == name else "agree", name)
        return self.line("not yet", "disagree") + self.tell(self.untold()[0])

    def fine(self, name: str) -> list[Say]:
        """Say that nothing is known against a name."""
        return self.line("fine", f"back:{name}", name=name)

    def object(self, name: str) -> list[Say]:
        """Say that a name is out and why, if an own item says so."""
        item = self.pool.why_out(name)
        no = self.line("no", f"disagree:{name}", name=name)
        return no + self.talk.tell(self.said(item), f"disclose:{item.id}") if item else []

    def react(self, heard: Heard, news: Sequence[str]) -> list[Say]:
        """Confirm what was struck, or ask whether something heard excludes a name."""
        if news:
            return self.line("noted" if len(news) == 1 else "both noted", "react", names=self.listed(news))
        doubtful = [n for n in heard.names("about") if n in self.pool.left]
        if len(doubtful) == 1 and not heard.has("ask", "out", "keep"):
            return self.line("check", "ask", name=doubtful[0])
        return []

    def go_on(self, asked: bool = False) -> list[Say]:
        """Take the next step: start over, propose, tell, suggest when patience is gone, or ask."""
        left, patience = self.pool.left, self.talk.temper.patience
        if not left:
            self.pool.heard_out.clear()
            return self.line("lost", "ask")
        if len(left) == 1 and self.pool.evidence:
            grounds = self.next_item() if self.proposed == left[0] or self.willing() else []
            return grounds + self.propose(left[0])
        if self.untold() and (asked or self.willing()):
            item = self.fact() if asked else self.next_item()
            return item + (self.line("ask", "ask") if self.talk.chance(0.5) else [])
        if len(left) == 2 and self.pool.evidence > 8 + 6 * patience:
            return self.line("guess", f"propose:{left[0]}", name=left[0])
        return (self.remind() if asked and not self.untold() else []) + self.line("ask", "ask")

    def remind(self) -> list[Say]:
        """Say again what the own items exclude, or what they leave."""
        if not self.pool.items or self.talk.chance(0.3):
            return self.line("left", "left", names=self.listed(self.pool.left, "or"))
        item = min(self.pool.items, key=lambda i: self.talk.used[self.said(i)])
        return self.tell(item)

    def willing(self) -> bool:
        """Return whether it volunteers an item now."""
        return self.talk.chance(0.3 + 0.7 * self.talk.temper.disclosure)

    def untold(self) -> list[Item]:
        """Return the own items that were not yet said to the end."""
        return [i for i in self.pool.items if f"disclose:{i.id}" not in self.talk.told]

    def next_item(self) -> list[Say]:
        """Tell the next own item; talkative speakers, unasked, voice a lure on the way."""
        lures = [i for i in self.pool.lures if f"disclose:{i.id}" not in self.talk.told]
        lures = [i for i in lures if {*i.target} <= {*self.pool.left}]
        if lures and self.talk.chance(0.5 * self.talk.temper.talkativeness):
            return self.talk.tell(self.said(lures[0]), f"disclose:{lures[0].id}")
        return self.fact()

    def fact(self) -> list[Say]:
        """Tell the next own item that excludes somebody."""
        return [say for item in self.untold()[:1] for say in self.tell(item)]

    def tell(self, item: Item) -> list[Say]:
        """Return an item and, said out loud, what follows from it."""
        out = self.pool.excluded(item)
        fact = self.talk.tell(self.said(item), f"fact:{item.id}")
        return fact + self.line(
            "out" if len(out) == 1 else "both out", f"disclose:{item.id}", names=self.listed(out)
        )

    def propose(self, name: str) -> list[Say]:
        """Name the candidate that is left and ask for consent."""
        self.proposed = name
        return self.line("propose", f"propose:{name}", name=name)

    def settle(self, purpose: str, name: str) -> list[Say]:
        """Land on a name."""
        self.done = True
        return self.line(purpose, f"agree:{name}", name=name)

    def line(self, purpose: str, act: str, **slots: str) -> list[Say]:
        """Return one line as a turn."""
        shown = {slot: self.shown.get(text, text) for slot, text in slots.items()}
        return [self.talk.say(self.talk.language.pooler[purpose], act, **shown)]

    def listed(self, names: Sequence[str], last: str = "and") -> str:
        """Return names as a spoken list."""
        return listed([self.shown[name] for name in names], last, self.talk.language)

    def said(self, item: Item) -> str:
        """Return an item as its holder says it."""
        return first_person(item.text, self.talk.language)
