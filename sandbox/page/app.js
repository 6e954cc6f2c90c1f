// The page as a whole: renders the state given by the URL and the stream.

import { addressOf, readAddress } from "./address.js";
import { showAssistance, titleOf } from "./assistance.js";
import { Composer } from "./composer.js";
import { leaveDialog, showDialogs } from "./dialog.js";
import { $, announce, call, el, listed } from "./dom.js";
import { showHome } from "./home.js";
import "./keyboard.js";
import { closeMenu } from "./menu.js";
import { MessageList } from "./messages.js";
import { nameOf, names, noteOf, person } from "./names.js";
import { drawPlaces, drawWhom, forgetPlaces } from "./sidebar.js";
import { conversation, everything, isHome, root, state } from "./state.js";
import { Stream } from "./stream.js";
import { unescape } from "./text.js";
import { markSeen, seenUntil, unread } from "./unread.js";

const composer = new Composer($("composer"), { thread: () => null, editLast: () => channelList.editLast() });
const reply = new Composer($("reply"), { thread: () => state.thread, editLast: () => replyList.editLast() });
const channelList = new MessageList($("messages"), { openThread, redraw: draw, leave: () => composer.focus() });
const replyList = new MessageList($("replies"), { openThread, redraw: draw, leave: () => reply.focus() });
const stream = new Stream({ seen, lost, found });
const alone = matchMedia("(max-width: 1000px)");  // as in style.css
const here = { place: null, newSince: "", heard: null, home: null };

// Current place

function go(where) {
  history.pushState(null, "", addressOf(where));
  arrive();
}

function arrive() {
  const before = { ...state };
  readAddress();
  closeMenu({ refocus: false });
  document.body.classList.remove("sidebar-open");
  $("menu-button").setAttribute("aria-expanded", "false");
  if (before.user !== state.user) {
    leaveDialog();
    state.screen = null;
    here.heard = null;
    forgetPlaces();
    stream.open(state.user);
  }
  draw();
  if (before.channel && before.channel !== state.channel && !isHome()) composer.focus();
  if (before.channel) learn().then(draw);
}

function openThread(ts) {
  go({ thread: ts });
  reply.focus();
}

function closeThread() {
  const ts = state.thread;
  go({});
  (document.getElementById(`m${ts}`)?.querySelector(".chip") || composer.area).focus();
}

function become(user) {
  const place = conversation();
  go({ user, channel: place?.with ? `D${user.slice(1)}` : state.channel, thread: place?.with ? null : state.thread, tab: state.tab });
}

// Rendering

function seen(screen) {
  state.screen = screen;
  names.channels = Object.fromEntries(screen.channels.map((each) => [each.id, each.name]));
  const presence = (active) => (active ? "active" : "away");
  names.presence = { ...names.presence, [state.user]: presence(screen.active), [names.app]: presence(screen.app_active) };
  draw();
  listen();
}

function lost() {
  document.body.classList.add("gone");
  $("link").textContent = "The workspace is gone. Looking for it…";
}

function found() {
  if (!document.body.classList.contains("gone")) return;
  document.body.classList.remove("gone");
  $("link").textContent = "";
  learn().then(draw);
}

function draw() {
  if (!state.screen) return drawWhom(become);
  const place = conversation();
  if (state.thread && place && !root()) state.thread = null;
  arrivedAt(place);
  markSeen(isHome() ? null : place, root());
  drawWhom(become);
  $("notice").textContent = state.screen.notice;
  $("notice").hidden = !state.screen.notice;
  drawPlaces(state.screen);
  drawHead(place);
  drawMessages(place);
  drawThread();
  showDialogs(state.screen.views);
  point(place);
}

// Messages that were unread on arrival are below a line until the person leaves the place.
function arrivedAt(place) {
  if (!place) return;
  const key = `${state.user} ${place.id}`;
  if (here.place !== key) Object.assign(here, { place: key, newSince: "" });
  else if (!document.hidden) return;
  const since = seenUntil(place);
  if (!here.newSince && since !== "0" && unread(place)) here.newSince = since;
}

