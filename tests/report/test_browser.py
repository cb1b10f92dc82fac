"""The page as a reader has it: opened from a file, in a headless browser."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
import soundfile

from dyad.report.data import rows_data
from dyad.report.html import render
from dyad.report.sound import RATE, encode

ATTACK = "</script><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"


@pytest.fixture
def visit(browser: Any, tmp_path: Path, tones: np.ndarray) -> Iterator[Callable[..., Any]]:
    """Open a study's page; at the end nothing may have been complained about or asked of a network."""
    context = browser.new_context(viewport={"width": 1280, "height": 860})
    complaints: list[str] = []
    study, run = tmp_path / "studies" / "demo", tmp_path / "runs" / "one"
    study.mkdir(parents=True)
    run.mkdir(parents=True)
    soundfile.write(run / "audio.flac", tones.T, RATE)

    def open_page(data: dict[str, Any], fragment: str = "") -> Any:
        file = study / "report.html"
        file.write_text(render(data), "utf-8")
        page = context.new_page()
        page.set_default_timeout(8000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.extend(outside(request.url)))
        page.goto(file.as_uri() + fragment)
        return page

    yield open_page
    context.close()
    assert complaints == []


def outside(url: str) -> list[str]:
    return [] if url.startswith(("file:", "data:")) else [url]


def now(page: Any) -> float:
    return float(page.evaluate("opened.player.audio.currentTime"))


def open_first(page: Any) -> Any:
    page.locator("#run-rows a").first.click()
    page.locator("#run-title").wait_for()
    return page.locator("#run")


def wait_for_time(page: Any, least_s: float) -> None:
    page.wait_for_function("least => opened.player.audio.currentTime > least", arg=least_s)


def test_play_moves_the_clock_and_space_stops_it(visit: Callable[..., Any], data: dict[str, Any]):
    page = visit(data)
    drawer = open_first(page)
    drawer.get_by_role("button", name="Play", exact=True).click()
    wait_for_time(page, 0.3)
    assert drawer.locator("li.now").get_attribute("data-line") == "L1"
    drawer.locator("canvas").focus()
    page.keyboard.press("Space")
    page.wait_for_function("opened.player.audio.paused")
    assert not drawer.locator(".time").text_content().startswith("0:00.0")


def test_lines_keys_and_the_wave_seek(visit: Callable[..., Any], data: dict[str, Any]):
    page = visit(data)
    drawer = open_first(page)
    drawer.locator("[data-line=L2] .text").click()
    page.wait_for_function("Math.abs(opened.player.audio.currentTime - 0.96) < 0.01")
    page.keyboard.press("ArrowLeft")
    assert now(page) == 0
    box = drawer.locator("canvas").bounding_box()
    page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + 30)
    assert now(page) == pytest.approx(1.5, abs=0.02)


def test_evidence_highlights_its_quote_in_its_line(visit: Callable[..., Any], data: dict[str, Any]):
    page = visit(data)
    drawer = open_first(page)
    drawer.locator(".evidence").click()
    assert drawer.locator("mark").all_text_contents() == ["Copper Ladder"]
    assert drawer.locator(".cited").get_attribute("data-line") == "L2"
    assert now(page) == pytest.approx(0.96, abs=0.02)
    assert drawer.locator("[data-line=L2] .text").text_content() == "It lies at Copper Ladder, sorry."


def test_both_lanes_are_drawn_in_their_seat_colours(visit: Callable[..., Any], data: dict[str, Any]):
    page = visit(data)
    open_first(page)
    page.wait_for_timeout(100)
    pixels = """(places) => { const c = document.querySelector('canvas');
        const all = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        const hex = (at) => '#' + [0, 1, 2].map((i) => all[at + i].toString(16).padStart(2, '0')).join('');
        return places.map(([share, row]) => hex(4 * (row * c.width + Math.round(share * c.width)))); }"""
    # rows 26 and 88 are in the middles of the lanes: at 0.2 only seat a speaks, at 0.8 only seat b
    seat_a, seat_b = page.evaluate("[palette().a, palette().b]")
    # the blocks of the segments lie at the lanes' feet (rows 58 and 120) and end with the speech
    places = [[0.2, 26], [0.8, 88], [0.2, 58], [0.8, 58], [0.8, 120], [0.2, 120]]
    wave_a, wave_b, spoken_a, silent_a, spoken_b, silent_b = page.evaluate(pixels, places)
    assert (wave_a, wave_b) == (seat_a, seat_b)
    assert spoken_a != silent_a
    assert spoken_b != silent_b


