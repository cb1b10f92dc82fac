/* The question and the answer to it. A reply is what will be sent: `label` undefined: nothing is chosen yet; null: unsure.
   Whatever changes a reply goes through `change`, so that what is shown always follows from it. */

const newReply = () => ({ label: undefined, lines: [], entry: null, deviation: null, flags: [], items: [] });
const speaker = (seat) => `Speaker ${seat.toUpperCase()}`;
const toggled = (list, value) => (list.includes(value) ? list.filter((one) => one !== value) : [...list, value]);

/* Each change returns what a reply becomes, or words that say why not. */
const changes = {
  choose: (reply, question, value) => {
    const label = reply.label === value ? undefined : value;
    if (question.kind !== "timing") return { ...reply, label, items: [] };
    return { ...reply, label, entry: value === "none" ? null : reply.entry, deviation: value === "drifted" ? reply.deviation : null };
  },
  flag: (reply, question, name) => ({ ...reply, flags: toggled(reply.flags, name) }),
  number: (reply, question, text) => ({ ...reply, label: text === "" ? undefined : text }),
  cite: (reply, question, line) => ({ ...reply, lines: toggled(reply.lines, line.id) }),
  enter: (reply, question, line) => {
    if (line.seat !== question.about) return `This question is about ${speaker(question.about)}.`;
    if (reply.entry === line.id) return { ...reply, entry: null, deviation: null, label: undefined };
    return { ...reply, entry: line.id, label: reply.deviation ? "drifted" : "entered" };
  },
  deviate: (reply, question, line) => {
    if (line.seat !== question.about) return `This question is about ${speaker(question.about)}.`;
    const deviation = reply.deviation === line.id ? null : line.id;
    return { ...reply, deviation, label: deviation ? "drifted" : reply.entry ? "entered" : undefined };
  },
  voice: (reply, question, { item, line }) => {
    if (line.seat !== item.seat) return `${speaker(item.seat)} holds this; choose a line of ${speaker(item.seat)}.`;
    const same = (one) => one.seat === item.seat && one.item === item.item && one.line === line.id;
    const others = reply.items.filter((one) => !same(one));
    const items = others.length < reply.items.length ? others : [...others, { seat: item.seat, item: item.item, line: line.id }];
    return { ...reply, items, label: items.length ? "some" : undefined };
  },
};

/* Returns {node, paint}; `act` has a function for each kind of change that does not need a line, and `voice`. */
function questionPart(question, roles, act) {
  const parts = [
    ...question.kind === "items" ? [itemButtons(question.items, act)] : [],
    choiceButtons(question, act),
    ...question.flags.map((flag, i) => flagButton(flag, i, act)),
  ];
  const picked = el("p", { class: "hint picked" });
  const who = question.about ? [" about ", seatBadge(question.about), ` ${roles.find((role) => role.seat === question.about)?.name ?? ""}`] : [];
  const node = el("section", { class: "question card", id: "question", "aria-labelledby": "ask" },
    el("p", { class: "kicker" }, "Question", who),
    el("h2", { id: "ask", tabindex: -1 }, question.ask),
    parts.map((part) => part.node), picked);
  const paint = (reply) => {
    parts.forEach((part) => part.paint(reply));
    picked.textContent = pickedWords(question, reply);
  };
  return { node, paint };
}

function pickedWords(question, reply) {
  if (question.kind === "timing") return `In role from ${reply.entry ?? "–"} (e), off role from ${reply.deviation ?? "–"} (d): choose a line, then mark it.`;
  if (question.kind === "items") return "Choose the line that says it, then the item, or its number.";
  return reply.lines.length ? `Rests on ${reply.lines.join(", ")}` : "Choose a line that it rests on, then mark it (e).";
}

const LINE_MARKS = {
  timing: [["e", "in role from here", "enter", (reply) => [reply.entry]], ["d", "off role from here", "deviate", (reply) => [reply.deviation]]],
  items: [],
  other: [["e", "evidence", "cite", (reply) => reply.lines]],
};

/* Buttons for what can be said of the line under the cursor, so that no mark needs a key. */
function lineButtons(question, act) {
  const marks = (LINE_MARKS[question.kind] ?? LINE_MARKS.other).map(([key, words, kind, marked]) => ({ marked,
    node: pressButton(key, { class: "mark-line", onclick: (event) => { event.stopPropagation(); act.mark(kind); } }, words) }));
  const node = el("span", { class: "line-marks" }, marks.map((mark) => mark.node));
  const paint = (reply, line) => marks.forEach((mark) => mark.node.setAttribute("aria-pressed", String(mark.marked(reply).includes(line.id))));
  return { node, paint };
}

