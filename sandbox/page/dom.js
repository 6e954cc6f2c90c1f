// Nodes, calls and notices. Text only ever enters the document as text nodes: nothing here parses HTML.

export const $ = (id) => document.getElementById(id);

export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  const shown = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== "");
  node.append(...shown);
  return node;
}

const SAFE = /^(https?:|mailto:)/i;

// Only web addresses become links; other link targets of apps stay text.
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

// Loads one of the workspace's lists; null if it is not available.
export async function listed(path, name) {
  try {
    const answer = await fetch(path);
    return answer.ok ? (await answer.json())[name] : null;
  } catch {
    return null;
  }
}

export function notice(text) {
  const node = el("div", { class: "notice" }, text);
  const notices = $("notices");
  notices.append(node);
  // Showing it again puts it above a dialog opened in the meantime.
  if (notices.matches(":popover-open")) notices.hidePopover();
  notices.showPopover();
  setTimeout(() => node.remove(), 6000);
}

// Announcements for screen readers only.
export function announce(text) {
  $("announcer").textContent = text;
}

export const plainText = (object) => (object && object.text) || "";

// Replaces a container's content and keeps the focus: on the same control of the same message, else on that message,
// else on the container. Never on a similar control elsewhere: the next Enter would decide on something else.
export function keepingFocus(container, change) {
  const active = container.contains(document.activeElement) ? document.activeElement : null;
  const message = active?.closest("li.message");
  const { action, value, key } = active?.dataset || {};
  change();
  if (!active || active.isConnected) return;
  const named = (name, wanted) => (wanted === undefined ? "" : `[data-${name}="${CSS.escape(wanted)}"]`);
  const control = named("key", key) || (action && named("action", action) + (named("value", value) || ":not([data-value])"));
  const place = message?.isConnected ? message : container;
  const same = control && (!message || message.isConnected) && place.querySelector(control);
  (same || place).focus({ preventScroll: true });
}
