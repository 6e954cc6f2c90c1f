// Sidebar: conversations, the acting person, and people's presence.

import { addressOf } from "./address.js";
import { $, call, el, keepingFocus, notice } from "./dom.js";
import { humans, isAway, nameOf, person } from "./names.js";
import { state } from "./state.js";
import { unread, waitsFor } from "./unread.js";

const drawn = {};
const shown = new WeakMap();

// Removes the previous person's conversations.
export function forgetPlaces() {
  delete drawn.places;
  $("places").replaceChildren();
}

// Renders only after a change.
function redraw(id, facts, make) {
  const now = JSON.stringify(facts);
  if (drawn[id] === now) return;
  drawn[id] = now;
  keepingFocus($(id), () => $(id).replaceChildren(...make()));
}

const dot = (id) => el("span", { class: `dot ${isAway(id) ? "away" : ""}`, role: "img", "aria-label": isAway(id) ? "away" : "active" });

export function drawPlaces(screen) {
  const isApp = (place) => Boolean(place.with && person(place.with).is_bot);
  const groups = [
    ["Channels", screen.channels],
    ["Direct messages", screen.dms.filter((place) => !isApp(place))],
    ["Apps", screen.dms.filter(isApp)],
  ].filter(([, places]) => places.length);
  const order = groups.map(([name, places]) => [name, places.map((each) => each.id)]);
  redraw("places", [order, state.user], () => groups.flatMap(([name, places], index) => {
    const id = `places-${index}`;
    return [el("h2", { id }, name), el("ul", { "aria-labelledby": id }, ...places.map((place) => el("li", {}, entry(place))))];
  }));
  for (const place of groups.flatMap(([, places]) => places)) refresh($("places").querySelector(`[data-key="${CSS.escape(place.id)}"]`), place);
}

function entry(place) {
  return el("a", { href: addressOf({ channel: place.id }), "data-here": true, "data-key": place.id });
}

// Updates in place, since a link replaced during a click is not followed.
function refresh(node, place) {
  const count = unread(place);
  const isHere = place.id === state.channel;
  const facts = JSON.stringify([nameOf(place), count, isHere, place.with && isAway(place.with)]);
  if (shown.get(node) === facts) return;
  shown.set(node, facts);
  node.classList.toggle("unread", count > 0);
  if (isHere) node.setAttribute("aria-current", "page");
  else node.removeAttribute("aria-current");
  node.replaceChildren(
    place.with ? dot(place.with) : el("span", { class: "hash", "aria-hidden": "true" }, place.is_private ? "🔒" : "#"),
    el("span", { class: "name" }, place.with ? person(place.with).name : place.name),
    ...(count ? [el("mark", { "aria-label": `${count} unread` }, count > 99 ? "99+" : String(count))] : []),
  );
}

export function drawWhom(become) {
  const facts = humans().map((each) => [each.id, each.name, each.title, isAway(each.id), waitsFor(each.id)]);
  redraw("whom", [facts, state.user], () => [
    el("h2", { id: "whom-title" }, "You are"),
    ...humans().map(({ id, name, title }) =>
      el("button", { type: "button", class: "who", "data-key": id, "aria-pressed": String(id === state.user), onclick: () => become(id) },
        el("span", { class: `avatar ${id}`, "aria-hidden": "true" }, name[0], dot(id)),
        el("span", { class: "name" }, name), el("small", {}, title, isAway(id) ? el("span", { class: "aside" }, ", away") : null),
        waitsFor(id) ? el("span", { class: "waits", role: "img", "aria-label": "something waits", title: "Something waits in the direct messages" }) : null)),
    el("button", { type: "button", class: "presence quiet", "data-key": "presence", onclick: toggle },
      isAway(state.user) ? "Set yourself as active" : "Set yourself as away"),
  ]);
}

async function toggle() {
  const answer = await call("/human/presence", { user: state.user, active: isAway(state.user) });
  if (!answer.ok) notice(`That did not work: ${answer.error}`);
}
