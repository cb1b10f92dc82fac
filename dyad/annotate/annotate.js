/* One item at a time: shows it, follows the keys, sends the answer. The server knows what was answered. */

const KEYS = [
  ["Space", "play, pause"], ["← →", "2 s back, on"], ["Shift ← →", "slower, faster"], ["↑ ↓", "line cursor up, down"],
  ["p", "play from the line cursor"], ["1 … 9", "choose a label; of items: said in this line"], ["0", "none of the items"],
  ["digits, n", "a number, or none"], ["e", "mark the line: evidence, or entry into the role"], ["d", "mark the line: off the role"],
  ["x", "tick the further answer"], ["u", "unsure"], ["Enter", "save, and the next question"], ["b, Backspace", "the question before"],
  ["s", "skip for now"], ["?", "this list"],
];
const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2];

let here = null; /* the open item: {place, item, player, reply, changed, cursor, follows, wanted_s, watch, transcript, panel, marks} */
const whole = { n: 0, done: new Set(), seen: new Set(), busy: false };

async function call(path, body) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(path, body === undefined ? {} : post).catch(() => null);
  if (!response) throw new Error("The server is gone: run the same command again and open its new address.");
  const data = await response.json();
  if (!response.ok) throw new Error(data.error);
  return data;
}

const tell = (words) => { byId("message").textContent = words; };

/* Does one thing at a time: a key that comes while an answer is on its way answers nothing. */
async function busyWith(work) {
  if (whole.busy) return;
  whole.busy = true;
  byId("item").setAttribute("aria-busy", "true");
  try { await work(); } catch (error) { tell(error.message); } finally {
    whole.busy = false;
    byId("item").setAttribute("aria-busy", "false");
  }
}

async function openItem(place) {
  const item = await call(`items/${place}`);
  const player = makePlayer({ ...item, agents: names(item), events: [], audio: `items/${place}/audio` }, onTime);
  if (here) disposePlayer(here.player);
  here = { place, item, player, reply: { ...newReply(), ...item.answer ?? {} }, changed: false, cursor: 0, follows: true, wanted_s: null, watch: stopwatch() };
  player.audio.addEventListener("play", () => { here.follows = true; });
  player.canvas.removeAttribute("autofocus");
  player.audio.addEventListener("error", () => { player.note.textContent = "No sound: the recording cannot be played here."; });
  here.transcript = makeTranscript(item.lines, item.lang, goTo);
  here.panel = questionPart(item.question, item.roles, act);
  here.marks = lineButtons(item.question, act);
  showItem();
}

function showItem() {
  const { item, player, transcript, panel } = here;
  const listen = el("div", { class: "listening" }, player.node, transcript.node);
  const beside = el("div", { class: "beside" }, rolesPart(item), countsPart(item.question));
  byId("item").replaceChildren(panel.node, listen, beside);
  item.lines.forEach(dressRow);
  byId("counts").open = !whole.seen.has(item.question.id);
  whole.seen.add(item.question.id);
  paint();
  moveTo(0, false);
  progress();
  scrollTo(0, 0);
  byId("ask").focus({ preventScroll: true });
}

const names = (item) => Object.fromEntries(item.roles.map(({ seat, name }) => [seat, name]));
const row = (line) => here.transcript.node.querySelector(`[data-line="${line.id}"]`);

/* Rows show the ids that marks speak of; a click moves the line cursor as well. */
function dressRow(line, i) {
  row(line).querySelector(".seat").textContent = line.id;
  row(line).addEventListener("click", () => moveTo(i));
}

function progress() {
  const { n, done } = whole;
  byId("progress").max = n;
  byId("progress").value = done.size;
  byId("count").textContent = `question ${here.place} of ${n}, ${done.size} answered`;
  byId("back").disabled = here.place === 1;
}

/* Seconds in front of an item while the page can be seen. */
function stopwatch() {
  const watch = { total_ms: 0, since: document.hidden ? null : performance.now() };
  watch.turn = () => {
    if (watch.since !== null) watch.total_ms += performance.now() - watch.since;
    watch.since = document.hidden ? null : performance.now();
    return watch.total_ms / 1000;
  };
  return watch;
}

