// rich_text as nodes: sections, nested lists, quotes, preformatted parts, and inline elements.

import { dateToken } from "./dates.js";
import { el, link } from "./dom.js";
import { emoji } from "./emoji.js";
import { channelMention, mention, userMention, withEmoji } from "./text.js";

export function richText(block) {
  const nodes = [];
  let list = null;
  for (const part of block.elements || []) {
    list = part.type === "rich_text_list" ? listed(nodes, list, part) : null;
    if (!list) nodes.push(richPart(part));
  }
  return nodes;
}

// Slack sends a nested list as several lists with an indent each; as nodes they are nested.
function listed(nodes, open, part) {
  const indent = part.indent || 0;
  const tag = part.style === "ordered" ? "ol" : "ul";
  const properties = { class: part.border ? "bordered" : undefined, start: tag === "ol" && part.offset ? part.offset + 1 : undefined };
  const items = part.elements.map((item) => el("li", {}, ...richText({ elements: [item] })));
  let above = open;
  while (above && above.indent > indent) above = above.outer;
  if (above && above.indent === indent && above.tag === tag) {
    above.node.append(...items);
    return above;
  }
  const outer = above && above.indent < indent ? above : above?.outer || null;
  const node = el(tag, properties, ...items);
  node.classList.add(`indent-${outer ? 0 : Math.min(indent, 8)}`, `level-${indent % 3}`);
  if (outer) outer.node.lastElementChild.append(node);
  else nodes.push(node);
  return { node, indent, tag, outer };
}

function richPart(part) {
  const inside = (part.elements || []).map(richInline);
  switch (part.type) {
    case "rich_text_preformatted": return el("pre", {}, ...inside);
    case "rich_text_quote": return el("blockquote", {}, ...inside);
    default: return el("div", { class: "line" }, ...inside);
  }
}

function richInline(element) {
  switch (element.type) {
    case "text": return styled(element.style?.code ? element.text : withEmoji(element.text || ""), element.style);
    case "link": return styled(link(element.url, element.text || element.url), element.style);
    case "emoji": return picture(element);
    case "user": return styled(userMention(element.user_id), element.style);
    case "channel": return styled(channelMention(element.channel_id), element.style);
    case "usergroup": return styled(mention("@a user group"), element.style);
    case "team": return mention(element.team_id);
    case "broadcast": return mention(`@${element.range}`);
    case "color": return el("span", { class: "color" }, swatch(element.value), el("code", {}, element.value));
    case "date": return styled(dateToken(element.timestamp, element.format, element), element.style);
    default: return styled(element.text || element.value || element.fallback || "", element.style);
  }
}

function picture({ name, unicode }) {
  const points = (unicode || "").split("-").map((point) => Number.parseInt(point, 16));
  return points.every((point) => point > 0 && point <= 0x10ffff) ? String.fromCodePoint(...points) : emoji(name);
}

function swatch(value) {
  const node = el("i", { class: "swatch", "aria-hidden": "true" });
  node.style.backgroundColor = value;
  return node;
}

function styled(node, style = {}) {
  let result = node;
  if (style.code) result = el("code", {}, result);
  if (style.bold) result = el("strong", {}, result);
  if (style.italic) result = el("em", {}, result);
  if (style.strike) result = el("s", {}, result);
  if (style.underline) result = el("u", {}, result);
  if (style.highlight || style.client_highlight) result = el("span", { class: "mention" }, result);
  return result;
}
