// Slack's text as nodes: mrkdwn (escaped, with control syntax in angle brackets), rich_text, and plain markdown.

import { el, link } from "./dom.js";
import { emoji } from "./emoji.js";
import { channel, names, person } from "./names.js";

export const unescape = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

const INLINE = new RegExp(
  [
    "<(?<control>[^<>]+)>",
    "`(?<code>[^`\\n]+)`",
    "(?<![\\w*])\\*(?<bold>[^*\\n]+)\\*(?![\\w*])",
    "(?<![\\w_])_(?<italic>[^_\\n]+)_(?![\\w_])",
    "(?<![\\w~])~(?<strike>[^~\\n]+)~(?![\\w~])",
    "(?<![\\w:]):(?<emoji>[a-z+-][\\w+-]*|[+-]1):(?![\\w:])",
  ].join("|"),
  "g",
);
const TAGS = { bold: "strong", italic: "em", strike: "s" };

export function mrkdwn(text) {
  return fenced(text, /```\n?([\s\S]+?)\n?```/g, (code) => el("pre", {}, unescape(code)), quoted);
}

function fenced(text, pattern, preformatted, prose) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const before = text.slice(end, match.index).replace(/^\n|\n$/g, "");
    if (before) nodes.push(...prose(before));
    nodes.push(preformatted(match[1]));
    end = match.index + match[0].length;
  }
  const rest = end ? text.slice(end).replace(/^\n/, "") : text;
  if (rest) nodes.push(...prose(rest));
  return nodes;
}

function quoted(text) {
  const nodes = [];
  let quote = null;
  for (const line of text.split("\n")) {
    const inside = line.match(/^(?:&gt;|>) ?(.*)$/);
    if (inside) {
      if (!quote) nodes.push((quote = el("blockquote")));
      else quote.append("\n");
      quote.append(...inline(inside[1]));
    } else {
      if (nodes.length && !quote) nodes.push("\n");
      quote = null;
      nodes.push(...inline(line));
    }
  }
  return nodes;
}

function inline(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(unescape(text.slice(end, match.index)), marked(match.groups));
    end = match.index + match[0].length;
  }
  nodes.push(unescape(text.slice(end)));
  return nodes;
}

function marked(groups) {
  if (groups.control !== undefined) return control(groups.control);
  if (groups.code !== undefined) return el("code", {}, unescape(groups.code));
  if (groups.emoji !== undefined) return emoji(groups.emoji);
  const kind = Object.keys(TAGS).find((name) => groups[name] !== undefined);
  return el(TAGS[kind], {}, ...inline(groups[kind]));
}

function control(inside) {
  const [target, label] = inside.split(/\|(.*)/s);
  if (target.startsWith("@")) return mention(`@${person(target.slice(1)).name}`);
  if (target.startsWith("#")) return mention(`#${names.channels[target.slice(1)] || label || target.slice(1)}`);
  if (target.startsWith("!date^")) return date(target, label);
  if (target.startsWith("!")) return mention(`@${label || target.slice(1)}`);
  return link(unescape(target), unescape(label || target));
}

const mention = (text) => el("span", { class: "mention" }, text);

function date(target, label) {
  const seconds = Number(target.split("^")[1]);
  if (!Number.isFinite(seconds)) return label || "";
  return el("time", {}, new Date(seconds * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }));
}

// rich_text

export function richText(block) {
  return block.elements.map(richPart);
}

function richPart(part) {
  switch (part.type) {
    case "rich_text_preformatted": return el("pre", {}, ...part.elements.map(richInline));
    case "rich_text_quote": return el("blockquote", {}, ...part.elements.map(richInline));
    case "rich_text_list":
      return el(part.style === "ordered" ? "ol" : "ul", { class: `indent-${part.indent || 0}` },
        ...part.elements.map((item) => el("li", {}, ...item.elements.map(richInline))));
    default: return el("div", {}, ...(part.elements || []).map(richInline));
  }
}

function richInline(element) {
  switch (element.type) {
    case "user": return mention(`@${person(element.user_id).name}`);
    case "channel": return mention(`#${channel(element.channel_id)}`);
    case "usergroup": return mention(`@${element.usergroup_id}`);
    case "broadcast": return mention(`@${element.range}`);
    case "emoji": return emoji(element.name);
    case "link": return styled(link(element.url, element.text || element.url), element.style);
    default: return styled(withEmoji(element.text || ""), element.style);
  }
}

const withEmoji = (text) => text.replace(/(?<![\w:]):([a-z+-][\w+-]*|[+-]1):(?![\w:])/g, (whole, name) => emoji(name));

function styled(node, style = {}) {
  let result = node;
  if (style.code) result = el("code", {}, result);
  if (style.bold) result = el("strong", {}, result);
  if (style.italic) result = el("em", {}, result);
  if (style.strike) result = el("s", {}, result);
  return result;
}

// The markdown block

export function markdown(text) {
  return fenced(text, /```[^\n]*\n([\s\S]+?)\n?```/g, (code) => el("pre", {}, code), markdownLines);
}

function markdownLines(text) {
  return text.split("\n").map((line) => {
    const heading = line.match(/^#{1,6} (.*)$/);
    if (heading) return el("div", { class: "heading" }, ...markdownInline(heading[1]));
    const item = line.match(/^(\s*)(?:[-*]|\d+\.) (.*)$/);
    if (item) return el("div", { class: "item" }, ...markdownInline(item[2]));
    const quote = line.match(/^> ?(.*)$/);
    if (quote) return el("blockquote", {}, ...markdownInline(quote[1]));
    return el("div", {}, ...(line ? markdownInline(line) : [el("br")]));
  });
}

function markdownInline(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)|(?<![\w*])[*_]([^*_]+)[*_](?!\w)/g)) {
    nodes.push(text.slice(end, match.index));
    if (match[1]) nodes.push(el("code", {}, match[1]));
    else if (match[2]) nodes.push(el("strong", {}, match[2]));
    else if (match[3]) nodes.push(link(match[4], match[3]));
    else nodes.push(el("em", {}, match[5]));
    end = match.index + match[0].length;
  }
  nodes.push(text.slice(end));
  return nodes;
}