/* -- lines -- */

function onTime(time_s) {
  if (!here?.player.node.isConnected) return; /* the player of the coming item */
  here.transcript.at(time_s);
  if (here.player.audio.paused || !here.follows) return;
  const begun = here.item.lines.findLastIndex((line) => line.start <= time_s);
  if (begun >= 0 && begun !== here.cursor) moveTo(begun, true, true);
}

function moveTo(cursor, scroll = true, follows = false) {
  const { lines } = here.item;
  if (!lines.length) return;
  here.follows = follows;
  here.transcript.node.querySelector(".cursor")?.removeAttribute("aria-current");
  here.transcript.node.querySelector(".cursor")?.classList.remove("cursor");
  here.cursor = Math.max(0, Math.min(cursor, lines.length - 1));
  const now = row(lines[here.cursor]);
  now.classList.add("cursor");
  now.setAttribute("aria-current", "true");
  now.querySelector("div").append(here.marks.node);
  here.marks.paint(here.reply, lines[here.cursor]);
  if (scroll) now.scrollIntoView({ block: "nearest" });
  if (!follows && scroll) tell(`Line ${lines[here.cursor].id}`);
}

/* -- answers -- */

function change(kind, value) {
  const next = changes[kind](here.reply, here.item.question, value);
  if (typeof next === "string") return tell(next);
  here.reply = next;
  here.changed = true;
  tell("");
  paint();
}

function withLine(work) {
  const line = here.item.lines[here.cursor];
  if (line) work(line);
  else tell("Nobody was heard: there is no line to mark.");
}

const act = {
  choose: (value) => change("choose", value),
  flag: (name) => change("flag", name),
  number: (text) => change("number", text),
  voice: (item) => withLine((line) => change("voice", { item, line })),
  mark: (kind) => withLine((line) => change(kind, line)),
};

function paint() {
  const { item, reply, panel } = here;
  panel.paint(reply);
  if (item.lines.length) here.marks.paint(reply, item.lines[here.cursor]);
  for (const line of item.lines) {
    const picks = { "in role": reply.entry === line.id, "off role": reply.deviation === line.id,
      evidence: reply.lines.includes(line.id), item: reply.items.some((one) => one.line === line.id) };
    row(line).dataset.pick = Object.keys(picks).filter((pick) => picks[pick]).join(", ");
  }
}

function save() {
  return busyWith(async () => {
    if (here.reply.label === undefined) return tell("Choose a label first, or u for unsure.");
    if (here.changed || !here.item.answer) {
      const { done } = await call(`items/${here.place}`, { ...here.reply, seconds: here.watch.turn() });
      whole.done = new Set(done.map((place) => place + 1));
      here.changed = false;
      tell("Saved.");
    }
    await onward();
  });
}

/* The next item; after the last one what was skipped, then the end. */
async function onward() {
  const open = firstOpen();
  if (here.place < whole.n) await openItem(here.place + 1);
  else if (open) await openItem(open);
  else { progress(); byId("end").showModal(); }
}

function firstOpen() {
  for (let place = 1; place <= whole.n; place++) if (!whole.done.has(place)) return place;
  return null;
}

const skip = () => busyWith(async () => { tell(""); await onward(); });
const back = () => busyWith(async () => { tell(""); if (here.place > 1) await openItem(here.place - 1); });

async function finish() {
  await call("end", {});
  disposePlayer(here.player);
  here = null;
  document.querySelectorAll(".strip").forEach((strip) => strip.remove());
  byId("item").className = "ended";
  byId("item").replaceChildren(el("h1", {}, "Thank you"), el("p", {}, "Everything is stored. You can close this page."));
}

/* -- keys -- */

function speed(step) {
  const select = here.player.node.querySelector("select");
  const at = SPEEDS.indexOf(Number(select.value)) + step;
  if (!(at in SPEEDS)) return;
  select.value = SPEEDS[at];
  select.dispatchEvent(new Event("change"));
  tell(`Speed ${SPEEDS[at]}×`);
}

