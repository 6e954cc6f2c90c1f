// What the app says beside its messages in a thread or a direct message: that it is at work, a title, prompts to start from.

import { $, call, el, keepingFocus, notice } from "./dom.js";
import { names, person } from "./names.js";
import { state } from "./state.js";

const drawn = {};

const about = (place, ts) => (place?.threads || []).find((each) => (each.thread_ts || null) === ts) || {};

export const titleOf = (place, ts) => about(place, ts).title || "";

// In the direct messages each message opens a thread of its own: what the app does in any of them is seen there, too.
const busy = (place, ts) => (ts === null && place?.with ? (place.threads || []).find((each) => each.status) : null) || about(place, ts);

// Into the element `id`, above the place where one writes; `ts` is null for the conversation itself.
export function showAssistance(id, place, ts) {
  const { prompts, prompts_title: title } = about(place, ts);
  const { status, loading_messages: loading } = busy(place, ts);
  const now = JSON.stringify([state.user, place?.id, ts, status, loading, prompts, title]);
  if (drawn[id] === now) return;
  drawn[id] = now;
  const words = status ? el("p", { class: "working" }, `${person(names.app).name} ${status}`, loading?.length ? ` · ${loading[0]}` : "") : null;
  const say = async (prompt) => {
    const answer = await call("/human/say", { user: state.user, channel: place.id, text: prompt.message, ...(ts ? { thread_ts: ts } : {}) });
    if (!answer.ok) notice(`Not sent: ${answer.error}.`);
  };
  const offers = (prompts || []).map((prompt) => el("button", { type: "button", class: "button", "data-key": prompt.title, onclick: () => say(prompt) }, prompt.title));
  keepingFocus($(id), () => $(id).replaceChildren(...[words, offers.length && title ? el("small", {}, title) : null, ...offers].filter(Boolean)));
}
