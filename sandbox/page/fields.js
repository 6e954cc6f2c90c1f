// The inputs of a dialog: drawn with what stands in them, and read back as {block_id: {action_id: value}}.

import { el, plainText } from "./dom.js";
import { humans } from "./names.js";

export function field(block) {
  const id = `field-${block.block_id}`;
  const node = el("div", { "data-block": block.block_id },
    el("label", { for: id }, plainText(block.label), block.optional ? el("small", {}, " (optional)") : null),
    input(block.element, id),
    block.hint ? el("small", { class: "hint" }, plainText(block.hint)) : null,
    el("div", { class: "error", role: "alert" }));
  return node;
}

function input(element, id) {
  const common = { id, "data-action": element.action_id, "data-kind": element.type };
  switch (element.type) {
    case "static_select": return select(common, element.options || [], element.initial_option?.value, element);
    case "users_select": return select(common, users(), element.initial_user, element);
    case "radio_buttons": return boxes(common, element, "radio", [element.initial_option?.value]);
    case "checkboxes": return boxes(common, element, "checkbox", (element.initial_options || []).map((each) => each.value));
    default: return words(common, element);
  }
}

const users = () => humans().map((each) => ({ value: each.id, text: { text: each.name } }));

function words(common, element) {
  const properties = {
    ...common,
    placeholder: plainText(element.placeholder) || undefined,
    maxlength: element.max_length || 3000,
    autofocus: element.focus_on_load,
    autocomplete: "off",
  };
  const node = el(element.multiline ? "textarea" : "input", properties);
  if (element.multiline) node.rows = Math.min(14, Math.max(4, (element.initial_value || "").split("\n").length + 1));
  node.value = element.initial_value || "";
  return node;
}

function select(common, options, initial, element) {
  const node = el("select", common,
    el("option", { value: "" }, plainText(element.placeholder) || "Choose…"),
    ...options.map((each) => el("option", { value: each.value }, plainText(each.text))));
  node.value = initial || "";
  return node;
}

function boxes(common, element, type, chosen) {
  return el("div", { ...common, class: "boxes", role: "group" }, ...element.options.map((option) => {
    const box = el("input", { type, name: common.id, value: option.value });
    box.checked = chosen.includes(option.value);
    return el("label", {}, box, " ", plainText(option.text));
  }));
}

export function valuesOf(form) {
  const values = {};
  for (const block of form.querySelectorAll("[data-block]")) {
    const node = block.querySelector("[data-action]");
    values[block.dataset.block] = { [node.dataset.action]: valueOf(node) };
  }
  return values;
}

function valueOf(node) {
  if (!node.classList.contains("boxes")) return node.value || null;
  const chosen = [...node.querySelectorAll("input:checked")].map((box) => box.value);
  return node.dataset.kind === "checkboxes" ? chosen : chosen[0] || null;
}

export function putBack(form, values) {
  for (const block of form.querySelectorAll("[data-block]")) {
    const node = block.querySelector("[data-action]");
    const value = values[block.dataset.block]?.[node.dataset.action];
    if (value === undefined) continue;
    if (!node.classList.contains("boxes")) node.value = value || "";
    else for (const box of node.querySelectorAll("input")) box.checked = [value].flat().includes(box.value);
  }
}
