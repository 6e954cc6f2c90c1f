// Block Kit as nodes. `press(element, value)` is called when an element is pressed or chosen; `level` is that of a
// heading: one below the heading above the blocks.

import { confirmed } from "./confirm.js";
import { el, link, plainText } from "./dom.js";
import { markdown } from "./markdown.js";
import { openMenu } from "./menu.js";
import { richText } from "./rich.js";
import { text } from "./text.js";
import { isMany, isWidget, valueOf, widget } from "./widgets.js";

export function renderBlocks(blocks, press, level = 3) {
  return blocks.map((block) => {
    const node = inside(block, press, level);
    node.classList.add("block", block.type);
    return node;
  });
}

function inside(block, press, level) {
  switch (block.type) {
    case "header": return el("div", { role: "heading", "aria-level": String(level) }, ...text(block.text));
    case "divider": return el("hr");
    case "section": return section(block, press);
    case "context": return el("div", {}, ...block.elements.map(contextElement));
    case "actions": case "context_actions": return el("div", {}, ...block.elements.map((each) => control(each, press)));
    case "rich_text": return el("div", {}, ...richText(block));
    case "markdown": return el("div", {}, ...markdown(block.text || ""));
    case "table": return table(block);
    case "input": return field(block, press);
    case "image": return el("div", {}, plainText(block.title) ? el("small", {}, plainText(block.title)) : null, picture(block));
    default: return el("div", { class: "unknown" }, `A block of the type ${block.type}: not drawn here`);
  }
}

function table({ rows: [head, ...rows] }) {
  const cell = (tag) => (each) => el(tag, {}, ...(each.type === "rich_text" ? richText(each) : [each.text ?? String(each.value)]));
  const line = (row, tag) => el("tr", {}, ...row.map(cell(tag)));
  return el("div", { class: "wide" }, el("table", {}, el("thead", {}, line(head, "th")), el("tbody", {}, ...rows.map((row) => line(row, "td")))));
}

function section(block, press) {
  const words = el("div", { class: "words" }, ...text(block.text));
  if (block.fields) {
    words.append(el("div", { class: "fields" }, ...block.fields.map((each) => el("div", {}, ...text(each)))));
  }
  return el("div", {}, words, block.accessory ? el("div", { class: "accessory" }, control(block.accessory, press)) : null);
}

function contextElement(element) {
  return element.type === "image" ? picture(element) : el("span", {}, ...text(element));
}

// Nothing is fetched from other hosts: an image is shown by its alt text.
const picture = (element) => el("span", { class: "picture", role: "img", "aria-label": element.alt_text || "image" }, `🖼 ${element.alt_text || "image"}`);

function control(element, press) {
  if (isWidget(element)) return chooser(element, press);
  switch (element.type) {
    case "button": return button(element, press);
    case "icon_button": return button({ ...element, icon: true }, press);
    case "feedback_buttons": return feedback(element, press);
    case "overflow": return overflow(element, press);
    case "image": return picture(element);
    default: return el("span", { class: "unknown" }, `An element of the type ${element.type}: not drawn here`);
  }
}

const ICONS = { trash: "🗑" };

function button(element, press) {
  const label = element.icon ? [el("span", { "aria-hidden": "true" }, ICONS[element.icon] || "🗑")] : text(element.text);
  const shown = { "data-action": element.action_id, "data-value": element.value, class: `button ${element.style || ""} ${element.icon ? "icon" : ""}` };
  const name = element.accessibility_label || (element.icon ? plainText(element.text) : undefined);
  if (element.url) {
    const node = link(element.url, ...label);
    node.className = shown.class;
    node.addEventListener("click", () => press(element, element.value));
    return node;
  }
  const pressed = async (event) => {
    const node = event.currentTarget;
    if (node.ariaDisabled === "true" || (element.confirm && !(await confirmed(element.confirm)))) return;
    // Not `disabled`: that would take away the focus.
    node.ariaDisabled = "true";
    await press(element, element.value);
    node.ariaDisabled = null;
  };
  return el("button", { type: "button", ...shown, "aria-label": name, title: element.icon ? name : undefined, onclick: pressed }, ...label);
}

function feedback(element, press) {
  const half = (part, sign) => el("button", {
    type: "button", class: "button icon", "data-action": element.action_id, "data-value": part.value, title: plainText(part.text),
    "aria-label": part.accessibility_label || plainText(part.text), "aria-pressed": "false",
    onclick: async (event) => {
      const node = event.currentTarget;
      for (const each of node.parentElement.children) each.ariaPressed = String(each === node);
      await press(element, part.value);
    },
  }, sign);
  return el("span", { class: "feedback", role: "group", "aria-label": "Feedback" }, half(element.positive_button, "👍"), half(element.negative_button, "👎"));
}

function overflow(element, press) {
  const choose = async (option) => {
    if (option.url) window.open(option.url, "_blank", "noopener");
    if (!element.confirm || (await confirmed(element.confirm))) await press(element, option.value);
  };
  const items = element.options.map((option) => ({ label: text(option.text), hint: plainText(option.description), act: () => choose(option) }));
  const show = (event) => openMenu(event.currentTarget, items, { label: "More options" });
  return el("button", { type: "button", class: "button icon", "data-action": element.action_id, "aria-label": "More options", "aria-haspopup": "menu", "aria-expanded": "false", onclick: show }, "⋯");
}

function chooser(element, press) {
  const node = widget(element, { "aria-label": plainText(element.placeholder) || "Choose an option" });
  let before = valueOf(node);
  node.addEventListener("change", async () => {
    const value = valueOf(node);
    if (value === null && !isMany(element.type)) return;
    if (element.confirm && !(await confirmed(element.confirm))) {
      if ("value" in node) node.value = before || "";
      return;
    }
    before = value;
    await press(element, value);
  });
  return node;
}

let fields = 0;

function field(block, press) {
  const id = `field-${(fields += 1)}`;
  const about = `${id}-error ${id}-hint`;
  const { element } = block;
  const node = widget(element, { id, "aria-describedby": about, "aria-labelledby": `${id}-label`, "aria-required": block.optional ? undefined : "true" });
  if (block.dispatch_action) node.addEventListener("change", () => press(element, valueOf(node)));
  return el("div", { "data-block": block.block_id },
    el("label", { id: `${id}-label`, for: node.classList.contains("boxes") ? undefined : id }, ...text(block.label), block.optional ? el("small", {}, " (optional)") : null),
    node,
    el("div", { class: "error", role: "alert", id: `${id}-error` }),
    block.hint ? el("small", { class: "hint", id: `${id}-hint` }, ...text(block.hint)) : null);
}

// Shows each error below its field and focuses the first one.
export function showErrors(form, errors) {
  for (const block of form.querySelectorAll("[data-block]")) {
    const complaint = errors[block.dataset.block] || "";
    block.querySelector(".error").textContent = complaint;
    block.classList.toggle("faulty", Boolean(complaint));
    const node = block.querySelector("[data-action]");
    if (complaint) node.setAttribute("aria-invalid", "true");
    else node.removeAttribute("aria-invalid");
  }
  form.querySelector(".faulty :is(input, textarea, select)")?.focus();
}
