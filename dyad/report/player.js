/* Two lanes on one canvas, one clock, one audio element. */

const LANE = 62;
const AXIS = 20;
const SKIP_S = 2;
const FRAME_S = 0.024; /* of the MP3 inside the page */

function decodePeaks(text) {
  const bytes = atob(text || "");
  return Int8Array.from(bytes, (letter) => letter.charCodeAt(0));
}

function overlaps(a, b) {
  const both = [];
  for (const [start, end] of a) {
    for (const [from, to] of b) {
      if (from < end && start < to) both.push([Math.max(start, from), Math.min(end, to)]);
    }
  }
  return both;
}

/* A relative file under file:// would come out of Web Audio as zeros: only embedded or served audio can be routed. */
const canRoute = (source) => source.startsWith("data:") || location.protocol.startsWith("http");

function routeChannels(audio) {
  const context = new AudioContext();
  const split = context.createChannelSplitter(2);
  const out = context.createChannelMerger(2);
  const gains = [0, 1].map((from) =>
    [0, 1].map((to) => {
      const gain = context.createGain();
      split.connect(gain, from).connect(out, 0, to);
      return gain.gain;
    }),
  );
  context.createMediaElementSource(audio).connect(split);
  out.connect(context.destination);
  const listen = (who) => {
    context.resume();
    /* One seat alone goes to both ears. */
    const table = { both: [[1, 0], [0, 1]], a: [[1, 1], [0, 0]], b: [[0, 0], [1, 1]] }[who];
    gains.forEach((row, from) => row.forEach((gain, to) => (gain.value = table[from][to])));
  };
  return { context, out, listen };
}

function palette() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  return { a: colour("a"), b: colour("b"), overlap: colour("overlap"), line: colour("line"), text: colour("dim") };
}

const tickStep = (span_s) => [0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300].find((step) => span_s / step <= 10) ?? 600;

/* Draws both lanes over `view` = {start, span} in seconds. */
function drawLanes(canvas, run, peaks, view) {
  const width = canvas.clientWidth;
  const height = 2 * LANE + AXIS;
  const scale = window.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const colours = palette();
  const x = (time_s) => ((time_s - view.start) / view.span) * width;
  drawAxis(pen, view, x, width, colours);
  ["a", "b"].forEach((seat, lane) => {
    drawSegments(pen, run.segments[seat], x, lane * LANE, colours[seat]);
    drawWave(pen, peaks, seat, view, { width, top: lane * LANE, colour: colours[seat] });
  });
  pen.fillStyle = colours.overlap;
  for (const [start, end] of overlaps(run.segments.a, run.segments.b)) {
    pen.fillRect(x(start), 0, Math.max(1, x(end) - x(start)), 2 * LANE);
  }
}

function drawAxis(pen, view, x, width, colours) {
  pen.font = "11px system-ui, sans-serif";
  const step = tickStep(view.span * (600 / Math.max(width, 1)));
  for (let i = Math.ceil(view.start / step); i * step <= view.start + view.span; i++) {
    const at = x(i * step);
    pen.fillStyle = colours.line;
    pen.fillRect(at, 0, 1, 2 * LANE + 4);
    pen.fillStyle = colours.text;
    const label = step < 1 ? clock(i * step) : clock(i * step).slice(0, -2);
    pen.fillText(label, Math.min(at + 3, width - 24), 2 * LANE + 14);
  }
  pen.fillStyle = colours.line;
  pen.fillRect(0, LANE, width, 1);
}

function drawSegments(pen, segments, x, top, colour) {
  pen.fillStyle = colour;
  for (const [start, end] of segments) {
    const wide = Math.max(1, x(end) - x(start));
    pen.globalAlpha = 0.1;
    pen.fillRect(x(start), top + 1, wide, LANE - 2);
    pen.globalAlpha = 0.9;
    pen.fillRect(x(start), top + LANE - 6, wide, 4);
  }
  pen.globalAlpha = 1;
}

/* One upright line per pixel, from the lowest to the highest peak under it. */
function drawWave(pen, peaks, seat, view, { width, top, colour }) {
  const values = peaks[seat];
  const middle = top + (LANE - 6) / 2;
  const reach = ((LANE - 10) / 2) * peaks.gain / 127;
  pen.fillStyle = colour;
  for (let px = 0; px < width; px++) {
    const first = Math.floor((view.start + (px / width) * view.span) * peaks.rate_hz);
    const last = Math.max(first + 1, Math.floor((view.start + ((px + 1) / width) * view.span) * peaks.rate_hz));
    let low = 0;
    let high = 0;
    for (let i = 2 * first; i < 2 * last && i + 1 < values.length; i += 2) {
      low = Math.min(low, values[i]);
      high = Math.max(high, values[i + 1]);
    }
    pen.fillRect(px, middle - high * reach, 1, Math.max(0.6, (high - low) * reach));
  }
}

