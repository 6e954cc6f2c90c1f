// Completions during typing: commands after `/`, people after `@`, channels after `#`, emoji after `:`.

import { el } from "./dom.js";
import { emoji, emojiBeginning } from "./emoji.js";
import { isAway, names } from "./names.js";
import { runShortcut } from "./shortcuts.js";

const MOST = 8;

// Patterns of incomplete input, and the offers {text, label, hint, note} that complete it.
const KINDS = [
  {
    begun: /^(?<start>\/\S*)$/,
    offers: (start) => [
      ...names.commands.filter((each) => each.command.startsWith(start)).map((each) =>
        ({ text: each.command, label: each.command, hint: each.usage_hint, note: each.description })),
      ...names.shortcuts.filter((each) => each.kind === "global" && begins(each.name, start.slice(1))).map((each) =>
        ({ text: "", label: each.name, note: each.description || "Shortcut", act: () => runShortcut(each) })),
    ],
  },
  {
    begun: /(?:^|[\s(])(?<start>@\w*)$/,
    offers: (start) => Object.values(names.people).filter((each) => begins(each.name, start.slice(1))).map((each) =>
      ({ text: `@${each.name}`, label: each.name, note: each.is_bot ? "App" : `${each.title}${isAway(each.id) ? ", away" : ""}` })),
  },
  {
    begun: /(?:^|[\s(])(?<start>#[\w-]*)$/,
    offers: (start) => Object.values(names.channels).filter((name) => begins(name, start.slice(1))).map((name) => ({ text: `#${name}`, label: `#${name}` })),
  },
  {
    begun: /(?:^|\s)(?<start>:[a-z+-][\w+-]+)$/,
    offers: (start) => emojiBeginning(start.slice(1)).map((name) => ({ text: `:${name}:`, label: `${emoji(name)} :${name}:` })),
  },
];

const begins = (name, start) => name.toLowerCase().startsWith(start.toLowerCase());

export class Hints {
  constructor(area, list, { commands }) {
    Object.assign(this, { area, list, kinds: commands ? KINDS : KINDS.slice(1), commands });
    this.offers = [];
    this.at = 0;
    this.start = "";
    area.setAttribute("aria-autocomplete", "list");
    area.setAttribute("aria-controls", list.id);
    area.addEventListener("input", () => this.look());
    area.addEventListener("click", () => this.look());
    area.addEventListener("blur", () => this.close());
  }

  get open() {
    return this.offers.length > 0;
  }

  look() {
    const { area } = this;
    const before = area.value.slice(0, area.selectionStart);
    this.offers = [];
    for (const kind of this.kinds) {
      const begun = before.match(kind.begun);
      if (!begun) continue;
      this.start = begun.groups.start;
      this.offers = kind.offers(this.start).slice(0, MOST);
      break;
    }
    this.at = 0;
    this.draw();
  }

  // A complete command still shows its usage.
  usage() {
    const given = this.commands && this.area.value.match(/^(\/\S+)\s/);
    const known = given && names.commands.find((each) => each.command === given[1]);
    return known ? el("li", { class: "usage", role: "presentation" }, el("b", {}, known.command), " ", known.usage_hint || "", el("small", {}, known.description || "")) : null;
  }

  draw() {
    const { area, list } = this;
    const items = this.offers.map((offer, index) => el("li", {
      role: "option", id: `${list.id}-${index}`, "aria-selected": String(index === this.at),
      // Runs before the blur caused by a click.
      onpointerdown: (event) => { event.preventDefault(); this.take(index); },
    }, el("b", {}, offer.label), offer.hint ? el("code", {}, offer.hint) : null, offer.note ? el("small", {}, offer.note) : null));
    const usage = this.open ? null : this.usage();
    list.replaceChildren(...(usage ? [usage] : items));
    list.hidden = !list.children.length;
    if (this.open) area.setAttribute("aria-activedescendant", `${list.id}-${this.at}`);
    else area.removeAttribute("aria-activedescendant");
  }

  close() {
    this.offers = [];
    this.list.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
  }

  take(index = this.at) {
    const { area, start } = this;
    const end = area.selectionStart;
    const { text, act } = this.offers[index];
    area.setRangeText(act ? "" : `${text} `, end - start.length, end, "end");
    area.dispatchEvent(new Event("input"));
    act?.();
  }

  // Returns whether the key was handled by the hints.
  key(event) {
    if (!this.open) return false;
    const { length } = this.offers;
    if (event.key === "ArrowDown") this.at = (this.at + 1) % length;
    else if (event.key === "ArrowUp") this.at = (this.at + length - 1) % length;
    else if (event.key === "Escape") this.offers = [];
    else if (event.key === "Tab" && !event.shiftKey) this.take();
    else if (event.key === "Enter" && !event.shiftKey && this.start !== this.offers[this.at].text) this.take();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    this.draw();
    return true;
  }
}