const pressButton = (key, props, ...children) =>
  el("button", { type: "button", class: "choice", "aria-pressed": "false", "aria-keyshortcuts": key, ...props }, el("kbd", {}, key), children);

function labelKey(question, i) {
  if (question.kind === "number") return "n";
  return question.kind === "items" ? "0" : String(i + 1);
}

/* Of items only "none" is chosen: what else there is follows from them. */
function shownChoices(question) {
  if (question.kind === "number" || question.kind === "items") return question.choices.filter((choice) => choice.value === "none");
  return question.choices;
}

function choiceButtons(question, act) {
  const choices = shownChoices(question).map((choice, i) => ({ value: choice.value, node: pressButton(labelKey(question, i),
    { onclick: () => act.choose(choice.value), "data-label": choice.value },
    el("span", {}, el("b", {}, choice.text), choice.means ? el("small", {}, ` ${choice.means}`) : null)) }));
  choices.push({ value: null, node: pressButton("u", { onclick: () => act.choose(null), "data-label": "" },
    el("span", {}, el("b", {}, "unsure"), el("small", {}, " It cannot be told, or I cannot tell."))) });
  const field = question.kind === "number" ? numberField(act) : null;
  const node = el("div", { class: "choices", role: "group", "aria-labelledby": "ask" }, field?.node, choices.map((choice) => choice.node));
  const paint = (reply) => {
    choices.forEach(({ value, node: button }) => button.setAttribute("aria-pressed", String(reply.label === value)));
    field?.paint(reply);
  };
  return { node, paint };
}

function numberField(act) {
  const input = el("input", { id: "number", inputmode: "numeric", maxlength: 6, autocomplete: "off", oninput: () => act.number(input.value.trim()) });
  const paint = (reply) => {
    const named = reply.label !== null && reply.label !== undefined && reply.label !== "none";
    if (!named) input.value = "";
    else if (input.value.trim() !== reply.label) input.value = reply.label;
  };
  return { node: el("label", { class: "number" }, "Number, in digits ", input), paint };
}

function flagButton(flag, i, act) {
  const node = pressButton(i === 0 ? "x" : "", { onclick: () => act.flag(flag.name), "data-flag": flag.name }, el("span", {}, flag.about));
  return { node: el("div", { class: "choices" }, node), paint: (reply) => node.setAttribute("aria-pressed", String(reply.flags.includes(flag.name))) };
}

function itemButtons(items, act) {
  const buttons = items.map((item, i) => {
    const lines = el("small", {});
    const node = pressButton(i < 9 ? String(i + 1) : "", { onclick: () => act.voice(item), "data-item": `${item.seat}/${item.item}` },
      seatBadge(item.seat), el("span", {}, item.text, " ", lines));
    return { item, node, lines };
  });
  const paint = (reply) => buttons.forEach(({ item, node, lines }) => {
    const said = reply.items.filter((one) => one.seat === item.seat && one.item === item.item).map((one) => one.line);
    node.setAttribute("aria-pressed", String(said.length > 0));
    lines.textContent = said.join(", ");
  });
  return { node: el("div", { class: "choices", role: "group", "aria-label": "Private items" }, buttons.map((button) => button.node)), paint };
}

function countsPart(question) {
  const example = ({ said, label }) => el("li", {}, `“${said}” `, el("b", { class: "label" }, label));
  return el("details", { id: "counts", class: "card" }, el("summary", {}, "What does not count, and examples"),
    el("ul", {}, question.not_counted.map((words) => el("li", {}, words))),
    el("ul", { class: "examples" }, question.examples.map(example)));
}

/* What the speakers know: the setting, both briefs, and what the question needs beside them. */
function rolesPart(item) {
  const { facts } = item.question;
  const list = (fact) => [el("h3", {}, fact.title), el("ul", { lang: item.lang }, fact.lines.map((words) => el("li", {}, words)))];
  const role = ({ seat, name, brief }) => [el("h3", {}, seatBadge(seat), ` ${name}`), el("p", { lang: item.lang }, brief)];
  return el("section", { class: "roles card", "aria-label": "Setting and roles" }, facts.flatMap(list),
    el("h3", {}, "Setting"), el("p", { lang: item.lang }, item.setting), item.roles.flatMap(role));
}
