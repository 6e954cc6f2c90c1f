// Confirmation dialog, above everything else.

import { $, el, plainText } from "./dom.js";
import { text } from "./text.js";

export function confirmed(question) {
  const dialog = $("confirm");
  const before = document.activeElement;
  const message = before?.closest("li.message");
  return new Promise((resolve) => {
    const answer = (value) => () => {
      dialog.close();
      (before?.isConnected ? before : message)?.focus({ preventScroll: true });
      resolve(value);
    };
    const yes = `button ${question.style || "primary"}`;
    dialog.replaceChildren(
      el("h2", { id: "confirm-title" }, plainText(question.title)),
      el("p", {}, ...text(question.text)),
      el("footer", {},
        el("button", { type: "button", class: "button", onclick: answer(false) }, plainText(question.deny) || "Cancel"),
        el("button", { type: "button", class: yes, onclick: answer(true) }, plainText(question.confirm) || "Yes")),
    );
    dialog.oncancel = (event) => { event.preventDefault(); answer(false)(); };
    dialog.showModal();
  });
}
