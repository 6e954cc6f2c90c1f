// Menu of a button, with arrow keys, Enter and Escape; afterwards the button has the focus again.

import { el } from "./dom.js";

let open = null;

export function closeMenu({ refocus = true } = {}) {
  if (!open) return;
  const { node, anchor } = open;
  open = null;
  node.remove();
  anchor.setAttribute("aria-expanded", "false");
  if (refocus && anchor.isConnected) anchor.focus({ preventScroll: true });
}

// `items` are {label, act, danger?, hint?}; null is a line between groups.
export function openMenu(anchor, items, { label, grid = false } = {}) {
  const again = open?.anchor === anchor;
  closeMenu();
  if (again) return;
  const buttons = items.map((item) => (item ? entry(item) : el("hr", { role: "separator" })));
  const node = el("div", { class: `menu ${grid ? "grid" : ""}`, role: "menu", "aria-label": label, popover: "manual" }, ...buttons);
  // A screen reader's way by landmarks comes to the menu; and inside an open dialog everything else is inert.
  anchor.closest("dialog, main, #thread").append(node);
  node.showPopover();
  place(node, anchor);
  node.addEventListener("keydown", keys);
  open = { node, anchor };
  anchor.setAttribute("aria-expanded", "true");
  entries()[0]?.focus();
}

function entry({ label, act, danger, hint, title }) {
  const chosen = () => { closeMenu(); act(); };
  return el("button", { type: "button", role: "menuitem", tabindex: "-1", class: danger ? "danger" : undefined, "aria-label": title, title, onclick: chosen },
    el("span", {}, label), hint ? el("small", {}, hint) : null);
}

const entries = () => [...(open?.node.querySelectorAll("[role=menuitem]") || [])];

function place(node, anchor) {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = node;
  const below = at.bottom + 4 + height <= innerHeight;
  node.style.top = `${Math.max(8, below ? at.bottom + 4 : at.top - 4 - height)}px`;
  node.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`;
}

function keys(event) {
  const all = entries();
  const at = all.indexOf(document.activeElement);
  const steps = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: -1 };
  if (event.key in steps) all.at(steps[event.key] % all.length)?.focus();
  else if (event.key === "Escape") closeMenu();
  else if (event.key === "Tab") return closeMenu();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

document.addEventListener("pointerdown", (event) => {
  if (open && !open.node.contains(event.target) && !open.anchor.contains(event.target)) closeMenu({ refocus: false });
});
window.addEventListener("resize", () => closeMenu({ refocus: false }));
