// Nodes, calls and notices. Text only ever enters the document as text nodes: nothing here parses HTML.

export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

const SAFE = /^(https?:|mailto:)/i;

export function link(url, ...children) {
  if (!SAFE.test(url)) return el("span", {}, ...children);
  if (url.startsWith(`${location.origin}/archives/`)) return el("a", { href: url, "data-here": true }, ...children);
  return el("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, ...children);
}

export async function call(path, body) {
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return await answer.json();
  } catch {
    return { ok: false, error: "the workspace does not answer" };
  }
}

export function notice(text) {
  const node = el("div", { class: "notice" }, text);
  const notices = document.getElementById("notices");
  notices.append(node);
  // Shown anew, it lies above a dialog that was opened in the meantime.
  if (notices.matches(":popover-open")) notices.hidePopover();
  notices.showPopover();
  setTimeout(() => node.remove(), 6000);
}

export const plainText = (object) => (object && object.text) || "";
