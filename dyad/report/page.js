/* The list of conversations (of a suite: trials), sorting, filters, and which of them is open. */

const PAGE = 100;
const index = readJson("index");
const drawer = byId("run");
const filters = { find: byId("find"), task: byId("by-task"), pairing: byId("by-pairing"), label: byId("by-label") };
const order = { key: null, sign: 1 };
let listed = index.map((_, position) => position);
let limit = PAGE;
let opened = null; /* the view of the open conversation */

const labelName = (label) => `${label.question}: ${label.label ?? "missing"}`;
const columns = [
  [page.noun, (run) => run.title],
  [page.pairing, (run) => run.pairing],
  [page.task, (run) => run.archetype],
  ...(page.opener ? [["opener", (run) => run.opener]] : []),
  ["rep", (run) => run.repetition],
  ["seconds", (run) => run.duration_s],
  ["labels", (run) => run.labels.map(labelName).join(" ")],
];
const narrow = new Set(["opener", "rep", "seconds"]); /* columns that a phone has no room for */

/* Missing values stay last in either direction. */
function compare(x, y, sign) {
  if (x === null || y === null) return (x === null) - (y === null);
  return sign * (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true }));
}

function matches(run) {
  const words = filters.find.value.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => run.words.includes(word))
    && (!filters.task.value || filters.task.value === run.task || filters.task.value === run.archetype)
    && (!filters.pairing.value || filters.pairing.value === run.pairing)
    && (!filters.label.value || run.labels.some((label) => labelName(label) === filters.label.value)
      || (filters.label.value === "(unhealthy)" && !run.healthy));
}

function listRuns() {
  const value = columns[order.key]?.[1];
  listed = index.map((_, position) => position).filter((position) => matches(index[position]));
  if (value) listed.sort((x, y) => compare(value(index[x]), value(index[y]), order.sign));
  byId("run-rows").replaceChildren(...listed.slice(0, limit).map((position) => runRow(index[position])));
  byId("count").textContent = listed.length ? `${listed.length} of ${index.length} ${page.noun}s` : `No ${page.noun} fits.`;
  byId("more").hidden = listed.length <= limit;
}

function runRow(run) {
  const chip = (label) => el("span", { class: label.label === null ? "chip none" : "chip", title: `${label.question}, by ${label.judge}` },
    label.seat ? el("i", { class: `dot ${label.seat}`, "aria-label": `seat ${label.seat}` }) : null,
    `${label.question.split(".").pop()}: ${label.label ?? "missing"}`);
  return el("tr", { onclick: (event) => { if (!event.target.closest("a")) visit(runHash(run.id)); } },
    el("td", {}, el("a", { href: runHash(run.id) }, run.title)),
    el("td", {}, page.opener ? ["a", "b"].map((seat) => el("span", { class: "who" }, seatBadge(seat), ` ${run.agents[seat]}`)) : run.pairing),
    el("td", {}, run.archetype),
    page.opener ? el("td", { class: "wide" }, seatBadge(run.opener)) : null,
    el("td", { class: "num wide" }, number(run.repetition)),
    el("td", { class: "num wide" }, number(run.duration_s)),
    el("td", {}, run.healthy ? null : el("span", { class: "chip bad", title: run.problems.join("; ") }, "unhealthy"),
      run.labels.map(chip)));
}

const runHash = (id) => `#run=${encodeURIComponent(id)}`;

function setOptions(select, groups) {
  select.replaceChildren(el("option", { value: "" }, "all"), ...groups.map((value) => el("option", { value }, value)));
  select.addEventListener("change", restart);
}

function restart() {
  limit = PAGE;
  listRuns();
}

function setUpList() {
  setOptions(filters.task, unique(index.flatMap((run) => [run.task, run.archetype])));
  setOptions(filters.pairing, unique(index.map((run) => run.pairing)));
  const labels = unique(index.flatMap((run) => run.labels.map(labelName)));
  setOptions(filters.label, index.some((run) => !run.healthy) ? ["(unhealthy)", ...labels] : labels);
  filters.find.addEventListener("input", restart);
  filters.find.form.addEventListener("submit", (event) => event.preventDefault());
  byId("more").addEventListener("click", () => { limit += PAGE; listRuns(); });
  byId("run-heads").append(...columns.map(([name]) => el("th", { scope: "col", class: narrow.has(name) ? "wide" : null }, el("button", { type: "button" }, el("span", {}, name)))));
  sortOnClick(byId("run-heads"), (key, sign) => { Object.assign(order, { key, sign }); listRuns(); });
  listRuns();
}

