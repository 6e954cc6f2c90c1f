// Attached parts of a message: files with a preview, attachments with their text and blocks.

import { renderBlocks } from "./blocks.js";
import { el, link } from "./dom.js";
import { state } from "./state.js";
import { mrkdwn } from "./text.js";

export const attached = (message, press, level) => [
  ...(message.files || []).map(file),
  ...(message.attachments || []).map((each) => attachment(each, press, level)),
];

function file(each) {
  const own = URL.canParse(each.url_private) ? new URL(each.url_private) : null;
  const address = own?.origin === location.origin ? `${own.pathname}?${new URLSearchParams({ user: state.user })}` : null;
  const name = each.title || each.name || each.id || "file";
  return el("figure", { class: "file" },
    el("figcaption", {}, "📄 ", address ? el("a", { href: address, download: each.name }, name) : name, each.pretty_type ? el("small", {}, ` · ${each.pretty_type}`) : null),
    each.preview ? el("pre", {}, each.preview, each.lines_more ? `\n… ${each.lines_more} more lines` : "") : null);
}

function attachment(each, press, level) {
  const title = each.title ? el("b", {}, each.title_link ? link(each.title_link, each.title) : each.title) : null;
  const fields = (each.fields || []).map((field) => el("div", {}, el("b", {}, field.title || ""), " ", ...mrkdwn(String(field.value ?? ""))));
  const words = each.text || (title || fields.length || each.blocks ? "" : each.fallback || "");
  return el("div", { class: "attachment" },
    each.pretext ? el("div", {}, ...mrkdwn(each.pretext)) : null,
    each.author_name ? el("small", {}, each.author_name) : null,
    title, words ? el("div", {}, ...mrkdwn(words)) : null, ...fields,
    ...(each.blocks ? renderBlocks(each.blocks, press, level) : []),
    each.footer ? el("small", {}, each.footer) : null);
}
