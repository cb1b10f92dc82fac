"use strict";
/* Elements from data. Text only ever becomes text nodes: what a model said cannot become markup. */

function el(name, props = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

/* What this page calls things: a suite's has trials of agents on a kind of stimulus, and nobody opens. */
const page = { noun: "conversation", pairing: "pairing", task: "task", opener: "opener", ...document.body.dataset };

const byId = (id) => document.getElementById(id);
const readJson = (id) => JSON.parse(byId(id).textContent);
const unique = (values) => [...new Set(values)].sort();

function clock(time_s) {
  const whole = Math.max(0, time_s);
  const minutes = Math.floor(whole / 60);
  return `${minutes}:${(whole - 60 * minutes).toFixed(1).padStart(4, "0")}`;
}

function number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const digits = Number.isInteger(value) || size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return value.toFixed(digits).replace("-", "−");
}

const seatBadge = (seat) =>
  seat ? el("span", { class: `seat ${seat === "a" ? "a" : "b"}` }, seat) : el("span", { class: "seat both" }, "pair");
