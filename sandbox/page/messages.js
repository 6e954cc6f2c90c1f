// List of messages that is updated in place: focus, selection, unsaved edits and the scroll position stay.

import { day } from "./dates.js";
import { el, keepingFocus } from "./dom.js";
import { addTools, newMessage, pickReaction, remove, threadOf, update } from "./message.js";
import { state } from "./state.js";

const TOGETHER = 5 * 60;
/* Messages rendered at first, and added with each scroll back. */
const PAGE = 150;
const CONTROLS = "a, button, select, input, textarea";

export class MessageList {
  // `acts` are {openThread(ts), redraw(), leave()}.
  constructor(list, acts) {
    this.list = list;
    this.acts = acts;
    this.nodes = new Map();
    this.hidden = new Set();
    this.editing = null;
    this.active = null;
    this.place = null;
    this.from = "";
    this.atEnd = true;
    list.addEventListener("pointerover", (event) => this.near(event));
    list.addEventListener("focusin", (event) => this.near(event) && this.activate(this.entryOf(event.target)));
    list.addEventListener("keydown", (event) => this.keys(event));
    list.addEventListener("scroll", () => this.scrolled(), { passive: true });
    list.addEventListener("wheel", (event) => this.wheeled(event), { passive: true });
    // Resizing the window or opening a thread keeps the newest message visible.
    new ResizeObserver(() => this.atEnd && this.toEnd()).observe(list);
  }

  show(all, { place, inThread, root, newSince }) {
    const { list } = this;
    const messages = all.filter((message) => !this.hidden.has(message.ts));
    const atEnd = this.place !== place || this.atEnd;
    if (this.place !== place) Object.assign(this, { place, from: "", editing: null, active: null });
    this.all = all;
    this.context = { place, inThread, root, newSince };
    const first = this.first(messages, atEnd);
    this.more = first;
    const anchor = atEnd ? null : this.anchor();
    keepingFocus(list, () => this.fill(messages.slice(first), first));
    if (!this.active?.node.isConnected || !list.contains(document.activeElement)) this.activate(this.entries().at(-1));
    if (atEnd) this.toEnd();
    else if (anchor?.node.isConnected) list.scrollTop = anchor.node.offsetTop - anchor.above;
  }

  toEnd() {
    this.list.scrollTop = this.list.scrollHeight;
    this.atEnd = true;
  }

  scrolled() {
    const { list } = this;
    this.atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 60;
  }

  // Only the wheel loads older messages by itself: the button must not move while it is about to be pressed.
  wheeled(event) {
    if (event.deltaY < 0 && this.list.scrollTop < 60 && this.more) this.earlier();
  }

  // First rendered message: long conversations are rendered from their end, and the part being read stays.
  first(messages, atEnd) {
    const found = this.from ? messages.findIndex((message) => message.ts >= this.from) : -1;
    let first = found < 0 ? messages.length - PAGE : found;
    if (atEnd && messages.length - first > 2 * PAGE) first = messages.length - PAGE;
    first = Math.max(0, first);
    this.from = messages[first]?.ts || "";
    return first;
  }

  earlier(until = null) {
    const place = this.all.filter((message) => !this.hidden.has(message.ts));
    const wanted = until === null ? this.more : place.findIndex((message) => message.ts === until);
    this.from = place[Math.max(0, wanted - PAGE)]?.ts || "";
    this.atEnd = false;
    this.show(this.all, this.context);
  }

  anchor() {
    const { scrollTop } = this.list;
    const node = [...this.list.children].find((each) => each.classList.contains("message") && each.offsetTop + each.offsetHeight > scrollTop);
    return node && { node, above: node.offsetTop - scrollTop };
  }

  fill(messages, skipped) {
    const seen = new Set();
    let position = this.list.firstChild;
    const put = (key, make) => {
      seen.add(key);
      if (!this.nodes.has(key)) this.nodes.set(key, make());
      const entry = this.nodes.get(key);
      if (position === entry.node) position = position.nextSibling;
      else this.list.insertBefore(entry.node, position);
      return entry;
    };
    const line = (name, text) => put(`${name} ${text}`, () => ({ node: el("li", { class: name }, el("span", {}, text)) }));
    if (skipped) put("earlier", () => ({ node: el("li", { class: "earlier" }, el("button", { type: "button", class: "quiet", onclick: () => this.earlier() }, "Show earlier messages")) }));
    let previous = null;
    let shownDay = null;
    for (const message of messages) {
      if (shownDay !== day(message.ts)) {
        shownDay = day(message.ts);
        line("day", shownDay);
        previous = null;
      }
      if (this.isFirstNew(message) && ![...seen].some((key) => key.startsWith("new "))) {
        line("new", "New");
        previous = null;
      }
      const scene = this.scene(message, previous);
      const entry = put(message.ts, () => newMessage(message, scene));
      if (update(entry, message, scene) && entry !== this.active) calm(entry.node);
      previous = message;
      if (message.ts === this.context.root && messages.length > 1) {
        line("count", messages.length === 2 ? "1 reply" : `${messages.length - 1} replies`);
        previous = null;
      }
    }
    for (const [key, entry] of this.nodes) {
      if (seen.has(key)) continue;
      entry.node.remove();
      this.nodes.delete(key);
    }
  }