/* Numbers start with the largest first only on a second click: one rule for every column. */
function sortOnClick(row, sort) {
  [...row.cells].forEach((cell, column) => cell.querySelector("button")?.addEventListener("click", () => {
    const sign = cell.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const other of row.cells) other.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
    sort(column, sign);
  }));
}

function sortTable(table) {
  const value = (row, column) => {
    const cell = row.cells[column];
    if (column < 2) return cell.textContent;
    return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
  };
  sortOnClick(table.tHead.rows[0], (column, sign) => {
    const rows = [...table.tBodies[0].rows];
    table.tBodies[0].append(...rows.sort((x, y) => compare(value(x, column), value(y, column), sign)));
  });
}

function closeRun() {
  if (opened) disposePlayer(opened.player);
  opened = null;
  drawer.replaceChildren();
  if (drawer.open) drawer.close();
}

function openRun(position) {
  closeRun();
  const place = listed.indexOf(position);
  const neighbour = (step) => (place < 0 ? null : index[listed[place + step]]?.id ?? null);
  opened = runView(readJson(`data-${position}`), { previous: neighbour(-1), next: neighbour(1) }, leaveRun);
  drawer.append(opened.node);
  drawer.showModal();
  drawer.scrollTop = 0;
}

/* The drawer is one entry of the history, however many runs it shows in turn: Back closes it, and once closed
   it stays so. */
function visit(hash) {
  if (drawer.open) history.replaceState(history.state, "", hash);
  else history.pushState({ overList: true }, "", hash);
  route();
}

/* replaceState keeps the page where it was; setting the hash would scroll it. */
function leaveRun() {
  const row = [...byId("run-rows").querySelectorAll("a")].find((link) => link.hash === location.hash);
  const focus = () => row?.focus({ preventScroll: true });
  closeRun();
  if (history.state?.overList) {
    window.addEventListener("hashchange", focus, { once: true }); /* going back takes the focus away */
    return history.back();
  }
  history.replaceState(null, "", `#${page.noun}s`);
  focus();
}

function named(hash) {
  try { return decodeURIComponent(hash.slice(5)); } catch { return hash.slice(5); }
}

/* The beginning of an id will do. */
function route() {
  if (!location.hash.startsWith("#run=")) return closeRun();
  const id = named(location.hash);
  const exact = index.findIndex((run) => run.id === id);
  const found = exact >= 0 || !id ? [exact] : [...index.keys()].filter((position) => index[position].id.startsWith(id));
  if (found.length === 1 && found[0] >= 0) openRun(found[0]);
  else offer(id, found.filter((position) => position >= 0));
}

/* Says in the drawer, where it is seen, that an address names no run, or several. */
function offer(id, positions) {
  closeRun();
  const words = positions.length ? `${positions.length} ${page.noun}s begin with ${id}` : `No ${page.noun} named ${id} in this report`;
  const links = positions.slice(0, PAGE).map((position) => el("li", {}, el("a", { href: runHash(index[position].id) }, index[position].id)));
  drawer.append(el("div", { class: "drawer" },
    el("header", {}, el("div", { class: "top" }, el("h2", { id: "run-title" }, words), closeButton(leaveRun))), el("ul", {}, links)));
  drawer.showModal();
}

function onKey(event) {
  if (!opened || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea")) return;
  const skip = event.shiftKey ? 5 * SKIP_S : SKIP_S;
  const step = (word) => drawer.querySelector(`.step[title^="${word}"]`)?.click();
  const actions = {
    ArrowLeft: () => seek(opened.player, opened.player.cursor - skip),
    ArrowRight: () => seek(opened.player, opened.player.cursor + skip),
    " ": () => toggle(opened.player),
    n: () => step("next"),
    p: () => step("‹"),
  };
  if (event.key === " " && event.target.closest("button, summary, a")) return;
  if (!(event.key in actions)) return;
  event.preventDefault();
  actions[event.key]();
}

document.querySelectorAll("table.sortable").forEach(sortTable);
setUpList();
drawer.addEventListener("keydown", onKey);
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#run="]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  visit(link.hash);
});
drawer.addEventListener("cancel", (event) => { event.preventDefault(); leaveRun(); });
window.addEventListener("hashchange", route);
route();
