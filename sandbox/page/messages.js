// A list of messages, drawn again only where something changed: focus, selection and scroll position stay.

import { renderBlocks } from "./blocks.js";
import { call, el, notice } from "./dom.js";
import { emoji, QUICK } from "./emoji.js";
import { channel, person } from "./names.js";
import { mrkdwn, unescape } from "./text.js";

const TOGETHER = 5 * 60;

export class MessageList {
  constructor(list, { openThread }) {
    this.list = list;
    this.openThread = openThread;
    this.nodes = new Map();
    this.editing = null;
  }

  show(messages, context) {
    const { list } = this;
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40 || this.place !== context.place;
    this.place = context.place;
    const seen = new Set();
    let previous = null;
    let position = list.firstChild;
    for (const message of messages) {
      if (!previous || day(previous.ts) !== day(message.ts)) {
        position = this.put(`day ${day(message.ts)}`, "", () => el("li", { class: "day" }, day(message.ts)), position, seen);
        previous = null;
      }
      const follows = previous && previous.user === message.user && !previous.ephemeral && !message.ephemeral
        && message.ts - previous.ts < TOGETHER && !previous.replies.length;
      const editing = this.editing === message.ts;
      const state = JSON.stringify([message, follows, editing, context.user]);
      const draw = () => this.draw(message, context, { follows, editing });
      position = this.put(message.ts, state, draw, position, seen);
      previous = message;
    }
    for (const [key, entry] of this.nodes) {
      if (seen.has(key)) continue;
      entry.node.remove();
      this.nodes.delete(key);
    }
    if (atEnd) list.scrollTop = list.scrollHeight;
  }

  put(key, state, draw, position, seen) {
    seen.add(key);
    const known = this.nodes.get(key);
    if (!known || known.state !== state) {
      const node = draw();
      if (known) {
        if (position === known.node) position = known.node.nextSibling;
        known.node.replaceWith(node);
      }
      this.nodes.set(key, { node, state });
    }
    const { node } = this.nodes.get(key);
    if (position === node) return node.nextSibling;
    this.list.insertBefore(node, position);
    return position;
  }

  highlight(ts) {
    const node = this.nodes.get(ts)?.node;
    if (!node) return false;
    node.scrollIntoView({ block: "center" });
    node.classList.add("pointed");
    setTimeout(() => node.classList.remove("pointed"), 2500);
    return true;
  }

  draw(message, context, { follows, editing }) {
    const author = person(message.user);
    const classes = ["message", follows && "follows", message.ephemeral && "ephemeral", message.subtype].filter(Boolean);
    return el("li", { class: classes.join(" "), id: `m${context.inThread ? "t" : ""}${message.ts}` },
      el("div", { class: `avatar ${message.user}`, "aria-hidden": true }, follows ? "" : author.name[0]),
      el("div", { class: "content" },
        follows ? null : el("div", { class: "by" }, el("b", {}, author.name), author.is_bot ? el("i", {}, "APP") : null,
          time(message, context)),
        message.ephemeral ? el("div", { class: "only" }, "Only visible to you") : null,
        editing ? this.editor(message, context) : this.body(message, context),
        this.reactions(message, context),
        context.inThread ? null : this.chip(message, context)),
      message.ephemeral || message.subtype ? null : this.tools(message, context));
  }

  body(message, context) {
    const press = async (element, value) => {
      const wish = { user: context.user, channel: context.channel, message_ts: message.ts, action_id: element.action_id };
      const answer = await call("/human/press", { ...wish, value });
      if (!answer.ok) notice(`That did not work: ${answer.error}`);
      else if (!answer.acked) notice("⚠️ The app did not answer in time.");
    };
    const parts = message.blocks.length ? renderBlocks(message.blocks, press) : [el("div", {}, ...mrkdwn(message.text))];
    return el("div", { class: "body" }, ...parts, message.edited ? el("small", { class: "edited" }, "(edited)") : null);
  }

