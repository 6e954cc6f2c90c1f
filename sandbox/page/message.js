// Message: its parts, each rendered again only after a change, and its actions.

import { permalink } from "./address.js";
import { attached } from "./attached.js";
import { renderBlocks } from "./blocks.js";
import { confirmed } from "./confirm.js";
import { clock, fully, shortClock } from "./dates.js";
import { call, el, notice } from "./dom.js";
import { emoji, MORE, QUICK } from "./emoji.js";
import { openMenu } from "./menu.js";
import { badgeOf, names, person } from "./names.js";
import { runShortcut } from "./shortcuts.js";
import { state } from "./state.js";
import { mrkdwn, typed } from "./text.js";
import { newReplies } from "./unread.js";

// `scene` is the list's state: {inThread, root, follows, editing, openThread, edit, stopEditing, hide}.
const PARTS = {
  head: {
    of: (message, scene) => [scene.follows, message.user, message.username, message.ephemeral, message.subtype, person(message.user), state.user],
    draw: head,
  },
  body: {
    of: (message, scene) => [message.text, message.blocks, message.files, message.attachments, message.edited, scene.editing, message.subtype],
    draw: (message, scene) => (scene.editing ? editor(message, scene) : body(message, scene)),
  },
  reactions: { of: (message) => [message.reactions, state.user], draw: reactions },
  chip: {
    of: (message, scene) => (scene.inThread ? [] : [(message.replies || []).map((reply) => [reply.ts, reply.user]), newReplies(state.channel, { replies: [], ...message })]),
    draw: chip,
  },
};

export function newMessage(message, scene) {
  const inside = Object.fromEntries(Object.keys(PARTS).map((name) => [name, el("div", { class: `part-${name}` })]));
  const face = el("div", { class: "face", "aria-hidden": "true" });
  const node = el("li", { id: `m${scene.inThread ? "t" : ""}${message.ts}`, tabindex: "-1" }, face, el("div", { class: "content" }, ...Object.values(inside)));
  return { node, face, inside, drawn: {} };
}

// Returns whether anything was rendered.
export function update(entry, message, scene) {
  const classes = ["message", scene.follows && "follows", message.ephemeral && "ephemeral", message.subtype, scene.editing && "editing"];
  entry.node.className = [...classes, entry.node.classList.contains("active") && "active"].filter(Boolean).join(" ");
  entry.message = message;
  entry.scene = scene;
  let changed = false;
  for (const [name, part] of Object.entries(PARTS)) {
    const now = JSON.stringify(part.of(message, scene));
    if (entry.drawn[name] === now) continue;
    entry.drawn[name] = now;
    changed = true;
    const made = part.draw(message, scene);
    entry.inside[name].replaceChildren(...(made ? [made].flat() : []));
    if (name === "head") entry.face.replaceChildren(face(message, scene));
  }
  if (changed) entry.node.querySelector(".tools")?.remove();
  return changed;
}

// A reply that was also sent to the channel links to its thread.
export const threadOf = (message) => message.thread_ts || message.ts;

const author = (message) => ({ ...person(message.user), ...(message.username ? { name: message.username } : {}) });

function face(message, scene) {
  if (scene.follows) return el("span", { class: "beside" }, shortClock(message.ts));
  return el("div", { class: `avatar ${message.user}` }, author(message).name[0].toUpperCase());
}

function head(message, scene) {
  const who = author(message);
  const badges = badgeOf({ ...who, is_bot: who.is_bot || message.subtype === "bot_message" }, state.user);
  const by = el("div", { class: "by" }, el("b", {}, who.name), ...badges.map((each) => el("i", {}, each)),
    el("a", { href: permalink(message.ts, scene.root), "data-here": true, "data-key": "time", title: fully(message.ts) }, clock(message.ts)));
  const only = el("div", { class: "only" }, el("span", { "aria-hidden": "true" }, "👁 "), "Only visible to you · ",
    el("button", { type: "button", class: "quiet", onclick: () => scene.hide(message.ts) }, "Dismiss"));
  const again = message.subtype === "thread_broadcast" ? el("div", { class: "only" }, scene.inThread ? "Also sent to the channel" : "Replied to a thread") : null;
  return [message.ephemeral ? only : null, scene.follows ? null : by, again].filter(Boolean);
}

function body(message, scene) {
  const press = async (element, value) => {
    const wish = { user: state.user, channel: state.channel, message_ts: message.ts, action_id: element.action_id };
    const answer = await call("/human/press", { ...wish, value });
    if (answer.error === "button_not_found") notice("This button is gone: the message has changed.");
    else if (!answer.ok) notice(`That did not work: ${answer.error}`);
    else if (!answer.acked) notice("⚠️ The app did not answer in time.");
  };
  const blocks = message.blocks || [];
  const parts = blocks.length ? renderBlocks(blocks, press, scene.inThread ? 3 : 2) : [el("div", { class: "block" }, ...mrkdwn(message.text || ""))];
  return el("div", { class: "body" }, ...parts, ...attached(message, press, scene.inThread ? 3 : 2), message.edited ? el("small", { class: "edited" }, " (edited)") : null);
}