  isFirstNew(message) {
    const { newSince } = this.context;
    return newSince && message.ts > newSince && message.user !== state.user && !message.ephemeral;
  }

  scene(message, previous) {
    const follows = Boolean(previous) && previous.user === message.user && previous.username === message.username
      && !previous.ephemeral && !message.ephemeral && !previous.subtype && !message.subtype
      && message.ts - previous.ts < TOGETHER && !previous.replies?.length;
    return {
      ...this.context,
      follows,
      editing: this.editing === message.ts,
      openThread: this.acts.openThread,
      edit: (ts) => this.edit(ts),
      stopEditing: () => this.stopEditing(),
      hide: (ts) => { this.hidden.add(ts); this.acts.redraw(); this.active?.node.focus(); },
    };
  }

  edit(ts) {
    this.editing = ts;
    this.acts.redraw();
    const area = this.nodes.get(ts)?.node.querySelector("textarea");
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
  }

  stopEditing() {
    const { node } = this.nodes.get(this.editing) || {};
    this.editing = null;
    this.acts.redraw();
    node?.focus();
  }

  editLast() {
    const own = this.entries().findLast(({ message }) => message.user === state.user && !message.subtype);
    if (own) this.edit(own.message.ts);
  }

  highlight(ts) {
    if (!this.nodes.has(ts) && this.all?.some((message) => message.ts === ts)) this.earlier(ts);
    const entry = this.nodes.get(ts);
    if (!entry) return false;
    this.activate(entry);
    this.atEnd = false;
    entry.node.scrollIntoView({ block: "center" });
    entry.node.classList.add("pointed");
    setTimeout(() => entry.node.classList.remove("pointed"), 2500);
    return true;
  }

  // Only one message is in the Tab order; arrow keys choose which.

  entries() {
    return [...this.nodes.values()].filter((entry) => entry.message).sort((a, b) => (a.message.ts < b.message.ts ? -1 : 1));
  }

  entryOf(target) {
    return this.nodes.get(target.closest?.("li.message")?.id.replace(/^mt?/, ""));
  }

  near(event) {
    const entry = this.entryOf(event.target);
    if (entry) addTools(entry);
    return entry;
  }

  activate(entry) {
    if (entry === this.active) return;
    if (this.active) {
      this.active.node.classList.remove("active");
      this.active.node.tabIndex = -1;
      calm(this.active.node);
    }
    this.active = entry || null;
    if (!entry) return;
    entry.node.classList.add("active");
    entry.node.tabIndex = 0;
    for (const control of entry.node.querySelectorAll(CONTROLS)) control.removeAttribute("tabindex");
  }

  keys(event) {
    const entry = this.entryOf(event.target);
    if (!entry || event.target !== entry.node || event.metaKey || event.ctrlKey || event.altKey) return;
    const { message, scene, node } = entry;
    const all = this.entries();
    const at = all.indexOf(entry);
    const mine = message.user === state.user && !message.subtype;
    const acts = {
      ArrowUp: () => all[Math.max(0, at - 1)].node.focus(),
      ArrowDown: () => (at + 1 < all.length ? all[at + 1].node.focus() : this.acts.leave()),
      Home: () => all[0].node.focus(),
      End: () => all.at(-1).node.focus(),
      Escape: () => this.acts.leave(),
      ...(scene.inThread ? {} : { Enter: () => scene.openThread(threadOf(message)), t: () => scene.openThread(threadOf(message)) }),
      ...(message.ephemeral ? {} : { r: () => pickReaction(node, message) }),
      ...(mine ? { e: () => scene.edit(message.ts), Delete: () => remove(message) } : {}),
    };
    if (!Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    acts[event.key]();
  }
}

function calm(node) {
  for (const control of node.querySelectorAll(CONTROLS)) control.tabIndex = -1;
}
