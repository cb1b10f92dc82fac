/* One conversation in the drawer: player, transcript, judgments, measures, prompts. */

/* Returns {node, player}. `links` = {previous, next} ids or null; `close` closes the drawer. */
function runView(run, links, close) {
  const transcript = makeTranscript(run.lines, run.lang, (time_s) => seek(player, time_s));
  const player = makePlayer(run, transcript.at);
  const cite = (evidence) => {
    const line = transcript.cite(evidence);
    if (line) seek(player, line.start);
  };
  const side = el("div", { class: "side" },
    judgmentsPart(run.judgments, run.lang, cite),
    eventsPart(run.events, (time_s) => seek(player, time_s)),
    measuresPart(run.measures),
    promptsPart(run));
  const node = el("div", { class: "drawer" }, runHead(run, links, close), player.node,
    el("div", { class: "columns" }, transcript.node, side));
  return { node, player };
}

const closeButton = (close) => el("button", { type: "button", onclick: close, title: "Close (Esc)" }, "Close");

function runHead(run, links, close) {
  const link = (id, text, key) => id === null ? null
    : el("a", { class: "step", href: `#run=${encodeURIComponent(id)}`, title: `${text} (${key})` }, text);
  const seat = (name) => el("span", { class: "who" }, seatBadge(name), ` ${run.agents[name]}`,
    run.roles[name] ? el("small", {}, ` ${run.roles[name]}`) : null);
  const facts = [run.archetype, `scenario ${run.scenario}`, run.channel ? `channel ${run.channel}` : null,
    page.opener ? `opener ${run.opener}` : null, `repetition ${run.repetition}`, `seed ${run.seed}`, `${number(run.duration_s)} s`];
  return el("header", {},
    el("div", { class: "top" },
      el("h2", { id: "run-title" }, run.title),
      el("span", { class: "steps" }, link(links.previous, "‹ previous", "p"), link(links.next, "next ›", "n"),
        closeButton(close))),
    el("p", { class: "whos" }, seat("a"), seat("b")),
    el("p", { class: "hint" }, facts.filter(Boolean).join(" · ")),
    run.setting ? el("p", { class: "setting", lang: run.lang }, run.setting) : null,
    el("p", { class: "hint mono" }, run.id),
    run.health.ok ? null : el("p", { class: "warn-note" }, `Unhealthy, not judged: ${run.health.problems.join("; ")}`),
    run.timing_valid ? null : el("p", { class: "warn-note" }, "The pace was lost while recording: times are not valid."));
}

/* `lang` picks the font: Chinese and Japanese share characters that they draw differently. */
function makeTranscript(lines, lang, go) {
  const rows = new Map(lines.map((line) => [line.id, transcriptLine(line, lang, () => go(line.start))]));
  const list = el("ol", { class: "lines" }, [...rows.values()]);
  const node = el("section", { class: "transcript", "aria-label": "Transcript" }, el("h3", {}, "Transcript"),
    lines.length ? list : el("p", { class: "empty" }, "Nobody was heard to say anything."));
  let marked = null;
  const at = (time_s) => {
    for (const line of lines) {
      rows.get(line.id).classList.toggle("now", line.start <= time_s && time_s < line.end);
    }
  };
  const cite = (evidence) => {
    if (marked) quote(rows.get(marked.id), marked, null);
    marked = lines.find((line) => line.id === evidence.line) ?? null;
    if (!marked) return null;
    const row = rows.get(marked.id);
    quote(row, marked, evidence.quote);
    row.scrollIntoView({ block: "nearest" });
    return marked;
  };
  return { node, at, cite };
}

function transcriptLine(line, lang, go) {
  const marks = [line.marks ?? []].flat();
  const click = () => { if (getSelection().isCollapsed) go(); };
  return el("li", { class: line.seat === "b" ? "b" : "a", "data-line": line.id, onclick: click },
    el("button", { type: "button", class: "at", "aria-label": `Line ${line.id}, play from ${clock(line.start)}`, onclick: go },
      clock(line.start)),
    seatBadge(line.seat),
    el("div", {},
      el("span", { class: "text", dir: "auto", lang }, line.text),
      marks.map((mark) => el("span", { class: "tagged" }, mark)),
      line.heard ? el("small", { class: "heard", dir: "auto", lang }, `heard as: ${line.heard}`) : null));
}

/* Marks `words` in the line's text; the whole line if they are not in it; nothing for null. */
function quote(row, line, words) {
  const text = row.querySelector(".text");
  row.classList.toggle("cited", words !== null);
  const from = words ? line.text.toLowerCase().indexOf(words.toLowerCase()) : -1;
  if (words === null) return text.replaceChildren(line.text);
  if (from < 0) return text.replaceChildren(el("mark", {}, line.text));
  const to = from + words.length;
  text.replaceChildren(line.text.slice(0, from), el("mark", {}, line.text.slice(from, to)), line.text.slice(to));
}

