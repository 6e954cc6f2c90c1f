// Slack's mrkdwn as nodes: escaped text with control syntax in angle brackets.

import { dateToken } from "./dates.js";
import { el, link } from "./dom.js";
import { emoji } from "./emoji.js";
import { channel, names, person } from "./names.js";

export const unescape = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

// Emphasis begins and ends at word edges, contains whole control parts, and never spans lines.
const emphasis = (mark, name) =>
  `(?<![\\w${mark}])${mark}(?=\\S)(?<${name}>(?:<[^<>]+>|[^${mark}\\n<])+)(?<=\\S)${mark}(?![\\w${mark}])`;

const INLINE = new RegExp(
  [
    "<(?<control>[^<>]+)>",
    "`(?<code>[^`\\n]+)`",
    emphasis("\\*", "bold"),
    emphasis("_", "italic"),
    emphasis("~", "strike"),
    "(?<![\\w:]):(?<emoji>[a-z][\\w+-]*|[+-]1):(?![\\w:])",
  ].join("|"),
  "g",
);
const TAGS = { bold: "strong", italic: "em", strike: "s" };

export function mrkdwn(text) {
  return fenced(text, /```\n?([\s\S]+?)\n?```/g, (match) => el("pre", {}, preformatted(match[1])), quoted);
}

// Unformatted text with links, as Slack renders control syntax inside ```.
function preformatted(text) {
  return around(text, /<(?<control>[^<>]+)>/g, (groups) => control(groups.control), unescape);
}

export function fenced(text, pattern, code, prose) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const before = text.slice(end, match.index).replace(/^\n|\n$/g, "");
    if (before) nodes.push(...prose(before));
    nodes.push(code(match));
    end = match.index + match[0].length;
  }
  const rest = end ? text.slice(end).replace(/^\n/, "") : text;
  if (rest) nodes.push(...prose(rest));
  return nodes;
}

function quoted(text) {
  const [before, ...rest] = text.split(/^(?:&gt;){3}/m);
  const nodes = runs(before.replace(/\n$/, rest.length ? "" : "\n"));
  if (rest.length) nodes.push(el("blockquote", {}, ...inline(rest.join("&gt;&gt;&gt;").replace(/^\s/, ""))));
  return nodes;
}

function runs(text) {
  const nodes = [];
  let quote = null;
  for (const line of text ? text.split("\n") : []) {
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

export function inline(text) {
  return around(text, INLINE, marked, unescape);
}

// Nodes for the matches of a pattern, and text between them.
export function around(text, pattern, inside, between = (part) => part) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    nodes.push(between(text.slice(end, match.index)), inside(match.groups || match));
    end = match.index + match[0].length;
  }
  nodes.push(between(text.slice(end)));
  return nodes;
}

function marked(groups) {
  if (groups.control !== undefined) return control(groups.control);
  if (groups.code !== undefined) return el("code", {}, preformatted(groups.code));
  if (groups.emoji !== undefined) return emoji(groups.emoji);
  const kind = Object.keys(TAGS).find((name) => groups[name] !== undefined);
  return el(TAGS[kind], {}, ...inline(groups[kind]));
}

function control(inside) {
  const [target, label] = inside.split(/\|(.*)/s);
  if (target.startsWith("@")) return userMention(target.slice(1));
  if (target.startsWith("#")) return mention(`#${names.channels[target.slice(1)] || label || target.slice(1)}`);
  if (target.startsWith("!date^")) {
    const [, seconds, pattern, url] = target.split("^");
    return dateToken(seconds, unescape(pattern || ""), { url, fallback: unescape(label || "") });
  }
  if (target.startsWith("!subteam^")) return mention(label || "@a user group");
  if (target.startsWith("!")) return mention(`@${label || target.slice(1)}`);
  // Other text in angle brackets is no control syntax.
  if (!/^[a-z][a-z+.-]*:/i.test(target)) return unescape(`<${inside}>`);
  return link(unescape(target), unescape(label || target.replace(/^mailto:/, "")));
}

export const mention = (text) => el("span", { class: "mention" }, text);

export function userMention(id) {
  const node = mention(`@${person(id).name}`);
  node.dataset.user = id;
  return node;
}

export const channelMention = (id) => mention(`#${channel(id)}`);

export const withEmoji = (text) => text.replace(/(?<![\w:]):([a-z][\w+-]*|[+-]1):(?![\w:])/g, (whole, name) => emoji(name));

// Stored text as its author typed it: mentions by name, links bare.
export function typed(text) {
  const plain = text.replace(/<([^<>]+)>/g, (whole, inside) => {
    const [target, label] = inside.split("|");
    if (target.startsWith("@")) return `@${person(target.slice(1)).name}`;
    if (target.startsWith("#")) return `#${label || channel(target.slice(1))}`;
    return target.startsWith("!") ? `@${target.slice(1)}` : target;
  });
  return unescape(plain);
}

// Nodes of a text object.
export function text(object) {
  if (!object) return [];
  if (object.type === "mrkdwn") return mrkdwn(object.text);
  return [object.emoji === false ? object.text : withEmoji(object.text)];
}
