// Assistant state of a thread or direct message: status with Slack's Stop button, title, suggested prompts.

import { $, call, el, keepingFocus, notice } from "./dom.js";
import { names, person } from "./names.js";
import { state } from "./state.js";

const drawn = {};

const about = (place, ts) => (place?.threads || []).find((each) => (each.thread_ts || null) === ts) || {};

export const titleOf = (place, ts) => about(place, ts).title || "";

// In direct messages each message may open a thread; the state of any of them is shown there too.
const works = (each) => each.status || each.session === "processing";
const busy = (place, ts) => (ts === null && place?.with ? (place.threads || []).find(works) : null) || about(place, ts);

// Renders into the element `id`, above the composer; `ts` is null for the conversation itself.
export function showAssistance(id, place, ts) {
  const { prompts, prompts_title: title } = about(place, ts);
  const at = busy(place, ts);
  const { status, loading_messages: loading, can_be_stopped: stoppable } = at;
  const now = JSON.stringify([state.user, place?.id, ts, at.thread_ts, status, at.session, loading, stoppable, prompts, title]);
  if (drawn[id] === now) return;
  drawn[id] = now;
  const halt = async () => {
    const answer = await call("/human/stop", { user: state.user, channel: place.id, thread_ts: at.thread_ts });
    if (!answer.ok) notice(`Not stopped: ${answer.error}.`);
  };
  const stop = stoppable ? el("button", { type: "button", class: "button", "data-key": "stop", onclick: halt }, "Stop") : null;
  const further = (loading || []).filter((each) => `is ${each}`.toLowerCase() !== status.toLowerCase()); // without the status itself
  const doing = [`${person(names.app).name} ${status || "is working"}`, ...further].join(" · ");
  const words = works(at) ? el("p", { class: "working" }, doing, " ", stop) : null;
  const say = async (prompt) => {
    const answer = await call("/human/say", { user: state.user, channel: place.id, text: prompt.message, ...(ts ? { thread_ts: ts } : {}) });
    if (!answer.ok) notice(`Not sent: ${answer.error}.`);
  };
  const offers = (prompts || []).map((prompt) => el("button", { type: "button", class: "button", "data-key": prompt.title, onclick: () => say(prompt) }, prompt.title));
  keepingFocus($(id), () => $(id).replaceChildren(...[words, offers.length && title ? el("small", {}, title) : null, ...offers].filter(Boolean)));
}
