"""The page as a person has it: in a headless browser, by keys alone."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dyad.annotate.session import Session
from dyad.judge.humans import answers
from dyad.spec import Label
from tests.annotate.zoo import AGENTS, PAIRING, Opened, serving

pytestmark = pytest.mark.xdist_group("annotate")  # what is set up once is set up by one worker

KEYS = {  # an answer of each kind, by keys alone
    "t1.timing": "1", "t2.disclosed": "0", "t4.price": "135",
}  # fmt: skip


class Visit:
    """A page of a served session; what it received, and what it complained about."""

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.url = page, url
        self.received: list[str] = []
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.complaints: list[str] = []
        self.left = False  # by its server: then the browser notes refused connections
        page.set_default_timeout(8000)
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append((request.url, request.headers)))
        page.on("response", self._keep)
        page.goto(url)

    def _keep(self, response: Any) -> None:
        sound = response.url.endswith("/audio")  # bytes that a browser may leave unread
        self.received.append(f"{response.url} {response.headers} {'' if sound else response.text()}")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def at(self, place: int) -> None:
        """Wait until an item is shown."""
        self.page.locator("#count", has_text=f"question {place} of ").wait_for()
        self.page.locator("main[aria-busy=false]").wait_for()

    def says(self, words: str) -> None:
        self.page.locator("#message", has_text=words).wait_for()

    @property
    def pressed(self) -> list[str]:
        return self.page.locator(".choice[aria-pressed=true]").evaluate_all(
            "nodes => nodes.map((node) => node.dataset.label ?? node.dataset.item ?? node.dataset.flag)"
        )


Visited = Callable[..., Any]


@pytest.fixture
def visit(browser: Any) -> Iterator[Visited]:
    """Open a served session; at the end nothing may have been complained about or asked of anybody else."""
    visits: list[Visit] = []

    def opened(url: str, **settings: Any) -> Visit:
        context = browser.new_context(**({"viewport": {"width": 1100, "height": 800}} | settings))
        visits.append(Visit(context.new_page(), url))
        return visits[-1]

    yield opened
    for one in visits:
        one.page.context.close()
        assert one.left or one.complaints == []
        assert all(url.startswith((one.url, "data:")) for url, _ in one.requests)


def label_items(one: Visit, session: Session, first: int, last: int) -> None:
    for place in range(first, last + 1):
        one.at(place)
        one.press(*KEYS.get(session.order[place - 1].item.question, "2"), "Enter")


def stored(session: Session, place: int) -> Label:
    item = session.order[place - 1].item
    return answers(session.study.shown(item.run), session.by)[item.question, item.seat].label


def place_of(session: Session, question: str) -> int:
    return next(i for i, one in enumerate(session.order, 1) if one.item.question == question)


def go_to(one: Visit, place: int) -> None:
    for at in range(1, place):
        one.at(at)
        one.press("s")
    one.at(place)


@contextmanager
def commanded(store: Path, by: str, n: int = 12) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The verb as a person starts it, and the address that it prints."""
    command = ["annotate", "study=small", f"by={by}", f"n={n}", f"store={store}"]
    with subprocess.Popen(
        [sys.executable, "-m", "dyad", *command], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            lines = iter(process.stderr.readline, "")
            yield process, next(line.split()[1] for line in lines if line.startswith("open"))
        finally:
            process.kill()


# -- the whole way ---------------------------------------------------------------------------------


def test_ten_items_by_keys_alone_and_the_next_session_goes_on_at_the_eleventh(
    opened: Opened, visit: Visited
) -> None:
    session = opened("KB", 12)
    with serving(session) as server:
        one = visit(server.url)
        label_items(one, session, 1, 10)
        one.at(11)
        assert "11 of 12, 10 answered" in one.page.locator("#count").inner_text()
        one.page.close()
    assert session.done() == list(range(10))
    given = [stored(session, place) for place in range(1, 11)]
    assert all(label.label is not None and label.status == "ok" for label in given)
    again = opened("KB", 12)
    with serving(again) as server:
        one = visit(server.url)
        label_items(one, again, 11, 12)
        one.page.get_by_text("All questions are answered").wait_for()
        one.press("Enter")
        one.page.get_by_text("Everything is stored").wait_for()
    assert again.done() == list(range(12))


def test_a_second_person_gets_the_same_items_and_nothing_that_arrives_names_an_agent(
    opened: Opened, visit: Visited
) -> None:
    first, second = opened("B1", 12), opened("B2", 12)
    assert {one.item for one in first.order} == {one.item for one in second.order}
    assert first.order != second.order
    for session in (first, second):
        with serving(session) as server:
            one = visit(server.url)
            label_items(one, session, 1, 12)
            one.page.get_by_text("All questions are answered").wait_for()
            scenarios = {spec.scenario for spec in session.study.specs.values()}
            received = "\n".join(one.received)
            assert sum('"segments"' in text for text in one.received) >= 12
            for name in (*AGENTS, PAIRING, "tone_tone", ".flac", *session.study.ids, *scenarios):
                assert name not in received
    pairs = [(stored(first, first.order.index(one) + 1), stored(second, second.order.index(one) + 1))
             for one in first.order]  # fmt: skip
    assert all(mine.label == theirs.label for mine, theirs in pairs)


def test_when_the_person_finishes_the_command_ends(opened: Opened, visit: Visited, store: Path) -> None:
    session = opened("FN", 1)
    with commanded(store, "FN", 1) as (process, url):
        one = visit(url)
        label_items(one, session, 1, 1)
        one.page.get_by_role("button", name="Finish").click()
        one.page.get_by_text("Everything is stored").wait_for()
        assert process.wait(10) == 0
        assert process.stderr is not None
        assert "1 of 1 answered, all done" in process.stderr.read()


# -- listening -------------------------------------------------------------------------------------


def test_keys_play_seek_and_change_the_speed(opened: Opened, visit: Visited) -> None:
    with serving(opened("LI")) as server:
        one = visit(server.url)
        one.at(1)
        time = one.page.locator(".time")
        one.press("ArrowRight", "ArrowRight")
        time.filter(has_text="0:04.0").wait_for()
        one.press("ArrowRight", "ArrowLeft", "ArrowLeft", " ")
        one.page.get_by_role("button", name="Pause").wait_for()
        time.filter(has_text="0:03.").wait_for()
        one.press(" ")
        one.page.get_by_role("button", name="Play", exact=True).wait_for()
        one.press("Shift+ArrowRight")
        one.says("Speed 1.25×")
        one.press("Shift+ArrowLeft", "Shift+ArrowLeft")
        one.says("Speed 0.75×")
        assert any(url.endswith("/audio") and "range" in headers for url, headers in one.requests)


def test_the_line_cursor_moves_plays_and_follows_what_is_heard(opened: Opened, visit: Visited) -> None:
    with serving(opened("CU")) as server:
        one = visit(server.url)
        one.at(1)
        cursor = one.page.locator(".lines .cursor")
        ids = [row.get_attribute("data-line") for row in one.page.locator(".lines li").all()]
        assert cursor.get_attribute("data-line") == ids[0]
        one.press("ArrowDown", "ArrowDown", "ArrowUp")
        assert cursor.get_attribute("data-line") == ids[1]
        assert cursor.get_attribute("aria-current") == "true"
        one.press("p")
        one.page.get_by_role("button", name="Pause").wait_for()
        one.page.locator(f".lines .cursor[data-line={ids[2]}]").wait_for()
        one.press(" ")
        one.page.locator(".lines li").first.locator(".text").click()
        assert cursor.get_attribute("data-line") == ids[0]


# -- answering -------------------------------------------------------------------------------------


def test_evidence_flags_and_unsure_go_and_come_back(opened: Opened, visit: Visited) -> None:
    session = opened("EV", 20)
    place = place_of(session, "t1.adherence")
    with serving(session) as server:
        one = visit(server.url)
        go_to(one, place)
        one.press("Enter")
        one.says("Choose a label first")
        one.press("3", "x", "e", "ArrowDown", "e")
        assert one.pressed == ["no", "swapped"]
        assert one.page.locator("[data-pick=evidence]").count() == 2
        one.press("Enter")
        one.at(place + 1)
        assert stored(session, place).fields["swapped"] is True
        assert len(stored(session, place).evidence) == 2
        one.press("b")
        one.at(place)
        assert one.pressed == ["no", "swapped"]
        assert one.page.locator("[data-pick=evidence]").count() == 2
        file = session.study.shown(session.order[place - 1].item.run).file("EV")
        size = file.stat().st_size
        one.press("Enter")
        one.at(place + 1)
        assert file.stat().st_size == size, "an answer that did not change is not stored again"
        one.press("Backspace")
        one.at(place)
        one.press("u", "Enter")
        one.at(place + 1)
        assert (stored(session, place).label, stored(session, place).status) == (None, "unsure")


def test_refusals_are_shown_and_the_item_stays(opened: Opened, visit: Visited) -> None:
    session = opened("RF", 20)
    place = place_of(session, "t1.adherence")
    with serving(session) as server:
        one = visit(server.url)
        go_to(one, place)
        one.press("1", "x", "Enter")
        one.says("who takes the other's role")
        one.at(place)
        assert session.done() == []
        one.complaints.clear()  # the browser's own note of a reply that is an error


def test_timing_takes_the_lines_of_the_speaker_asked_about(opened: Opened, visit: Visited) -> None:
    session = opened("TM", 20)
    place = place_of(session, "t1.timing")
    with serving(session) as server:
        one = visit(server.url)
        go_to(one, place)
        about = session.view(place - 1)["question"]["about"]
        seats = [line["seat"] for line in session.view(place - 1)["lines"]]
        own = [i for i, seat in enumerate(seats) if seat == about]
        one.press(*["ArrowDown"] * (1 - own[0]), "e")
        one.says("This question is about")
        one.press(*["ArrowUp"] * 9, *["ArrowDown"] * own[0], "e")
        assert one.pressed == ["entered"]
        one.press(*["ArrowDown"] * (own[1] - own[0]), "d")
        assert one.pressed == ["drifted"]
        one.press("d")
        assert one.pressed == ["entered"]
        one.press("d", "Enter")
        one.at(place + 1)
        ids = [line["id"] for line in session.view(place - 1)["lines"]]
        assert stored(session, place).fields == {"entry_line": ids[own[0]], "deviation_line": ids[own[1]]}


PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize(
    ("question", "marks", "label"),
    [("t1.timing", ("in role from here", "off role from here"), "drifted"),
     ("t1.timing", ("in role from here",), "entered"),
     ("t1.adherence", ("evidence", "evidence"), "yes")],
)  # fmt: skip
def test_every_mark_is_given_by_touch_alone(
    opened: Opened, visit: Visited, question: str, marks: tuple[str, ...], label: str
) -> None:
    session = opened(f"T{label[0].upper()}", 20)
    place = place_of(session, question)
    view = session.view(place - 1)
    about = view["question"]["about"]
    lines = [line["id"] for line in view["lines"] if line["seat"] == about or question != "t1.timing"]
    with serving(session) as server:
        one = visit(server.url, **PHONE)
        for at in range(1, place):
            one.at(at)
            one.page.get_by_role("button", name="Skip").tap()
        one.at(place)
        for line, words in zip(lines, marks, strict=False):
            one.page.locator(f"[data-line={line}] .text").tap()
            one.page.get_by_role("button", name=words).tap()
        if question == "t1.adherence":
            one.page.locator(".choice[data-label=yes]").tap()
        assert one.pressed == [label]
        one.page.get_by_role("button", name="Save, next").tap()
        one.at(place + 1)
    given = stored(session, place)
    assert given.label == label
    if question == "t1.timing":
        assert given.fields["entry_line"] == lines[0]
        assert given.fields["deviation_line"] == (lines[1] if len(marks) == 2 else None)
    else:
        assert [cited.line for cited in given.evidence] == lines[:2]


def test_items_are_marked_in_the_lines_of_their_holder(opened: Opened, visit: Visited) -> None:
    session = opened("IM", 40)
    place = place_of(session, "t2.disclosed")
    with serving(session) as server:
        one = visit(server.url)
        go_to(one, place)
        view = session.view(place - 1)
        held = view["question"]["items"][0]
        rows = [i for i, line in enumerate(view["lines"]) if line["seat"] == held["seat"]]
        other = next(i for i, line in enumerate(view["lines"]) if line["seat"] != held["seat"])
        one.press(*["ArrowDown"] * other, "1")
        one.says("holds this")
        one.press(*["ArrowUp"] * 9, *["ArrowDown"] * rows[0], "1", "Enter")
        one.at(place + 1)
        label = stored(session, place)
        assert label.label == "some"
        assert [entry["item"] for entry in label.fields["items"]] == [held["item"]]


def test_digits_of_a_price_go_into_its_field(opened: Opened, visit: Visited) -> None:
    session = opened("PX", 40)
    place = place_of(session, "t4.price")
    with serving(session) as server:
        one = visit(server.url)
        go_to(one, place)
        one.press("1", "3", "5", "ArrowDown", "e", "Enter")  # other keys keep their meaning there
        one.at(place + 1)
        assert stored(session, place).label == "135"
        assert [cited.line for cited in stored(session, place).evidence] == ["B1"]
        one.press("b")
        one.at(place)
        assert one.page.get_by_label("Number, in digits").input_value() == "135"
        one.press("n", "Enter")
        one.at(place + 1)
        assert stored(session, place).label == "none"


def test_a_killed_server_is_said_loses_nothing_and_the_next_one_goes_on(
    opened: Opened, visit: Visited, store: Path
) -> None:
    session = opened("KI", 12)
    with commanded(store, "ki") as (process, url):
        one = visit(url)
        label_items(one, session, 1, 2)
        one.at(3)
        process.kill()
        process.wait()
        one.press("u", "Enter")
        one.says("The server is gone")
        one.left = True
    assert session.done() == [0, 1]
    with commanded(store, "KI") as (process, url):
        one = visit(url)
        one.at(3)
        one.left = True
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
        assert process.stderr is not None
        told = process.stderr.read()
    assert "2 of 12 answered, 10 left: run the same command again to go on" in told
    assert "Traceback" not in told


# -- reading ---------------------------------------------------------------------------------------

CONTRAST = """nodes => {
    const channels = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
    const light = (value) => (value <= 10 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    const lum = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
    const back = (node) => {
        const [r, g, b, a = 1] = channels(getComputedStyle(node).backgroundColor);
        if (a === 1) return [r, g, b];
        const under = node.parentElement ? back(node.parentElement) : [255, 255, 255];
        return [r, g, b].map((value, i) => a * value + (1 - a) * under[i]);
    };
    const shown = nodes.filter((node) => node.offsetParent && !node.disabled && !node.closest(':disabled')
        && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()));
    return shown.map((node) => {
        const both = [lum(channels(getComputedStyle(node).color)), lum(back(node))].sort((x, y) => y - x);
        return [(both[0] + 0.05) / (both[1] + 0.05), node.textContent.trim().slice(0, 30)];
    });
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1100, 700])
def test_the_page_can_be_read_and_does_not_scroll_sideways(
    opened: Opened, visit: Visited, scheme: str, width: int
) -> None:
    with serving(opened("CO", 12)) as server:
        one = visit(server.url, color_scheme=scheme, viewport={"width": width, "height": 800})
        one.at(1)
        one.press("1")
        found = one.page.locator("body *").evaluate_all(CONTRAST)
        assert len(found) > 40
        assert [words for ratio, words in found if ratio < 4.5] == []
        assert one.page.locator("html").evaluate("node => node.scrollWidth <= node.clientWidth")


def test_controls_have_names_and_a_new_question_has_the_focus(opened: Opened, visit: Visited) -> None:
    with serving(opened("AX", 12)) as server:
        one = visit(server.url)
        for place in (1, 2, 3):
            one.at(place)
            assert one.page.locator("h2#ask").evaluate("node => document.activeElement === node")
            for control in one.page.locator("button:visible, input:visible, select:visible").all():
                named = control.evaluate(
                    "n => n.ariaLabel || n.textContent.trim() || n.labels?.[0]?.textContent.trim()"
                )
                assert named
            one.press("s")
        one.at(4)
        one.press("Shift+?")
        assert one.page.get_by_role("dialog", name="Keys").is_visible()
        one.press("2", "Escape")
        assert one.pressed == []


def test_space_and_enter_on_a_focused_button_press_it(opened: Opened, visit: Visited) -> None:
    session = opened("FO", 12)
    with serving(session) as server:
        one = visit(server.url)
        one.at(1)
        one.page.locator(".choice[data-label]").last.focus()
        one.press(" ")
        assert one.pressed == [""]
        assert one.page.get_by_role("button", name="Play", exact=True).is_visible()
        one.press("Enter")
        one.at(2)
        assert session.done() == [0]