function drawHead(place) {
  const note = place ? noteOf(place) : "";
  $("title").replaceChildren(place ? nameOf(place) : "Not here", note ? el("small", { class: "aside" }, ` · ${note}`) : "");
  const waiting = [...state.screen.channels, ...state.screen.dms].reduce((count, each) => count + unread(each), 0);
  document.title = `${waiting ? `(${waiting}) ` : ""}${place ? nameOf(place) : "Not here"} · Sandbox`;
  const isApp = Boolean(place?.with && person(place.with).is_bot);
  const tabs = $("tabs");
  tabs.hidden = !isApp;
  if (isApp) tell(isHome() ? "home" : "messages");
  for (const tab of tabs.children) {
    const name = tab.dataset.tab;
    tab.href = addressOf({ tab: name === "home" ? "home" : null });
    if ((name === "home") === isHome()) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
}

// Tells the app each time that its Home or its messages are opened.
function tell(tab) {
  const opened = `${state.user} ${tab}`;
  if (here.home === opened) return;
  here.home = opened;
  call("/human/home", { user: state.user, tab });
}

function drawMessages(place) {
  const home = isHome();
  if (!place?.with) here.home = null;
  $("home").hidden = !home;
  $("messages").hidden = home;
  $("composer").hidden = home || !place || Boolean(place.is_archived);
  $("status").hidden = home;
  if (home) return showHome(place, state.screen.home);
  composer.show(place ? `Message ${nameOf(place).replace("# ", "#")} as ${person(state.user).name}` : "");
  const messages = place ? place.messages : [];
  $("messages").classList.toggle("empty", !messages.length);
  $("messages").dataset.empty = place ? place.hint || "Nothing was said here yet." : `${person(state.user).name} cannot see this conversation.`;
  showAssistance("status", place, null);
  channelList.show(messages, { place: `${state.user} ${state.channel}`, inThread: false, newSince: here.newSince });
}

function drawThread() {
  const first = isHome() ? null : root();
  $("thread").hidden = !first;
  document.body.classList.toggle("with-thread", Boolean(first));
  if (!first) return;
  nameRegion();
  reply.show("Reply…");
  $("broadcast").hidden = Boolean(conversation().with);
  $("thread-name").textContent = titleOf(conversation(), first.ts) || "Thread";
  $("thread-place").textContent = nameOf(conversation());
  replyList.show([{ ...first, replies: [] }, ...first.replies], { place: `${state.user} ${state.channel} ${first.ts}`, inThread: true, root: first.ts, newSince: "" });
  showAssistance("thread-status", conversation(), first.ts);
}

// On a narrow screen the open thread takes the place of the main region.
function nameRegion() {
  $("thread").role = alone.matches ? "main" : "complementary";
  $("thread-title").ariaLevel = alone.matches ? "1" : "2";
}

// Highlights the message of a permalink, once it is loaded.
function point(place) {
  if (!state.target || !place) return;
  const inThread = place.messages.find((message) => (message.replies || []).some((each) => each.ts === state.target));
  if (inThread && state.thread !== inThread.ts) {
    state.thread = inThread.ts;
    drawThread();
  }
  if ((inThread ? replyList : channelList).highlight(state.target)) state.target = null;
}

// Announces new messages to screen readers, in short.
function listen() {
  const { screen } = state;
  const messages = [...screen.channels, ...screen.dms].flatMap((place) => everything(place).map((message) => ({ place, message })));
  const newest = messages.reduce((last, { message }) => (message.ts > last ? message.ts : last), "0");
  const since = here.heard;
  here.heard = newest;
  if (since === null) return;
  const { place, message } = messages.findLast((each) => each.message.ts > since && each.message.user !== state.user) || {};
  if (!message) return;
  const words = unescape((message.text || "").replace(/<([^<>|]+)(?:\|([^<>]*))?>/g, (whole, target, label) => label || ""));
  announce(`${person(message.user).name} in ${nameOf(place).replace("# ", "#")}: ${words.slice(0, 200)}`);
}

// Actions on the page itself

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  if (document.body.classList.contains("sidebar-open")) toggleSidebar();
  else if (state.thread) closeThread();
});
document.addEventListener("click", (event) => {
  const anchor = event.target.closest?.("a[data-here]");
  if (!anchor || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  const address = new URL(anchor.href);
  address.searchParams.set("as", state.user);
  history.pushState(null, "", address);
  arrive();
});

function toggleSidebar() {
  const open = document.body.classList.toggle("sidebar-open");
  $("menu-button").setAttribute("aria-expanded", String(open));
  (open ? $("places").querySelector("[aria-current], a") : $("menu-button"))?.focus();
}

$("menu-button").addEventListener("click", toggleSidebar);
$("shade").addEventListener("click", toggleSidebar);
$("thread-close").addEventListener("click", closeThread);
document.addEventListener("visibilitychange", draw);
// A person's stream does not tell about other people, so the directory is loaded again on focus.
window.addEventListener("focus", () => learn().then(draw));
window.addEventListener("popstate", arrive);
alone.addEventListener("change", nameRegion);

async function learn() {
  const [people, commands, shortcuts] = await Promise.all([
    listed("/human/people", "people"), listed("/human/commands", "commands"), listed("/human/shortcuts", "shortcuts"),
  ]);
  if (!people || !commands || !shortcuts) return;
  Object.assign(names, { commands, shortcuts, app: people.find((each) => each.is_bot)?.id });
  names.people = Object.fromEntries(people.map((each) => [each.id, each]));
  names.presence = Object.fromEntries(people.map((each) => [each.id, each.active ? "active" : "away"]));
}

async function start() {
  await learn();
  arrive();
  composer.focus();
}

start();
