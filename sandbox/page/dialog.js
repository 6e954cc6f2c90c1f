// The dialog on top of the page: the app's open view, submitted and closed over the human side.

import { renderBlocks } from "./blocks.js";
import { call, el, notice, plainText } from "./dom.js";
import { putBack, valuesOf } from "./fields.js";

const dialog = document.getElementById("dialog");
let shown = null;
let user = null;

export function showDialog(views, as) {
  const view = views.at(-1) || null;
  const asOther = user !== as;
  user = as;
  if (!view) return close();
  if (!asOther && shown && shown.id === view.id && shown.hash === view.hash) return;
  const typed = shown && shown.id === view.id && !asOther ? valuesOf(dialog) : {};
  shown = view;
  dialog.replaceChildren(draw(view));
  putBack(dialog, typed);
  if (dialog.open) return;
  dialog.showModal();
  dialog.querySelector("[autofocus], [data-block] [data-action]")?.focus();
}

function close() {
  shown = null;
  if (dialog.open) dialog.close();
}

function draw(view) {
  const press = async (element, value) => {
    const answer = await call("/human/press", { user, view_id: view.id, action_id: element.action_id, value });
    if (!answer.acked) notice("The app did not answer. Try again.");
  };
  const form = el("form", { onsubmit: submit, onkeydown: keys },
    el("header", {}, el("h2", {}, plainText(view.title)),
      el("button", { type: "button", class: "plain", "aria-label": "Close", onclick: dismiss }, "✕")),
    el("div", { class: "fields-and-words" }, ...renderBlocks(view.blocks, press)),
    el("p", { class: "error whole", role: "alert" }),
    el("footer", {},
      el("button", { type: "button", class: "button", onclick: dismiss }, plainText(view.close) || "Cancel"),
      view.submit ? el("button", { class: "button primary" }, plainText(view.submit)) : null));
  return form;
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
  if (button.disabled) return;
  button.disabled = true;
  const answer = await call("/human/submit", { user, view_id: shown.id, values: valuesOf(form) });
  button.disabled = false;
  const errors = answer.errors || {};
  for (const block of form.querySelectorAll("[data-block]")) {
    block.querySelector(".error").textContent = errors[block.dataset.block] || "";
    block.classList.toggle("faulty", block.dataset.block in errors);
  }
  form.querySelector(".faulty input, .faulty textarea, .faulty select")?.focus();
  const wrong = !answer.ok && !answer.errors;
  form.querySelector(".whole").textContent = wrong ? `We had some trouble connecting (${answer.error}). Try again?` : "";
}

async function dismiss() {
  const view = shown;
  close();
  await call("/human/close", { user, view_id: view.id });
}

dialog.addEventListener("cancel", (event) => {
  event.preventDefault();
  dismiss();
});