function editor(message, scene) {
  const area = el("textarea", { class: "editor", rows: "2", "aria-label": "Edit the message" });
  const save = async () => {
    const answer = await call("/human/edit", { user: state.user, channel: state.channel, ts: message.ts, text: area.value });
    if (answer.ok) scene.stopEditing();
    else notice(`That did not work: ${answer.error}`);
  };
  area.value = typed(message.text);
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape") scene.stopEditing();
    else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return el("div", { class: "editing" }, area, el("div", { class: "row" },
    el("button", { type: "button", class: "button", onclick: scene.stopEditing }, "Cancel"),
    el("button", { type: "button", class: "button primary", onclick: save }, "Save")));
}

function reactions(message) {
  if (!message.reactions?.length) return null;
  return el("div", { class: "reactions" }, ...message.reactions.map(({ name, users }) => {
    const mine = users.includes(state.user);
    const who = users.map((user) => person(user).name).join(", ");
    const label = `${name.replaceAll("_", " ")}, ${users.length}: ${who}`;
    const properties = { type: "button", class: mine ? "mine" : "", title: `${who} · :${name}:`, "aria-label": label, "aria-pressed": String(mine), "data-key": `reaction ${name}` };
    return el("button", { ...properties, onclick: () => react(message, name) }, `${emoji(name)} ${users.length}`);
  }));
}

async function react(message, name) {
  const remove = Boolean(message.reactions?.find((each) => each.name === name)?.users.includes(state.user));
  const answer = await call("/human/react", { user: state.user, channel: state.channel, ts: message.ts, name, remove });
  if (!answer.ok) notice(`That did not work: ${answer.error}`);
}

function chip(message, scene) {
  const replies = message.replies || [];
  if (!replies.length || scene.inThread) return null;
  const fresh = newReplies(state.channel, message);
  const people = [...new Set(replies.map((reply) => reply.user))].slice(0, 4);
  return el("button", { type: "button", class: "chip", "data-key": "chip", onclick: () => scene.openThread(threadOf(message)) },
    el("span", { class: "faces", "aria-hidden": "true" }, ...people.map((id) => el("span", { class: `avatar ${id}` }, person(id).name[0]))),
    el("b", {}, replies.length === 1 ? "1 reply" : `${replies.length} replies`),
    fresh ? el("mark", {}, `${fresh} new`) : null,
    el("span", {}, `${person(replies.at(-1).user).name}, ${clock(replies.at(-1).ts)}`));
}

// Toolbar of a message, created on hover or focus.
export function addTools(entry) {
  const { node, message, scene } = entry;
  if (node.querySelector(".tools") || message.ephemeral || message.subtype === "tombstone" || scene.editing) return;
  const tool = (label, title, act, more = {}) =>
    el("button", { type: "button", title, "aria-label": title, "data-key": title, onclick: act, ...more }, label);
  const popup = { "aria-haspopup": "menu", "aria-expanded": "false" };
  node.append(el("div", { class: "tools", role: "group", "aria-label": "Actions on this message" },
    ...QUICK.map((name) => tool(emoji(name), `React with ${name.replaceAll("_", " ")}`, () => react(entry.message, name))),
    tool("☺︎", "Add a reaction", (event) => pickReaction(event.currentTarget, entry.message), popup),
    scene.inThread ? null : tool("💬", "Reply in thread", () => scene.openThread(threadOf(message))),
    tool("⋯", "More actions", (event) => openMenu(event.currentTarget, actions(entry), { label: "More actions" }), popup)));
}

export function pickReaction(anchor, message) {
  const items = MORE.map((name) => ({ label: emoji(name), title: name.replaceAll("_", " "), act: () => react(message, name) }));
  openMenu(anchor, items, { label: "Add a reaction", grid: true });
}

function actions({ message, scene }) {
  const mine = message.user === state.user;
  const shortcuts = names.shortcuts.filter((each) => each.kind === "message");
  return [
    scene.inThread ? false : { label: "Reply in thread", act: () => scene.openThread(threadOf(message)) },
    { label: "Copy link", act: () => copyLink(message, scene) },
    mine && { label: "Edit message", act: () => scene.edit(message.ts) },
    mine && { label: "Delete message…", danger: true, act: () => remove(message) },
    shortcuts.length ? null : false,
    ...shortcuts.map((each) => ({ label: each.name, hint: person(names.app).name, act: () => runShortcut(each, message) })),
  ].filter((item) => item !== false);
}

export async function remove(message) {
  const words = (text) => ({ type: "plain_text", text });
  const question = { title: words("Delete message"), text: words("Delete this message? This cannot be undone."), confirm: words("Delete"), style: "danger" };
  if (!(await confirmed(question))) return;
  const answer = await call("/human/delete", { user: state.user, channel: state.channel, ts: message.ts });
  if (!answer.ok) notice(`That did not work: ${answer.error}`);
}

async function copyLink(message, scene) {
  const address = permalink(message.ts, scene.root);
  try {
    await navigator.clipboard.writeText(address);
    notice("Link copied.");
  } catch {
    notice(address);
  }
}
