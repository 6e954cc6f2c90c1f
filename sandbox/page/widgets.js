// Inputs in dialogs and messages: rendered, read and restored by the element's type.

import { call, el, plainText } from "./dom.js";
import { humans, names } from "./names.js";
import { state } from "./state.js";
import { text } from "./text.js";

const TYPED = { datepicker: "date", timepicker: "time", email_text_input: "email", url_text_input: "url", number_input: "number" };

export function widget(element, more = {}) {
  const common = { "data-action": element.action_id, "data-kind": element.type, ...more };
  if (element.focus_on_load) common.autofocus = true;
  switch (element.type) {
    case "static_select": return select(common, element, element.initial_option?.value);
    case "users_select": return select(common, { ...element, options: people() }, element.initial_user);
    case "channels_select": return select(common, { ...element, options: channels() }, element.initial_channel);
    case "conversations_select": return select(common, { ...element, options: channels() }, element.initial_conversation);
    case "radio_buttons": return boxes(common, element, "radio", [element.initial_option?.value]);
    case "checkboxes": return boxes(common, element, "checkbox", (element.initial_options || []).map((each) => each.value));
    case "multi_static_select": return boxes(common, element, "checkbox", (element.initial_options || []).map((each) => each.value));
    case "multi_users_select": return boxes(common, { ...element, options: people() }, "checkbox", element.initial_users || []);
    case "multi_channels_select": return boxes(common, { ...element, options: channels() }, "checkbox", element.initial_channels || []);
    case "multi_conversations_select": return boxes(common, { ...element, options: channels() }, "checkbox", element.initial_conversations || []);
    case "external_select": case "multi_external_select": return offered(common, element);
    case "datepicker": case "timepicker": return dated(common, element);
    default: return words(common, element);
  }
}

export const isWidget = (element) =>
  /_select$|_input$|picker$/.test(element.type) || ["radio_buttons", "checkboxes"].includes(element.type);

export const isMany = (kind) => kind === "checkboxes" || kind.startsWith("multi_");

const option = (value, label) => ({ value, text: { type: "plain_text", text: label, emoji: false } });
const people = () => humans().map((each) => option(each.id, each.name));
const channels = () => Object.entries(names.channels).map(([id, name]) => option(id, `#${name}`));

function words(common, element) {
  const node = el(element.multiline ? "textarea" : "input", {
    ...common,
    type: element.multiline ? undefined : TYPED[element.type] || "text",
    placeholder: plainText(element.placeholder) || undefined,
    maxlength: element.max_length || 3000,
    step: element.is_decimal_allowed ? "any" : undefined,
    autocomplete: "off",
  });
  const initial = String(element.initial_value ?? "");
  if (element.multiline) node.rows = Math.min(14, Math.max(4, initial.split("\n").length + 1));
  node.value = initial;
  return node;
}

function dated(common, element) {
  const node = el("input", { ...common, type: TYPED[element.type] });
  node.value = element.initial_date || element.initial_time || "";
  return node;
}

function select(common, element, initial) {
  const first = plainText(element.placeholder) || "Choose an option";
  const choice = (each) => el("option", { value: each.value }, ...text(each.text));
  const groups = (element.option_groups || []).map((group) =>
    el("optgroup", { label: plainText(group.label) }, ...group.options.map(choice)));
  const node = el("select", { "aria-label": first, ...common }, el("option", { value: "" }, first), ...(element.options || []).map(choice), ...groups);
  node.value = initial || "";
  return node;
}

// Menu with options from the app, requested again with each change of the typed text.
function offered(common, element) {
  const many = element.type.startsWith("multi_");
  const first = [element.initial_option || element.initial_options || []].flat();
  const menu = el("select", { ...common, multiple: many }, ...(many ? [] : [el("option", { value: "" }, "Choose an option")]), ...first.map(choiceOf));
  for (const each of menu.options) each.selected = first.some((option) => option.value === each.value);
  const least = element.min_query_length ?? 3;
  const search = el("input", { type: "search", class: "offered", placeholder: plainText(element.placeholder) || "Search", "aria-label": "Search the options", autocomplete: "off" });
  const ask = async () => {
    if (search.value.length < least) return;
    const answer = await call("/human/suggest", { user: state.user, action_id: element.action_id, text: search.value });
    const kept = [...menu.selectedOptions].filter((each) => each.value);
    const options = [...(answer.options || []), ...(answer.option_groups || []).flatMap((group) => group.options)];
    const fresh = options.filter((option) => !kept.some((each) => each.value === option.value)).map(choiceOf);
    menu.replaceChildren(...(many ? [] : [el("option", { value: "" }, "Choose an option")]), ...kept, ...fresh);
    for (const each of kept) each.selected = true;
  };
  search.addEventListener("input", ask);
  search.addEventListener("focus", ask, { once: true });
  return el("span", { class: "offering" }, search, menu);
}

const choiceOf = (option) => el("option", { value: option.value }, ...text(option.text));

function boxes(common, element, type, chosen) {
  const { id, ...rest } = common;
  const name = id || `boxes-${element.action_id}-${Math.random()}`;
  const role = type === "radio" ? "radiogroup" : "group";
  return el("div", { ...rest, id, class: "boxes", role }, ...allOptions(element).map((each) => {
    const box = el("input", { type, name, value: each.value });
    box.checked = chosen.includes(each.value);
    return el("label", {}, box, el("span", {}, ...text(each.text), each.description ? el("small", {}, ...text(each.description)) : null));
  }));
}

const allOptions = (element) => element.options || (element.option_groups || []).flatMap((group) => group.options);

export function valueOf(node) {
  if (node.multiple) return [...node.selectedOptions].map((each) => each.value);
  if (!node.classList.contains("boxes")) return node.value || null;
  const chosen = [...node.querySelectorAll("input:checked")].map((box) => box.value);
  return isMany(node.dataset.kind) ? chosen : chosen[0] || null;
}

// Values of all inputs of a dialog or a Home, as {block_id: {action_id: value}}.
export function valuesOf(form) {
  const values = {};
  for (const block of form.querySelectorAll("[data-block]")) {
    const node = block.querySelector("[data-action]");
    values[block.dataset.block] = { [node.dataset.action]: valueOf(node) };
  }
  return values;
}

// Typed values stay when an app updates its dialog, as long as the input keeps its ids.
export function putBack(form, values) {
  for (const block of form.querySelectorAll("[data-block]")) {
    const node = block.querySelector("[data-action]");
    const value = values[block.dataset.block]?.[node.dataset.action];
    if (value === undefined) continue;
    if (!node.classList.contains("boxes")) node.value = value || "";
    else for (const box of node.querySelectorAll("input")) box.checked = [value].flat().includes(box.value);
  }
}