/* Both lanes share one gain of at most 4, so quiet recordings show and levels stay comparable. */
function loadPeaks(run) {
  const [a, b] = [decodePeaks(run.peaks.a), decodePeaks(run.peaks.b)];
  const top = [a, b].reduce((most, lane) => lane.reduce((m, v) => Math.max(m, Math.abs(v)), most), 1);
  return { a, b, rate_hz: run.peaks.rate_hz, gain: Math.min(4, 124 / top) };
}

/* Returns the state of a player: `node` to show, `cursor` in seconds (also where no sound can be played), `view`
   = what the lanes show. `onTime(time_s)` is called whenever the cursor moves. */
function makePlayer(run, onTime) {
  const audio = new Audio();
  const view = { start: 0, span: run.duration_s };
  const p = { run, onTime, audio, view, cursor: 0, broken: false, frame: 0, routed: null, peaks: loadPeaks(run),
    whole: null, gone: new AbortController() };
  p.canvas = el("canvas", { tabindex: 0, role: "slider", autofocus: true, "aria-label": "Position in the recording",
    "aria-valuemin": 0, "aria-valuemax": run.duration_s, onclick: (event) => seek(p, timeAt(p, event)) });
  p.head = el("div", { class: "playhead" });
  p.marks = el("div", { class: "marks" });
  p.button = el("button", { type: "button", class: "play", "aria-label": "Play", onclick: () => toggle(p) }, "▶");
  p.time = el("output", { class: "time" });
  p.note = el("p", { class: "warn-note", role: "status", hidden: true });
  const names = ["a", "b"].map((seat) => el("span", { class: `lane ${seat}` }, seatBadge(seat), ` ${run.agents[seat]}`));
  p.node = el("div", { class: "player" },
    el("div", { class: "stage" }, p.canvas, p.marks, p.head, names),
    el("div", { class: "controls" }, p.button, p.time, speedControl(p), zoomControl(p), listenControl(p)), p.note);
  listenToAudio(p);
  watchLayout(p);
  return p;
}

function listenToAudio(p) {
  p.onFail = () => fail(p);
  p.audio.addEventListener("play", () => playing(p, true));
  p.audio.addEventListener("pause", () => playing(p, false));
  p.audio.addEventListener("ended", () => playing(p, false));
  p.audio.addEventListener("error", p.onFail);
  p.audio.addEventListener("loadedmetadata", () => { if (!canSeek(p)) fetchWhole(p); }, { once: true });
  p.audio.preload = "metadata";
  if (p.run.audio) p.audio.src = p.run.audio;
  else fail(p);
}

function watchLayout(p) {
  p.onScheme = () => redraw(p);
  p.scheme = matchMedia("(prefers-color-scheme: dark)");
  p.scheme.addEventListener("change", p.onScheme);
  p.resized = new ResizeObserver(() => { redraw(p); show(p); });
  p.resized.observe(p.canvas);
}

function disposePlayer(p) {
  p.audio.removeEventListener("error", p.onFail); /* an emptied source is an error too */
  p.audio.pause();
  p.audio.removeAttribute("src");
  p.audio.load();
  p.scheme.removeEventListener("change", p.onScheme);
  p.resized.disconnect();
  p.routed?.context.close();
  cancelAnimationFrame(p.frame);
  p.gone.abort();
  if (p.whole) URL.revokeObjectURL(p.whole);
}

/* From a server that sends whole files only, everything would play from its start. */
function canSeek({ audio, run }) {
  if (run.audio.startsWith("data:") || !location.protocol.startsWith("http")) return true;
  return audio.seekable.length > 0 && audio.seekable.end(audio.seekable.length - 1) > run.duration_s - 1;
}

async function fetchWhole(p) {
  mute(p, "This server cannot send parts of a recording: all of it is being loaded…");
  try {
    const response = await fetch(p.run.audio, { signal: p.gone.signal });
    if (!response.ok) throw new Error(response.statusText);
    p.whole = URL.createObjectURL(await response.blob());
  } catch { return fail(p); }
  p.audio.src = p.whole;
  p.broken = p.button.disabled = false;
  p.note.hidden = true;
  seek(p, p.cursor);
}

