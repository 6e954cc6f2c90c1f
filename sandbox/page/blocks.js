// Block Kit as nodes. `press(element, value)` is what happens when something is pressed or chosen.

import { el, link, plainText } from "./dom.js";
import { emoji } from "./emoji.js";
import { field } from "./fields.js";
import { humans } from "./names.js";
import { markdown, mrkdwn, richText } from "./text.js";

export function renderBlocks(blocks, press) {
  return blocks.map((block) => renderBlock(block, press));
}

function renderBlock(block, press) {
  const node = inside(block, press);
  node.classList.add("block", block.type);
  return node;
}

function inside(block, press) {
  switch (block.type) {
    case "header": return el("div", { role: "heading", "aria-level": "3" }, ...text(block.text));
    case "divider": return el("hr");
    case "section": return section(block, press);
    case "context": return el("div", {}, ...block.elements.map(contextElement));
    case "actions": case "context_actions": return el("div", {}, ...block.elements.map((each) => control(each, press)));
    case "rich_text": return el("div", {}, ...richText(block));
    case "markdown": return el("div", {}, ...markdown(block.text || ""));
    case "input": return field(block);
    case "image": return el("div", {}, `🖼 ${block.alt_text || plainText(block.title) || "image"}`);
    default: return el("div", { class: "unknown" }, `a ${block.type} block, not drawn here`);
  }
}

export function text(object) {
  if (!object) return [];
  if (object.type === "mrkdwn") return mrkdwn(object.text);
  return [object.text.replace(/:([a-z+-][\w+-]*):/g, (whole, name) => emoji(name))];
}

function section(block, press) {
  const words = el("div", { class: "words" }, ...text(block.text));
  if (block.fields) {
    words.append(el("div", { class: "fields" }, ...block.fields.map((each) => el("div", {}, ...text(each)))));
  }
  return el("div", {}, words, block.accessory ? control(block.accessory, press) : null);
}

function contextElement(element) {
  if (element.type === "image") return el("span", { class: "picture" }, element.alt_text || "image");
  return el("span", {}, ...text(element));
}

function control(element, press) {
  switch (element.type) {
    case "button": return button(element, press);
    case "static_select": case "overflow": case "users_select": case "radio_buttons": return choice(element, press);
    case "image": return el("span", { class: "picture" }, element.alt_text || "image");
    default: return el("span", { class: "unknown" }, `a ${element.type}, not drawn here`);
  }
}

function button(element, press) {
  const label = text(element.text);
  if (element.url) {
    const node = link(element.url, ...label);
    node.classList.add("button");
    node.addEventListener("click", () => press(element, element.value));
    return node;
  }
  const pressed = async (event) => {
    const node = event.currentTarget;
    if (element.confirm && !(await confirmed(element.confirm))) return;
    node.disabled = true;
    await press(element, element.value);
    node.disabled = false;
  };
  const properties = { type: "button", class: `button ${element.style || ""}`, "aria-label": element.accessibility_label };
  return el("button", { ...properties, "data-action": element.action_id, onclick: pressed }, ...label);
}

function choice(element, press) {
  const people = humans().map((each) => ({ value: each.id, text: { text: each.name } }));
  const options = element.type === "users_select" ? people : element.options || [];
  const first = element.type === "overflow" ? "⋯" : plainText(element.placeholder) || "Choose…";
  const node = el("select", { "aria-label": first, "data-action": element.action_id },
    el("option", { value: "" }, first),
    ...options.map((each) => el("option", { value: each.value }, plainText(each.text))));
  node.value = element.initial_option?.value || element.initial_user || "";
  node.addEventListener("change", () => node.value && press(element, node.value));
  return node;
}

function confirmed(question) {
  const dialog = document.getElementById("confirm");
  return new Promise((resolve) => {
    const answer = (value) => () => { dialog.close(); resolve(value); };
    dialog.replaceChildren(
      el("h2", {}, plainText(question.title)),
      el("p", {}, ...text(question.text)),
      el("footer", {},
        el("button", { type: "button", class: "button", onclick: answer(false) }, plainText(question.deny) || "Cancel"),
        el("button", { type: "button", class: `button ${question.style || "primary"}`, onclick: answer(true) },
          plainText(question.confirm) || "Yes")),
    );
    dialog.oncancel = answer(false);
    dialog.showModal();
  });
}
