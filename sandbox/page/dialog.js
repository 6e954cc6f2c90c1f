// Dialog on top of the page: shows the topmost of the app's open views, submitted and closed over the human side.

import { renderBlocks, showErrors } from "./blocks.js";
import { $, call, el, notice, plainText } from "./dom.js";
import { state } from "./state.js";
import { putBack, valuesOf } from "./widgets.js";

const dialog = $("dialog");
const kept = new Map();
let shown = null;
let user = null;
let opener = [];

export function showDialogs(views) {
  const view = views.at(-1) || null;
  if (user !== state.user) leaveDialog();
  user = state.user;
  keep();
  forget(views);
  if (!view) return close();
  if (shown && shown.id === view.id && shown.hash === view.hash) return;
  const typing = shown?.id === view.id && dialog.contains(document.activeElement) ? document.activeElement : null;
  shown = view;
  dialog.replaceChildren(draw(view, views.length));
  putBack(dialog, kept.get(user)?.get(view.id) || {});
  if (!dialog.open) {
    opener = wayBack(document.activeElement);
    dialog.showModal();
  }
  const again = typing?.dataset.action && dialog.querySelector(`[data-action="${CSS.escape(typing.dataset.action)}"]`);
  const first = again || dialog.querySelector("[autofocus], [data-block] :is(input, textarea, select), .fields-and-words button, footer .primary, footer button");
  first?.focus();
  if (first?.matches("textarea")) putCaret(first, again ? typing : { selectionStart: 0, selectionEnd: 0, scrollTop: 0 });
}

// A long text opens at its start; a re-render during typing keeps the cursor.
function putCaret(area, { selectionStart, selectionEnd, scrollTop }) {
  area.setSelectionRange(selectionStart, selectionEnd);
  area.scrollTop = scrollTop;
}

// Hides the dialog when the person is switched; its input is kept until they are back.
export function leaveDialog() {
  keep();
  shown = null;
  opener = [];
  if (dialog.open) dialog.close();
}

function keep() {
  if (!shown) return;
  if (!kept.has(user)) kept.set(user, new Map());
  kept.get(user).set(shown.id, valuesOf(dialog));
}

function forget(views) {
  const own = kept.get(user);
  for (const id of own?.keys() || []) if (!views.some((view) => view.id === id)) own.delete(id);
}

function close() {
  shown = null;
  if (!dialog.open) return;
  dialog.close();
  opener.map((place) => place()).find((node) => node?.isConnected)?.focus({ preventScroll: true });
}

// Focus after the dialog: the button, its message if the button is gone, else the
// current message of the arrow keys, or the Home.
function wayBack(button) {
  const message = button.closest("li.message");
  const list = button.closest("#home, #replies") || ($("home").hidden ? $("messages") : $("home"));
  return [() => (button === document.body ? null : button), () => message, () => list.querySelector("li.active"), () => list];
}

function draw(view, depth) {
  const owner = user;
  const press = async (element, value) => {
    const answer = await call("/human/press", { user: owner, view_id: view.id, action_id: element.action_id, value, values: valuesOf(dialog) });
    if (!answer.ok) notice(`That did not work: ${answer.error}`);
    else if (!answer.acked) notice("The app did not answer. Try again.");
  };
  const back = depth > 1 ? el("button", { type: "button", class: "plain", "aria-label": "Back", onclick: () => dismiss() }, "←") : null;
  return el("form", { onsubmit: submit, onkeydown: keys, novalidate: true },
    el("header", {}, back, el("h2", { id: "dialog-title" }, plainText(view.title)),
      el("button", { type: "button", class: "plain", "aria-label": "Close", onclick: () => dismiss({ all: true }) }, "✕")),
    el("div", { class: "fields-and-words", tabindex: "0", role: "group", "aria-labelledby": "dialog-title" }, ...renderBlocks(view.blocks, press)),
    el("p", { class: "error whole", role: "alert" }),
    el("footer", {},
      el("button", { type: "button", class: "button", onclick: () => dismiss() }, plainText(view.close) || "Cancel"),
      view.submit ? el("button", { class: "button primary" }, plainText(view.submit)) : null));
}

function keys(event) {
  if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
    event.preventDefault();
    event.currentTarget.requestSubmit();
  }
}

async function submit(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const button = form.querySelector("footer .primary");
  if (!button || button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  const answer = await call("/human/submit", { user, view_id: shown.id, values: valuesOf(form) });
  button.ariaBusy = null;
  showErrors(form, answer.errors || {});
  const wrong = !answer.ok && !answer.errors;
  form.querySelector(".whole").textContent = wrong ? `We had some trouble connecting (${answer.error}). Try again?` : "";
}

// The arrow and Cancel close the topmost dialog, the cross closes all of them.
async function dismiss({ all = false } = {}) {
  const views = state.screen?.views || [];
  if (!views.length) return;
  if (all || views.length === 1) close();
  const answer = await call("/human/close", { user, view_id: views.at(-1).id, clear: all });
  if (!answer.ok) notice(`That did not work: ${answer.error}`);
}

dialog.addEventListener("cancel", (event) => {
  event.preventDefault();
  dismiss();
});
