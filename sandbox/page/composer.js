// Composer of messages. Drafts are kept for each place, also across a reload.

import { call, el, notice } from "./dom.js";
import { Hints } from "./hints.js";
import { state } from "./state.js";

const TALLEST = 220;

export class Composer {
  // `thread()` is the ts that a message replies to, or null; `editLast()` opens one's last message.
  constructor(form, { thread, editLast }) {
    this.form = form;
    this.area = form.querySelector("textarea");
    this.thread = thread;
    this.key = null;
    const list = el("ul", { id: `${form.id}-hints`, class: "hints", role: "listbox", "aria-label": "Suggestions", hidden: true });
    form.prepend(list);
    this.hints = new Hints(this.area, list, { commands: form.id === "composer" });
    form.addEventListener("submit", (event) => { event.preventDefault(); this.send(); });
    this.area.addEventListener("input", () => this.changed());
    this.area.addEventListener("keydown", (event) => {
      if (this.hints.key(event) || event.isComposing) return;
      if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        form.requestSubmit();
      } else if (event.key === "ArrowUp" && !this.area.value) {
        event.preventDefault();
        editLast();
      }
    });
  }

  // Called on each render: another place brings its own draft.
  show(placeholder) {
    this.area.placeholder = placeholder;
    const key = ["draft", state.user, state.channel, this.thread()].join(" ");
    if (key === this.key) return;
    this.key = key;
    this.area.value = sessionStorage.getItem(key) || "";
    this.hints.close();
    this.fit();
  }

  focus() {
    this.area.focus({ preventScroll: true });
  }

  changed() {
    if (this.area.value) sessionStorage.setItem(this.key, this.area.value);
    else sessionStorage.removeItem(this.key);
    this.fit();
  }

  fit() {
    this.area.style.height = "auto";
    this.area.style.height = `${Math.min(this.area.scrollHeight, TALLEST)}px`;
  }

  async send() {
    const { area, key } = this;
    const written = area.value;
    const said = written.trim();
    if (!said) return;
    const problem = this.write("", key) || (await this.deliver(said));
    if (!problem) return;
    // Restores the draft at its place, unless there is a new one.
    if (!sessionStorage.getItem(key)) this.write(written, key);
    notice(problem);
  }

  write(text, key) {
    if (text) sessionStorage.setItem(key, text);
    else sessionStorage.removeItem(key);
    if (key !== this.key) return;
    this.area.value = text;
    this.hints.look();
    this.fit();
  }

  // Option to send a reply to the channel too; reset after each message.
  broadcasts() {
    const box = this.form.querySelector("input[type=checkbox]");
    const { checked } = box;
    box.checked = false;
    return checked;
  }

  async deliver(text) {
    const { user, channel } = state;
    const thread = this.thread();
    const command = text.match(/^(\/[\w-]+)(?:\s+([\s\S]*))?$/);
    if (command && thread) return `${command[1]} is not supported in threads. Sorry!`;
    const answer = command
      ? await call("/human/command", { user, channel, command: command[1], text: command[2] || "" })
      : await call("/human/say", { user, channel, text, ...(thread ? { thread_ts: thread, broadcast: this.broadcasts() } : {}) });
    if (answer.ok) return null;
    const reasons = { operation_timeout: "the app did not answer", dispatch_failed: "the app did not answer", command_not_found: "no such command" };
    return command ? `${command[1]} failed: ${reasons[answer.error] || answer.error}.` : `Not sent: ${answer.error}.`;
  }
}
