// Markdown block as nodes; HTML in it stays text.

import { el, link } from "./dom.js";
import { around, fenced, withEmoji } from "./text.js";

const INLINE = new RegExp(
  [
    "`(?<code>[^`\\n]+)`",
    "\\*\\*(?<bold>(?:[^*\\n]|\\*(?!\\*))+)\\*\\*",
    "__(?<strong>[^_\\n]+)__",
    "~~(?<strike>[^~\\n]+)~~",
    "!?\\[(?<label>[^\\]\\n]*)\\]\\((?<url>[^)\\s]+)\\)",
    "(?<bare>https?://[^\\s<>)]*[^\\s<>).,;:!?'\"])",
    "(?<![\\w*])\\*(?=\\S)(?<star>[^*\\n]+)\\*(?!\\w)",
    "(?<![\\w_])_(?=\\S)(?<italic>[^_\\n]+)_(?!\\w)",
  ].join("|"),
  "g",
);
const TAGS = { bold: "strong", strong: "strong", strike: "s", star: "em", italic: "em" };
const ITEM = /^(?<indent>\s*)(?<mark>[-*+]|\d{1,9}[.)])\s+(?<text>.*)$/;

export function markdown(source) {
  const above = [];
  return fenced(source, /^ {0,3}(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n? {0,3}\1[ \t]*$/gm, (match) => el("pre", {}, match[2]), (part) => prose(part, above));
}

// `above` are the depths of the headings that the next one may stand below.
function prose(source, above) {
  const nodes = [];
  const lines = source.split("\n");
  while (lines.length) {
    const line = lines[0];
    const heading = line.match(/^(#{1,6})\s+(.*?)\s*#*$/);
    if (!line.trim()) lines.shift();
    else if (heading) nodes.push(titled(heading[1].length, above, words(heading[2]))) && lines.shift();
    else if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line)) nodes.push(el("hr")) && lines.shift();
    else if (ITEM.test(line)) nodes.push(...list(taken(lines, (each) => ITEM.test(each) || /^\s+\S/.test(each))));
    else if (/^ {0,3}>/.test(line)) nodes.push(el("blockquote", {}, ...prose(taken(lines, (each) => /^ {0,3}>/.test(each)).map((each) => each.replace(/^ {0,3}> ?/, "")).join("\n"), above)));
    else if (/^\s*\|.*\|\s*$/.test(line) && /^\s*\|[\s:|-]+\|\s*$/.test(lines[1] || "")) nodes.push(table(taken(lines, (each) => /^\s*\|.*\|\s*$/.test(each))));
    else nodes.push(paragraph(lines));
  }
  return nodes;
}

// To a screen reader no level is left out, whatever depth the text begins at; the page's title is the first.
function titled(depth, above, content) {
  while (above.at(-1) >= depth) above.pop();
  above.push(depth);
  return el("div", { class: `heading h${depth}`, role: "heading", "aria-level": String(above.length + 1) }, ...content);
}

function taken(lines, belongs) {
  let count = 1;
  while (count < lines.length && belongs(lines[count])) count += 1;
  return lines.splice(0, count);
}

function paragraph(lines) {
  const own = taken(lines, (each) => each.trim() && !/^(#{1,6}\s| {0,3}>)/.test(each) && !ITEM.test(each));
  return el("p", {}, ...words(own.join("\n")));
}

function list(lines) {
  const roots = [];
  const open = [];
  for (const line of lines) {
    const item = line.match(ITEM)?.groups;
    if (!item) {
      open.at(-1).node.lastElementChild.append("\n", ...words(line.trim()));
      continue;
    }
    const indent = item.indent.length;
    while (open.length && open.at(-1).indent > indent) open.pop();
    if (!open.length || open.at(-1).indent < indent) {
      const node = /\d/.test(item.mark) ? el("ol", { start: Number.parseInt(item.mark, 10) }) : el("ul");
      if (open.length) open.at(-1).node.lastElementChild.append(node);
      else roots.push(node);
      open.push({ node, indent });
    }
    open.at(-1).node.append(el("li", {}, ...task(item.text)));
  }
  return roots;
}

function task(source) {
  const box = source.match(/^\[([ xX])\]\s+(.*)$/);
  return box ? [box[1] === " " ? "☐ " : "☑ ", ...words(box[2])] : words(source);
}

function table([head, , ...rows]) {
  const cells = (row) => row.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  const line = (row, tag) => el("tr", {}, ...cells(row).map((cell) => el(tag, {}, ...words(cell))));
  return el("div", { class: "wide" }, el("table", {}, el("thead", {}, line(head, "th")), el("tbody", {}, ...rows.map((row) => line(row, "td")))));
}

function words(source) {
  return around(source, INLINE, marked, (part) => withEmoji(part.replace(/\\([\\`*_~[\]()#>+.!-])/g, "$1")));
}

function marked(groups) {
  if (groups.code !== undefined) return el("code", {}, groups.code);
  if (groups.url !== undefined) return link(groups.url, ...words(groups.label || groups.url));
  if (groups.bare !== undefined) return link(groups.bare, groups.bare);
  const kind = Object.keys(TAGS).find((name) => groups[name] !== undefined);
  return el(TAGS[kind], {}, ...words(groups[kind]));
}