def test_one_seat_alone_is_heard_in_both_ears_when_audio_is_embedded(
    visit: Callable[..., Any], data: dict[str, Any], tones: np.ndarray
):
    hum = np.tile(tones[0, :RATE], 20)  # seat a alone speaks, for longer than a busy machine takes to listen
    sound = encode(np.stack([hum, np.zeros_like(hum)]))
    data["runs"][0]["audio"] = "data:audio/mpeg;base64," + base64.b64encode(sound).decode()
    page = visit(data)
    drawer = open_first(page)
    levels = """async () => {
        const { context, out } = opened.player.routed;
        const split = context.createChannelSplitter(2);
        out.connect(split);
        const meters = [0, 1].map(() => context.createAnalyser());
        meters.forEach((meter, ear) => split.connect(meter, ear));
        const peak = [0, 0];
        for (let i = 0; i < 12; i++) {
            await new Promise((done) => setTimeout(done, 25));
            meters.forEach((meter, ear) => {
                const wave = new Float32Array(meter.fftSize);
                meter.getFloatTimeDomainData(wave);
                peak[ear] = Math.max(peak[ear], ...wave.map(Math.abs));
            });
        }
        return peak; }"""

    def heard(who: str) -> list[bool]:
        drawer.get_by_label(who, exact=True).check()
        page.evaluate("opened.player.audio.pause(), seek(opened.player, 0.05), toggle(opened.player)")
        wait_for_time(page, 0.15)
        return [level > 0.1 for level in page.evaluate(levels)]

    assert heard("only b") == [False, False]
    assert heard("only a") == [True, True]
    assert heard("both") == [True, False]


def test_a_file_beside_the_page_offers_no_solo(visit: Callable[..., Any], data: dict[str, Any]):
    drawer = open_first(visit(data))
    assert drawer.get_by_label("only a", exact=True).is_disabled()


def test_speech_with_markup_stays_text(visit: Callable[..., Any], data: dict[str, Any]):
    run = data["runs"][0]
    run["lines"][0]["text"] = run["title"] = run["events"][0]["text"] = data["verdict"] = ATTACK
    run["judgments"][0]["evidence"] = [{"line": "L1", "quote": ATTACK}]
    page = visit(data)
    drawer = open_first(page)
    drawer.locator(".evidence").click()
    assert drawer.locator("mark").text_content() == ATTACK
    assert page.locator("img").count() == 0
    assert page.title() == "demo · dyad report"


def test_the_policy_stops_a_script_that_got_in(browser: Any, tmp_path: Path, data: dict[str, Any]):
    file = tmp_path / "report.html"
    attack = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    file.write_text(render(data).replace("<main>", attack + "<main>"), "utf-8")
    page = browser.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(file.as_uri())
    assert page.title() == "demo · dyad report"
    assert sum("Content Security Policy" in text for text in complaints) >= 2
    page.close()


def test_filters_search_and_sorting(visit: Callable[..., Any], many: Callable[[int], dict[str, Any]]):
    page = visit(many(24))
    rows = page.locator("#run-rows tr")
    assert rows.count() == 24
    page.get_by_label("Task").select_option("t2")
    assert rows.count() == 6
    page.get_by_label("Label").select_option("t3.leak: full")
    assert rows.locator("a").all_text_contents() == ["Conversation 9", "Conversation 21"]
    page.get_by_label("Task").select_option("")
    page.get_by_label("Label").select_option("")
    page.get_by_label("Search").fill("Marmalade17")
    assert rows.locator("a").all_text_contents() == ["Conversation 17"]
    page.get_by_label("Search").fill("")
    heading = page.locator("#conversations").get_by_role("columnheader", name="rep")
    heading.get_by_role("button").click()
    heading.get_by_role("button").click()
    assert rows.locator("a").first.text_content() == "Conversation 23"
    assert heading.get_attribute("aria-sort") == "descending"