  reactions(message, context) {
    if (!message.reactions.length) return null;
    return el("div", { class: "reactions" }, ...message.reactions.map(({ name, users }) => {
      const mine = users.includes(context.user);
      const who = users.map((user) => person(user).name).join(", ");
      const properties = { type: "button", class: mine ? "mine" : "", title: `${who} · :${name}:`, "aria-pressed": String(mine) };
      return el("button", { ...properties, onclick: () => react(message, context, name, mine) }, `${emoji(name)} ${users.length}`);
    }));
  }

  chip(message, context) {
    if (!message.replies.length) return null;
    const last = message.replies.at(-1);
    const label = message.replies.length === 1 ? "1 reply" : `${message.replies.length} replies`;
    return el("button", { type: "button", class: "chip", onclick: () => this.openThread(message.ts) },
      el("b", {}, label), ` ${person(last.user).name}, ${clock(last.ts)}`);
  }

  tools(message, context) {
    const tool = (label, title, act) => el("button", { type: "button", title, "aria-label": title, onclick: act }, label);
    const mine = message.user === context.user;
    return el("div", { class: "tools" },
      ...QUICK.slice(0, 3).map((name) => tool(emoji(name), `React with :${name}:`, () => {
        const given = message.reactions.find((each) => each.name === name)?.users.includes(context.user);
        react(message, context, name, given);
      })),
      context.inThread ? null : tool("💬", "Reply in thread", () => this.openThread(message.ts)),
      tool("🔗", "Copy link", () => copyLink(message, context)),
      mine ? tool("✏️", "Edit", () => this.edit(message.ts)) : null,
      mine ? tool("🗑️", "Delete", () => call("/human/delete", { user: context.user, channel: context.channel, ts: message.ts })) : null);
  }

  edit(ts) {
    this.editing = ts;
    this.redraw?.();
    this.nodes.get(ts)?.node.querySelector("textarea")?.focus();
  }

  editor(message, context) {
    const stop = () => { this.editing = null; this.redraw?.(); };
    const area = el("textarea", { class: "editor", rows: "2", "aria-label": "Edit the message" });
    area.value = typed(message.text);
    area.addEventListener("keydown", async (event) => {
      if (event.key === "Escape") { event.stopPropagation(); stop(); }
      if (event.key !== "Enter" || event.shiftKey) return;
      event.preventDefault();
      const answer = await call("/human/edit", { user: context.user, channel: context.channel, ts: message.ts, text: area.value });
      if (answer.ok) stop();
      else notice(`That did not work: ${answer.error}`);
    });
    return area;
  }
}

// Stored text as its author typed it: mentions by name, links bare.
function typed(text) {
  const plain = text.replace(/<([^<>]+)>/g, (whole, inside) => {
    const [target, label] = inside.split("|");
    if (target.startsWith("@")) return `@${person(target.slice(1)).name}`;
    if (target.startsWith("#")) return `#${label || channel(target.slice(1))}`;
    return target.startsWith("!") ? `@${target.slice(1)}` : target;
  });
  return unescape(plain);
}

function react(message, context, name, remove) {
  return call("/human/react", { user: context.user, channel: context.channel, ts: message.ts, name, remove: Boolean(remove) });
}

function address(message, context) {
  const path = `${location.origin}/archives/${context.channel}/p${message.ts.replace(".", "")}`;
  return context.inThread && context.root !== message.ts ? `${path}?thread_ts=${context.root}&cid=${context.channel}` : path;
}

async function copyLink(message, context) {
  try {
    await navigator.clipboard.writeText(address(message, context));
    notice("Link copied.");
  } catch {
    notice(address(message, context));
  }
}

function time(message, context) {
  const when = new Date(message.ts * 1000);
  return el("a", { href: address(message, context), "data-here": true, title: when.toLocaleString() }, clock(message.ts));
}

const clock = (ts) => new Date(ts * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

function day(ts) {
  const when = new Date(ts * 1000);
  if (when.toDateString() === new Date().toDateString()) return "Today";
  return when.toLocaleDateString([], { weekday: "long", month: "long", day: "numeric" });
}
