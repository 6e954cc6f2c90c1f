// Unread state of this person, kept in the browser, since the workspace does not know what was read.

import { everything, state } from "./state.js";

const key = (...parts) => ["seen", state.user, ...parts].join(" ");
const seen = (...parts) => localStorage.getItem(key(...parts)) || "0";
const latest = (messages) => messages.reduce((last, message) => (message.ts > last ? message.ts : last), "0");
const isNew = (message, since) => message.user !== state.user && message.ts > since;

export function unread(place) {
  const since = seen(place.id);
  const fresh = everything(place).filter((message) => isNew(message, since));
  return new Set(fresh.map((message) => message.ts)).size;
}

// Returns whether the app wrote to another person what was not looked at in this browser.
export function waitsFor(user) {
  const newest = state.screen?.newest_direct[user];
  return Boolean(newest) && user !== state.user && newest > (localStorage.getItem(["seen", user, `D${user.slice(1)}`].join(" ")) || "0");
}

export const seenUntil = (place) => seen(place.id);

export function markSeen(place, thread) {
  if (!place || document.hidden) return;
  localStorage.setItem(key(place.id), latest(everything(place)));
  if (thread) localStorage.setItem(key(place.id, thread.ts), latest([thread, ...thread.replies]));
}

// Unread replies in threads that the person started or wrote in.
export function newReplies(place, message) {
  const mine = message.user === state.user || message.replies.some((reply) => reply.user === state.user);
  if (!mine) return 0;
  const since = seen(place, message.ts);
  return message.replies.filter((reply) => isNew(reply, since)).length;
}