def test_judges_stand_behind_the_scores(visit: Callable[..., Any], data: dict[str, Any]):
    page = visit(data)
    page.get_by_role("link", name="Judges").click()
    section = page.locator("#judges")
    assert section.get_by_role("region").count() == 4
    assert section.get_by_text("mechanical and human:AB give the same label").is_visible()
    for table in section.get_by_role("region").all():
        assert table.evaluate("box => box.scrollWidth <= box.clientWidth"), "every column fits"


def test_tables_alone_have_a_page_without_judges_and_conversations(
    visit: Callable[..., Any], data: dict[str, Any]
):
    page = visit(rows_data(data["rows"], "made"))
    assert page.locator("#scores").is_visible()
    for name in ("judges", "conversations"):
        assert not page.locator(f"#{name}").is_visible()
        assert not page.locator(f"nav a[href='#{name}']").is_visible()


def test_turn_taking_sorts_with_missing_values_last(visit: Callable[..., Any], data: dict[str, Any]):
    page = visit(data)
    button = page.locator(".turns thead button", has_text="barge_in")
    values = page.locator(".turns tbody b")
    button.click()
    assert values.all_text_contents() == ["0.25", "0.50", "–"]
    button.click()
    assert values.all_text_contents() == ["0.50", "0.25", "–"]


def test_a_link_opens_its_conversation_and_escape_leaves(
    visit: Callable[..., Any], many: Callable[[int], dict[str, Any]]
):
    page = visit(many(5), "#run=run-003")
    assert page.locator("#run-title").text_content() == "Conversation 3"
    page.keyboard.press("n")
    page.wait_for_function("document.querySelector('#run-title').textContent === 'Conversation 4'")
    assert page.evaluate("location.hash") == "#run=run-004"
    page.keyboard.press("Escape")
    assert not page.locator("#run").is_visible()
    assert page.evaluate("location.hash") == "#conversations"


def test_a_conversation_without_anything_still_opens(visit: Callable[..., Any], data: dict[str, Any]):
    run = data["runs"][0] | {"audio": None, "lines": [], "events": [], "judgments": [], "measures": []}
    run["segments"], run["peaks"] = {"a": [], "b": []}, {"rate_hz": 50, "a": "", "b": ""}
    run["health"], run["timing_valid"] = {"ok": False, "problems": ["silent"]}, False
    data["runs"] = [run]
    drawer = open_first(visit(data))
    text = drawer.inner_text()
    for sentence in (
        "No sound",
        "Nobody was heard",
        "Not judged",
        "No events",
        "silent",
        "times are not valid",
    ):
        assert sentence in text


def test_five_hundred_conversations_open_quickly_and_one_is_read_at_a_time(
    visit: Callable[..., Any], many: Callable[[int], dict[str, Any]]
):
    page = visit(many(500))
    assert page.locator("#run-rows tr").count() == 100
    page.get_by_role("button", name="Show more").click()
    assert page.locator("#run-rows tr").count() == 200
    listing_ms = page.evaluate(
        "(() => { const t = performance.now(); restart(); return performance.now() - t; })()"
    )
    assert listing_ms < 500
    assert page.locator("canvas").count() == 0


# -- sound in step ---------------------------------------------------------------------------------


def embedded(sound: np.ndarray) -> str:
    return "data:audio/mpeg;base64," + base64.b64encode(encode(sound)).decode()


