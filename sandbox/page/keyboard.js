// Global keys: F6 moves between regions, Alt with an arrow between conversations.

import { $ } from "./dom.js";

const REGIONS = [
  () => $("places").querySelector("[aria-current]") || $("places").querySelector("a"),
  () => $("messages").querySelector("li.active") || $("home").querySelector("button, a, input, select"),
  () => $("composer").querySelector("textarea"),
  () => $("replies").querySelector("li.active"),
  () => $("reply").querySelector("textarea"),
];
const HOLDERS = ["sidebar", "messages", "composer", "replies", "reply"];

const isShown = (node) => Boolean(node?.getClientRects().length);

function nextRegion(step) {
  const here = HOLDERS.findIndex((id) => $(id).contains(document.activeElement));
  for (let count = 1; count <= REGIONS.length; count += 1) {
    const node = REGIONS.at((here + step * count + REGIONS.length * 2) % REGIONS.length)();
    if (isShown(node)) return node.focus();
  }
}

function nextPlace(step) {
  const all = [...$("places").querySelectorAll("a")];
  const here = all.findIndex((each) => each.hasAttribute("aria-current"));
  all.at((here + step + all.length) % all.length)?.click();
}

document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "F6") nextRegion(event.shiftKey ? -1 : 1);
  else if (event.altKey && event.key === "ArrowDown") nextPlace(1);
  else if (event.altKey && event.key === "ArrowUp") nextPlace(-1);
  else return;
  event.preventDefault();
});
