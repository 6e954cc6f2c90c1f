// Times in the reader's own zone: of messages, and of Slack's date tokens (`<!date^…>`, the `date` element).

import { el, link } from "./dom.js";

const at = (ts) => new Date(ts * 1000);
const format = (when, options) => when.toLocaleString([], options);
const DAY = { year: "numeric", month: "long", day: "numeric" };
const SHORT_DAY = { ...DAY, month: "short" };
const LONG_DAY = { ...DAY, weekday: "long" };

export const clock = (ts) => format(at(ts), { hour: "2-digit", minute: "2-digit" });
export const shortClock = (ts) => clock(ts).replace(/\s*[AP]M$/i, "");
export const fully = (ts) => format(at(ts), { dateStyle: "full", timeStyle: "medium" });

export function day(ts) {
  return near(at(ts)) || format(at(ts), { weekday: "long", month: "long", day: "numeric" });
}

function near(when) {
  const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((midnight(when) - midnight(new Date())) / 86_400_000);
  return { 0: "Today", 1: "Tomorrow", "-1": "Yesterday" }[days];
}

const pretty = (when, options) => (near(when) || format(when, options)).replace(/^[TY]/, (letter) => letter.toLowerCase());

const TOKENS = {
  date_num: (when) => `${when.getFullYear()}-${String(when.getMonth() + 1).padStart(2, "0")}-${String(when.getDate()).padStart(2, "0")}`,
  date_slash: (when) => format(when, { year: "numeric", month: "2-digit", day: "2-digit" }),
  date: (when) => format(when, DAY),
  date_short: (when) => format(when, SHORT_DAY),
  date_long: (when) => format(when, LONG_DAY),
  date_pretty: (when) => pretty(when, DAY),
  date_short_pretty: (when) => pretty(when, SHORT_DAY),
  date_long_pretty: (when) => pretty(when, LONG_DAY),
  day_divider_pretty: (when) => pretty(when, LONG_DAY),
  time: (when) => format(when, { hour: "numeric", minute: "2-digit" }),
  time_secs: (when) => format(when, { hour: "numeric", minute: "2-digit", second: "2-digit" }),
  ago,
};

export function dateToken(seconds, pattern, { url, fallback } = {}) {
  const when = at(Number(seconds));
  if (!Number.isFinite(when.getTime()) || !pattern) return fallback || "";
  const text = pattern.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(TOKENS, name) ? TOKENS[name](when) : whole));
  const node = el("time", { datetime: when.toISOString(), title: fully(seconds) }, text[0].toUpperCase() === text[0] ? text : sentence(text, pattern));
  return url ? link(url, node) : node;
}

// A date alone begins with a capital letter; within a sentence it does not.
const sentence = (text, pattern) => (pattern.startsWith("{") ? text[0].toUpperCase() + text.slice(1) : text);

function ago(when) {
  const seconds = (when - Date.now()) / 1000;
  const [unit, size] = [["day", 86_400], ["hour", 3600], ["minute", 60]].find(([, each]) => Math.abs(seconds) >= each) || ["second", 1];
  return new Intl.RelativeTimeFormat([], { numeric: "auto" }).format(Math.round(seconds / size), unit);
}