function timeAt(p, event) {
  const box = p.canvas.getBoundingClientRect();
  return p.view.start + ((event.clientX - box.left) / box.width) * p.view.span;
}

function show(p) {
  const { cursor, view, run } = p;
  if (cursor < view.start || cursor > view.start + view.span) {
    view.start = Math.max(0, Math.min(cursor - 0.1 * view.span, run.duration_s - view.span));
    redraw(p);
  }
  p.head.style.left = `${(100 * (cursor - view.start)) / view.span}%`;
  p.time.textContent = `${clock(cursor)} / ${clock(run.duration_s)}`;
  p.canvas.setAttribute("aria-valuenow", cursor.toFixed(1));
  p.canvas.setAttribute("aria-valuetext", clock(cursor));
  p.onTime(cursor);
}

function redraw(p) {
  drawLanes(p.canvas, p.run, p.peaks, p.view);
  p.marks.replaceChildren(...p.run.events.map((event) => pin(p, event)).filter(Boolean));
}

function pin(p, event) {
  const place = (event.t - p.view.start) / p.view.span;
  if (place < 0 || place > 1) return null;
  const node = el("button", { type: "button", tabindex: -1, class: `pin ${event.seat === "b" ? "b" : "a"}`,
    title: `${clock(event.t)} ${event.seat ?? ""} ${event.kind}: ${event.text}`, onclick: () => seek(p, event.t) });
  node.style.left = `${100 * place}%`;
  return node;
}

function seek(p, time_s) {
  p.cursor = Math.max(0, Math.min(time_s, p.run.duration_s));
  if (!p.broken) p.audio.currentTime = audible(p.run.audio, p.cursor);
  show(p);
}

/* Browsers play an MP3 from the start of a frame, but call that the time they were asked for: so ask for a start. */
function audible(source, time_s) {
  if (!source.startsWith("data:audio/mpeg")) return time_s;
  return Math.floor(time_s / FRAME_S + 1e-6) * FRAME_S + 1e-4;
}

function toggle(p) {
  if (p.broken) return;
  if (!p.audio.paused) return p.audio.pause();
  if (p.cursor >= p.run.duration_s - 0.05) seek(p, 0);
  p.audio.play().catch(() => p.audio.error && fail(p));
}

function follow(p) {
  p.cursor = Math.min(p.audio.currentTime, p.run.duration_s);
  show(p);
  if (!p.audio.paused) p.frame = requestAnimationFrame(() => follow(p));
}

function playing(p, on) {
  p.button.textContent = on ? "❚❚" : "▶";
  p.button.setAttribute("aria-label", on ? "Pause" : "Play");
  cancelAnimationFrame(p.frame);
  if (on) follow(p);
}

function mute(p, why) {
  p.audio.pause();
  p.broken = p.button.disabled = true;
  p.note.hidden = false;
  p.note.textContent = why;
}

function fail(p) {
  const beside = p.run.audio && !p.run.audio.startsWith("data:");
  mute(p, beside
    ? `No sound: ${p.run.audio} cannot be read. Keep this page in its study folder, beside the runs.`
    : "No sound: this recording cannot be played here.");
}

function speedControl(p) {
  const set = (event) => { p.audio.playbackRate = Number(event.target.value); };
  return el("label", {}, "Speed ", el("select", { onchange: set },
    [0.5, 0.75, 1, 1.25, 1.5, 2].map((rate) => el("option", { value: rate, selected: rate === 1 }, `${rate}×`))));
}

function zoomControl(p) {
  const whole = p.run.duration_s;
  const set = (event) => {
    p.view.span = Number(event.target.value);
    p.view.start = Math.max(0, Math.min(p.cursor - p.view.span / 4, whole - p.view.span));
    redraw(p);
    show(p);
  };
  const spans = [60, 20, 5].filter((span) => span < whole).map((span) => el("option", { value: span }, `${span} s`));
  return el("label", {}, "Show ", el("select", { onchange: set }, el("option", { value: whole }, "all"), spans));
}

function listenControl(p) {
  const usable = canRoute(p.run.audio ?? "");
  const choose = (who) => {
    p.routed ??= routeChannels(p.audio);
    p.routed.listen(who);
  };
  const option = ([value, name]) => el("label", {}, el("input", { type: "radio", name: "listen", value,
    checked: value === "both", disabled: !usable, onchange: () => choose(value) }), name);
  const why = usable ? "Which seat to hear"
    : "One seat alone can be heard when the audio is inside the page or served over http";
  return el("fieldset", { class: "listen", title: why, "aria-label": why },
    [["both", "both"], ["a", "only a"], ["b", "only b"]].map(option));
}