def test_the_browser_decodes_sound_in_step_with_the_lanes(visit: Callable[..., Any], data: dict[str, Any]):
    rng = np.random.default_rng(0)
    sent = np.apply_along_axis(np.convolve, 1, rng.normal(0, 900, (2, 4 * RATE)), np.ones(10), "same")
    decoded = """async (source) => {
        const bytes = Uint8Array.from(atob(source.split(",")[1]), (letter) => letter.charCodeAt(0));
        const sound = await new OfflineAudioContext(2, 1, 24000).decodeAudioData(bytes.buffer);
        return [0, 1].map((side) => Array.from(sound.getChannelData(side))); }"""
    heard = np.array(visit(data).evaluate(decoded, embedded(sent.astype(np.int16))))
    for at in (RATE // 2, 2 * RATE):
        for seat in (0, 1):
            around = heard[seat, at - 1000 : at + RATE + 1000]
            late = np.argmax(np.correlate(around, sent[seat, at : at + RATE], "valid")) - 1000
            assert abs(late) < 0.010 * RATE


def test_embedded_sound_begins_at_a_frame_so_that_the_clock_is_right(
    visit: Callable[..., Any], data: dict[str, Any], tones: np.ndarray
):
    data["runs"][0]["audio"] = embedded(tones)
    page = visit(data)
    open_first(page)
    page.evaluate("seek(opened.player, 1.37)")
    assert now(page) == pytest.approx(57 * 576 / RATE, abs=0.0002)
    assert page.evaluate("opened.player.cursor") == 1.37


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *told: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A server that sends whole files only, as Python's own does."""
    handler = partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_linked_sound_of_a_server_without_ranges_plays_from_where_it_is_asked_to(
    browser: Any, visit: Callable[..., Any], data: dict[str, Any], tmp_path: Path
):
    visit(data)  # writes the page and its sound
    with served(tmp_path) as url:
        page = browser.new_page()
        page.goto(f"{url}/studies/demo/report.html")
        drawer = open_first(page)
        page.evaluate("seek(opened.player, 1.2)")
        page.wait_for_function("() => opened.player.whole")
        drawer.get_by_role("button", name="Play", exact=True).click()
        page.wait_for_function("() => !opened.player.audio.paused")
        assert now(page) >= 1.2
        assert not drawer.locator(".player .warn-note").is_visible()
        page.close()


# -- addresses and history -------------------------------------------------------------------------


def test_back_after_escape_does_not_open_the_drawer_again(
    visit: Callable[..., Any], many: Callable[[int], dict[str, Any]]
):
    page = visit(many(5), "#scores")
    open_first(page)
    for _ in range(3):
        page.keyboard.press("n")
    assert page.locator("#run-title").text_content() == "Conversation 3"
    page.keyboard.press("Escape")
    page.wait_for_function("location.hash === '#scores'")
    assert page.evaluate("document.activeElement.textContent") == "Conversation 3"
    page.go_forward()
    page.locator("#run-title", has_text="Conversation 3").wait_for()
    page.go_back()
    page.wait_for_function("!document.querySelector('#run').open")
    assert page.evaluate("location.hash") == "#scores"


def test_a_link_to_no_conversation_says_so_where_it_is_seen(
    visit: Callable[..., Any], many: Callable[[int], dict[str, Any]]
):
    page = visit(many(5), "#run=gone%")
    assert page.get_by_role("dialog", name="No conversation named gone% in this report").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#run").is_visible()
    page.evaluate("location.hash = '#run=run-'")
    links = page.get_by_role("dialog", name="5 conversations begin with run-").get_by_role("link")
    assert links.count() == 5
    links.nth(2).click()
    page.get_by_role("dialog", name="Conversation 2").wait_for()


def test_a_link_may_give_the_beginning_of_an_id(visit: Callable[..., Any], data: dict[str, Any]):
    page = visit(data, "#run=bold_shy-t3")
    assert page.get_by_role("dialog", name="The hidden password").is_visible()


# -- print -----------------------------------------------------------------------------------------


def pages(page: Any) -> int:
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(format="A4")))


def test_an_open_conversation_is_printed_alone_and_whole(visit: Callable[..., Any], data: dict[str, Any]):
    lines = data["runs"][0]["lines"]
    lines += [lines[0] | {"id": f"L{i}", "text": f"Line number {i}."} for i in range(3, 120)]
    page = visit(data)
    report = pages(page)
    open_first(page)
    page.emulate_media(media="print")
    assert not page.locator("main").is_visible()
    drawer = page.locator("#run")
    assert drawer.evaluate("node => node.scrollHeight <= node.clientHeight")
    assert 3 <= pages(page) != report
    page.emulate_media(media="screen")
    page.keyboard.press("Escape")
    assert pages(page) == report
