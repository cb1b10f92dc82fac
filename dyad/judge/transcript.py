"""What a judge reads: one line per voice-activity segment, both seats in order of onset.

The opener is A, whoever sits there; nothing names a voice, a model, a pairing or a run. Facts that the
audio decides, such as who stopped when spoken over, are given as marks and never asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dyad.measure.turns import LIMITS, Onset, Ticks, onsets
from dyad.spec import SEATS, TICK_S, Seat, other
from dyad.text import tokens

Letter = Literal["A", "B"]
Mode = Literal["plain", "marked", "asr"]
NO_WORDS = "(no words)"
RECALL = 0.6  # below this share of its words, the own text is not what could be heard
# Signs that look like ours: the one that opens marks, and those around a name that delimits the transcript.
_BARS = "|\uff5c\u00a6\uffe4\u2223\u2502\u2503\u01c0\u2758\u23d0"
_LEFT = "<\uff1c\ufe64\u226e\u2329\u3008\u27e8\u2039\u276c\u276e\u2770\u02c2\u1438\u227a\u29fc\u300a\u27ea"
_RIGHT = ">\uff1e\ufe65\u226f\u232a\u3009\u27e9\u203a\u276d\u276f\u2771\u02c3\u1433\u227b\u29fd\u300b\u27eb"
_DOUBLE = "\u00ab\u00bb\u226a\u226b\u22d8\u22d9"
_PLAIN = str.maketrans(
    dict.fromkeys(_BARS, "/")
    | dict.fromkeys(_LEFT, "(")
    | dict.fromkeys(_RIGHT, ")")
    | dict.fromkeys(_DOUBLE, '"')
)


@dataclass(frozen=True)
class Line:
    """One segment [start, end) in ticks and its text. `heard` is what an ASR understood, None without one."""

    id: str
    seat: Seat
    letter: Letter
    start: int
    end: int
    text: str
    marks: tuple[str, ...] = ()
    heard: str | None = None

    @property
    def onset(self) -> str:
        """How a line is named where ids are not shown: letter and seconds of its onset, e.g. `A 0.80`."""
        return f"{self.letter} {_s(self.start)}"


def lines(
    opener: Seat,
    segments: Mapping[Seat, Ticks],
    texts: Mapping[Seat, Sequence[str]],
    ticks: int,
    heard: Mapping[Seat, Sequence[str]] | None = None,
) -> list[Line]:
    """Return the lines of a recording of `ticks`, by onset; at equal onsets the opener comes first.

    `segments` are int64 [n, 2] ticks per seat, sorted and disjoint; `texts` and `heard` hold n strings
    per seat. Raises ValueError where their numbers differ.
    """
    letters: dict[Seat, Letter] = {opener: "A", other(opener): "B"}
    found: list[Line] = []
    for seat in SEATS:
        marks = _marks(segments, seat, letters, ticks)
        asr: Sequence[str | None] = heard[seat] if heard else [None] * len(marks)
        rows = zip(segments[seat], texts[seat], marks, asr, strict=True)
        for i, ((start, end), text, mark, asr_text) in enumerate(rows):
            name = _id(letters[seat], i)
            said = None if asr_text is None else one_line(asr_text)
            found.append(Line(name, seat, letters[seat], int(start), int(end), one_line(text), mark, said))
    return sorted(found, key=lambda line: (line.start, line.letter))


def render(lines: Sequence[Line], ticks: int, mode: Mode = "marked") -> str:
    """Return the transcript as text, each line closed by a newline.

    `plain`: onset and own text. `marked`: ids, ends, marks, joint silences and, where own text and audio
    differ, what was heard. `asr`: as `marked`, with what was heard in place of the own text.
    """
    if mode == "plain":
        rows = [f"Speaker {x.letter} [{_s(x.start)}] {x.text or NO_WORDS}" for x in lines]
    else:
        timed = [(x.start, _marked(x, mode)) for x in lines] + [
            (s, _silent(s, e)) for s, e in _silences(lines, ticks)
        ]
        rows = [text for _, text in sorted(timed, key=lambda row: row[0])]
    return "".join(f"{row}\n" for row in rows)


def _marks(
    segments: Mapping[Seat, Ticks], seat: Seat, letters: Mapping[Seat, Letter], ticks: int
) -> list[tuple[str, ...]]:
    """Marks of every segment of a seat: how it started, then who started over it."""
    own, partner = segments[seat], segments[other(seat)]
    letter = letters[other(seat)]
    begun = {o.x: _onset(o, own, partner, _id(letter, o.y)) for o in onsets(own, partner, ticks)}
    over = [(o.y, _id(letter, o.x)) for o in onsets(partner, own, ticks)]
    together = {int(start): _id(letter, j) for j, start in enumerate(partner[:, 0])}
    return [
        tuple(_of_segment(begun.get(i), together.get(int(start)), [name for y, name in over if y == i]))
        for i, start in enumerate(own[:, 0])
    ]


def _of_segment(begun: str | None, together: str | None, over: Sequence[str]) -> Iterator[str]:
    if begun:
        yield begun
    if together:
        yield f"starts together with {together}"
    if over:
        yield f"started over by {', '.join(over)}"


def _onset(onset: Onset, own: Ticks, partner: Ticks, name: str) -> str:
    start, end = (int(t) for t in own[onset.x])
    stop = int(partner[onset.y, 1])
    match onset.kind:
        case "backchannel":
            return f"inside {name}, {name} keeps the floor"
        case "won":
            return f"starts over {name}, {name} stops {_s(stop - start)} s later"
        case "lost":
            return f"starts over {name}, gives way after {_s(end - start)} s"
    return f"overlaps {name} {_s(start)}-{_s(min(end, stop))}"


def _marked(line: Line, mode: Mode) -> str:
    text = (line.heard if mode == "asr" else line.text) or NO_WORDS
    marks = f" | {'; '.join(line.marks)}" if line.marks else ""
    row = f"{line.id} [{_s(line.start)}-{_s(line.end)}] {line.letter}: {text}{marks}"
    if mode == "marked" and line.heard is not None and _recall(line.text, line.heard) < RECALL:
        row += f"\n{line.id} (heard) {line.heard or NO_WORDS}"
    return row


def _recall(said: str, heard: str) -> float:
    """Share of the words said that were heard; words heard where none were said count as a difference."""
    own = Counter(tokens(said))
    if not own:
        return 0.0 if heard else 1.0
    return (own & Counter(tokens(heard))).total() / own.total()


def _silences(lines: Sequence[Line], ticks: int) -> Iterator[tuple[int, int]]:
    """Stretches of joint silence that last as long as a turn end, the ends of the recording included."""
    at = 0
    for start, end in [*((x.start, x.end) for x in lines), (ticks, ticks)]:
        if start - at >= LIMITS.turn_ticks:
            yield at, start
        at = max(at, end)


def _silent(start: int, end: int) -> str:
    return f"   [{_s(start)}-{_s(end)}] (silence {_s(end - start)} s)"


def one_line(text: str) -> str:
    """Return a text on one line, without invisible characters and signs that have a meaning in a transcript.

    A speaker cannot forge a line, a mark or the end of the transcript.
    """
    plain = text if text.isprintable() else "".join(map(_printable, text))
    return " ".join(plain.translate(_PLAIN).split())


def _printable(sign: str) -> str:
    return sign if sign.isprintable() else " " if sign.isspace() else ""


def _id(letter: Letter, index: int) -> str:
    return f"{letter}{index + 1}"


def _s(ticks: int) -> str:
    return f"{ticks * TICK_S:.2f}"