/* A seek in the middle of a seek, or play, can stall Chromium for good: each waits for the one before. */
function afterSeek(work) {
  const { audio } = here.player;
  if (audio.seeking) audio.addEventListener("seeked", () => afterSeek(work), { once: true });
  else work();
}

function goTo(time_s) {
  const { player } = here;
  here.wanted_s = time_s;
  afterSeek(() => {
    if (here.player === player && here.wanted_s !== null) seek(player, here.wanted_s);
    here.wanted_s = null;
  });
}

const skipBy = (step_s) => goTo((here.wanted_s ?? here.player.cursor) + step_s);

function playOrPause() {
  const { player } = here;
  afterSeek(() => toggle(player));
}

function playLine() {
  withLine((line) => {
    goTo(line.start);
    if (here.player.audio.paused) playOrPause();
  });
}

const marks = () => (here.item.question.kind === "timing" ? "enter" : "cite");
const listeningKeys = {
  " ": playOrPause,
  ArrowLeft: (event) => (event.shiftKey ? speed(-1) : skipBy(-SKIP_S)),
  ArrowRight: (event) => (event.shiftKey ? speed(1) : skipBy(SKIP_S)),
  ArrowUp: () => moveTo(here.cursor - 1),
  ArrowDown: () => moveTo(here.cursor + 1),
  p: playLine,
};
const answeringKeys = {
  e: () => (here.item.question.kind === "items" ? tell("Press the number of the item that this line says.") : act.mark(marks())),
  d: () => (here.item.question.kind === "timing" ? act.mark("deviate") : null),
  x: () => here.item.question.flags[0] && act.flag(here.item.question.flags[0].name),
  u: () => act.choose(null),
  Enter: save,
  b: back,
  Backspace: back,
  s: skip,
  "?": () => byId("help").showModal(),
};

/* A number key chooses a label or an item; of a price it is a digit, which goes into the field. */
function digit(key) {
  const { question } = here.item;
  if (question.kind === "number") return byId("number").focus(), false;
  if (question.kind === "items" && key === "0") return act.choose("none"), true;
  const items = question.kind === "items" ? question.items : shownChoices(question);
  const one = items[Number(key) - 1];
  if (one) (question.kind === "items" ? act.voice(one) : act.choose(one.value));
  return true;
}

const EDITING = /^([0-9]|Backspace|Delete|ArrowLeft|ArrowRight|Home|End|Tab)$/; /* of a number, in its field */

/* What a focused control does with a key by itself stays its own. */
function isNative(event) {
  const { target, key } = event;
  if (target.closest("input[id=number]")) return EDITING.test(key);
  if (target.closest("select, input")) return key === " " || key.startsWith("Arrow");
  if (!target.closest("button, summary, a")) return false;
  return key === " " || (key === "Enter" && target.getAttribute("aria-pressed") !== "true");
}

function onKey(event) {
  if (!here || whole.busy || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (document.querySelector("dialog[open]") || isNative(event)) return;
  const { key } = event;
  if (/^[0-9]$/.test(key)) return void (digit(key) && event.preventDefault());
  if (key === "n" && here.item.question.kind === "number") return act.choose("none");
  const action = listeningKeys[key] ?? answeringKeys[key];
  if (!action || (event.repeat && key in answeringKeys)) return;
  event.preventDefault();
  action(event);
}

async function start() {
  const { n, done, by } = await call("items");
  Object.assign(whole, { n, done: new Set(done.map((place) => place + 1)) });
  document.title = `dyad: labels by ${by}`;
  const open = firstOpen();
  await openItem(open ?? n);
  if (!open) byId("end").showModal();
}

byId("key-list").append(...KEYS.flatMap(([keys, words]) => [el("dt", {}, el("kbd", {}, keys)), el("dd", {}, words)]));
byId("keys").addEventListener("click", () => byId("help").showModal());
byId("back").addEventListener("click", back);
byId("skip").addEventListener("click", skip);
byId("save").addEventListener("click", save);
byId("end").addEventListener("close", () => byId("end").returnValue === "end" && busyWith(finish));
document.addEventListener("keydown", onKey);
document.addEventListener("visibilitychange", () => here?.watch.turn());
busyWith(start);
