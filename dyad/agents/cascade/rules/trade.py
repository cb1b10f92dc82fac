"""T4-4: a seller and a buyer, each with an opening price and a limit that it never crosses."""

from __future__ import annotations

from collections.abc import Sequence

from dyad.text import number_words

from ..types import Say
from .acts import Heard
from .lang import Lines
from .talk import Talk

SELL: Lines = {
    "open": ("I would like {price} for it", "I am asking {price}", "It is yours for {price}"),
    "offer": ("I can go down to {price}", "For you, {price}", "Then make it {price}", "What about {price}?"),
    "last": ("{price} is my last word", "Not a cent below {price}"),
    "counter": ("{theirs} is too little", "No, not for {theirs}", "That is far too low"),
    "hold": ("I still want {price}", "It stays at {price} for now", "{price}, and it is worth that"),
    "walk": ("Then I keep it, sorry", "Then there is no deal today"),
    "accept": ("{price}, agreed", "All right, {price}, it is a deal"),
    "doubt": ("Sorry, did you say {theirs}?", "Did you say {theirs}?"),
    "ask": ("What would you give me?", "What do you say?", "What is it worth to you?"),
}  # fmt: skip
BUY: Lines = SELL | {
    "open": ("I would give you {price}", "I was thinking of {price}", "I can offer {price}"),
    "offer": ("I can go up to {price}", "Let me say {price}", "Then I give you {price}",
              "What about {price}?"),
    "last": ("{price} is my last word", "Not a cent above {price}"),
    "counter": ("{theirs} is too much for me", "No, not for {theirs}", "That is far too high"),
    "hold": ("I still say {price}", "For me it is {price}", "{price}, more is hard for me"),
    "walk": ("Then I leave it, sorry", "Then there is no deal today"),
    "ask": ("What would you take for it?", "What do you say?", "Could you come down a little?"),
}  # fmt: skip


class Trader:
    """Opens, talks the thing up or down, concedes towards its limit, and settles by repeating the number."""

    haste, done = 0.9, False

    def __init__(self, talk: Talk) -> None:
        sheet = talk.sheet
        self.talk = talk
        self.sells = sheet.kind == "seller"
        self.lines = SELL if self.sells else BUY
        self.start = sheet.open_price or 100
        self.limit = sheet.limit_price if sheet.limit_price is not None else self.start
        self.price: int | None = None  # own last offer
        self.theirs: int | None = None
        self.accepted: int | None = None
        self.stuck = 0  # turns at the limit
        self.rate = (0.45 + 0.45 * talk.temper.compliance) * float(talk.rng.uniform(0.7, 1.3))

    def open(self) -> list[Say]:
        """Say something about the thing, then the opening price."""
        return [*self.about(), *self.offer("open", self.start)]

    def reply(self, heard: Heard) -> list[Say]:
        """Settle, accept, or answer the other's number with talk and the next own number."""
        said = [p for p in heard.prices if self.start / 5 <= p <= self.start * 5]
        if heard.has("accept") and not heard.has("walk") and (accepted := self.on_the_table(said)):
            return self.settle(accepted)
        if said and self.beyond(self.start, said[-1]):
            return [self.line("doubt", "repeat", theirs=said[-1])]
        self.theirs = said[-1] if said else self.theirs
        if heard.has("walk") and self.price is not None and self.stuck:
            return self.walk()
        if self.price is None:
            return [*self.about(heard.text), *self.offer("open", self.start)]
        if not said:
            return self.about(heard.text) + self.move(heard.has("rejected", "refuse"))
        return self.bargain(said[-1], heard)

    def on_the_table(self, said: Sequence[int]) -> int | None:
        """Return the price that the other accepted: one of the two that lie open, or None if foul."""
        if self.theirs is not None and self.theirs in said and not self.beyond(self.theirs, self.limit):
            return self.theirs
        foul = bool(said) and self.price not in said and self.beyond(said[-1], self.limit)
        return None if foul else self.price  # any other number was misheard

    def early(self, heard: Heard) -> list[Say]:
        """Wave a bad number away at once."""
        bad = [p for p in heard.prices if self.beyond(p, self.limit) and p * 5 >= self.start]
        return [self.line("counter", "refuse", theirs=bad[-1])] if bad and self.price is not None else []

    def nudge(self) -> list[Say]:
        """Ask, or talk about the thing."""
        if self.price is None:
            return self.open()
        return [*self.about(), self.line("ask", "ask")]

    def bargain(self, theirs: int, heard: Heard) -> list[Say]:
        """Take a number that is no worse than the own next offer; else make that offer, or stay, or leave."""
        coming = self.next_price()
        if not self.beyond(theirs, coming):
            return self.settle(theirs)
        refusal = [self.line("counter", "refuse", theirs=theirs), *self.about(heard.text)]
        if self.price == self.limit:
            self.stuck += 1
            walks = self.stuck > 2 + 4 * self.talk.temper.patience
            return self.walk() if walks else [*refusal, *self.offer("last", self.limit)]
        if self.talk.chance(0.2 * (1 - self.talk.temper.compliance)):
            return [*refusal, *self.repeat()]
        return [refusal[int(self.talk.chance(0.5))], *self.offer("offer", coming)]

    def move(self, turned_down: bool) -> list[Say]:
        """Say a number to a turn that named none: a better one if the last was turned down."""
        if turned_down and self.price != self.limit:
            return self.offer("offer", self.next_price())
        return [] if self.talk.chance(0.4) else self.repeat()

    def next_price(self) -> int:
        """Return the next offer: a share of the way to the limit, in fives where that is fine enough."""
        now = self.price or self.start
        step = max(1, round(abs(self.limit - now) * self.rate * float(self.talk.rng.uniform(0.7, 1.3))))
        grain = 5 if abs(self.limit - self.start) >= 20 else 1
        step = max(grain, grain * round(step / grain))
        return max(self.limit, now - step) if self.sells else min(self.limit, now + step)

    def beyond(self, price: int, mark: int) -> bool:
        """Return whether a price is worse for this side than a mark."""
        return price < mark if self.sells else price > mark

    def offer(self, purpose: str, price: int) -> list[Say]:
        """Name a price."""
        self.price = price
        return [self.line(purpose, f"offer:{price}", price=price)]

    def repeat(self) -> list[Say]:
        """Name the own price again."""
        return self.offer("hold", self.price or self.start)

    def settle(self, price: int) -> list[Say]:
        """Land on a number by saying it."""
        self.done = True
        return [self.line("accept", f"accept:{price}", price=price)]

    def walk(self) -> list[Say]:
        """Leave without a deal."""
        self.done = True
        return [self.line("walk", "walk")]

    def about(self, heard: str = "") -> list[Say]:
        """Return a line about the thing: one that the other's words touch, else the next."""
        sheet = self.talk.sheet
        return self.talk.cues("reason", (*sheet.reasons, *sheet.points, *sheet.duties), heard)

    def line(self, purpose: str, act: str, price: int = 0, theirs: int = 0) -> Say:
        """Return a line with its numbers in words."""
        return self.talk.say(self.lines[purpose], act, price=number_words(price), theirs=number_words(theirs))