function part(title, children, empty) {
  return el("section", {}, el("h3", {}, title), children.length ? children : el("p", { class: "empty" }, empty));
}

function judgmentsPart(judgments, lang, cite) {
  return part("Judgments", judgments.map((judgment) => judgmentCard(judgment, lang, cite)), "Not judged.");
}

function judgmentCard(judgment, lang, cite) {
  const fields = Object.entries(judgment.fields ?? {}).filter(([, value]) => value !== null);
  return el("article", { class: "judgment" },
    el("p", {}, judgment.seat || page.opener ? seatBadge(judgment.seat) : null, " ", judgment.question, " ",
      el("b", { class: judgment.label === null ? "label none" : "label" }, judgment.label ?? "missing"),
      judgment.status === "ok" ? null : el("span", { class: "tagged" }, judgment.status),
      el("small", { class: "hint" }, ` ${judgment.judge}`)),
    fields.length ? el("p", { class: "hint" }, fields.map(([key, value]) => `${key}: ${fieldText(value)}`).join(" · ")) : null,
    judgment.evidence.map((evidence) =>
      el("button", { type: "button", class: "evidence", dir: "auto", lang, onclick: () => cite(evidence) },
        el("span", { class: "mono" }, evidence.line), ` “${evidence.quote}”`)));
}

function fieldText(value) {
  if (Array.isArray(value)) return value.map(fieldText).join(", ");
  if (value && typeof value === "object") return Object.values(value).map(fieldText).join(" ");
  return typeof value === "number" ? number(value) : String(value);
}

function eventsPart(events, go) {
  const rows = events.map((event) => el("li", {},
    el("button", { type: "button", class: "at", onclick: () => go(event.t) }, clock(event.t)),
    seatBadge(event.seat), el("span", {}, el("b", {}, event.kind), " ", event.text ?? "")));
  return part("Events", rows.length ? [el("ul", { class: "events" }, rows)] : [], "No events.");
}

function measuresPart(measures) {
  if (!page.opener) return modesPart(measures);
  const rows = new Map();
  for (const measure of measures) {
    const key = JSON.stringify([measure.measure, measure.mode, measure.unit]);
    rows.set(key, { ...(rows.get(key) ?? {}), [measure.seat ?? "pair"]: measure });
  }
  const cell = (measure) => el("td", {}, measure ? number(measure.value) : "",
    measure && measure.n !== null && measure.n !== undefined ? el("small", {}, ` n ${number(measure.n)}`) : null);
  const line = ([key, seats]) => {
    const [name, mode, unit] = JSON.parse(key);
    return el("tr", {}, el("th", { scope: "row" }, name, el("small", {}, ` ${[unit?.replaceAll("_", " "), mode].filter(Boolean).join(", ")}`)),
      cell(seats.a), cell(seats.b), cell(seats.pair));
  };
  const table = el("table", { class: "measures" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "measure"),
      ...["a", "b", null].map((seat) => el("th", { scope: "col" }, seatBadge(seat))))),
    el("tbody", {}, [...rows].map(line)));
  return el("details", {}, el("summary", {}, `Measures (${rows.size})`), table);
}

/* The measures of a trial, all of the model: a column for each mode. */
function modesPart(measures) {
  const modes = unique(measures.map((measure) => measure.mode));
  const known = new Map(measures.map((measure) => [`${measure.measure} ${measure.mode}`, measure]));
  const names = [...new Map(measures.map((measure) => [measure.measure, measure.unit]))];
  const cell = (measure) => el("td", {}, measure ? number(measure.value) : "",
    measure?.n > 1 ? el("small", {}, ` n ${number(measure.n)}`) : null);
  const line = ([name, unit]) => el("tr", {},
    el("th", { scope: "row" }, name, el("small", {}, ` ${unit.replaceAll("_", " ")}`)),
    modes.map((mode) => cell(known.get(`${name} ${mode}`))));
  const has = ([name]) => modes.some((mode) => known.get(`${name} ${mode}`)?.value != null);
  const shown = names.filter(has);
  const without = names.length - shown.length;
  const table = el("table", { class: "measures" },
    el("thead", {}, el("tr", {}, ["measure", ...modes].map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, shown.map(line)));
  return el("details", { open: true }, el("summary", {}, `Measures (${shown.length})`), table,
    without ? el("p", { class: "hint" }, `${without} others have no value here.`) : null);
}

function promptsPart(run) {
  const prompt = (seat) => [el("p", {}, seatBadge(seat), ` ${run.agents[seat]}`),
    el("pre", { dir: "auto", lang: run.lang }, run.prompts[seat] || "(none)")];
  return el("details", {}, el("summary", {}, page.opener ? "Prompts, as the agents got them" : "Prompt, as the model got it"),
    prompt("a"), page.opener ? prompt("b") : null);
}
