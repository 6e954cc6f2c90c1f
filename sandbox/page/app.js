// The page as a whole: where we are (kept in the address), what we see (pushed by the workspace), what we write.

import { showDialog } from "./dialog.js";
import { call, el, notice } from "./dom.js";
import { MessageList } from "./messages.js";
import { humans, names, person } from "./names.js";

const $ = (id) => document.getElementById(id);
const state = { user: null, channel: null, thread: null, target: null, screen: null };
const channelList = new MessageList($("messages"), { openThread });
const replyList = new MessageList($("replies"), { openThread });
channelList.redraw = replyList.redraw = () => draw();

// Where we are

function readAddress() {
  const [, , channel, message] = location.pathname.split("/");
  const query = new URLSearchParams(location.search);
  state.user = query.get("as") || localStorage.getItem("as") || "U0ANA";
  if (!(state.user in names.people)) state.user = "U0ANA";
  state.channel = channel || "C0HELP";
  state.target = message ? message.replace(/^p(\d+)(\d{6})$/, "$1.$2") : null;
  state.thread = query.get("thread_ts");
  localStorage.setItem("as", state.user);
}

function go({ user = state.user, channel = state.channel, thread = null }, replace = false) {
  const query = new URLSearchParams({ as: user });
  if (thread) query.set("thread_ts", thread);
  const address = `/archives/${channel}?${query}`;
  history[replace ? "replaceState" : "pushState"](null, "", address);
  arrive();
}

function arrive() {
  const before = state.user;
  readAddress();
  if (before !== state.user || !stream) connect();
  draw();
}

function openThread(ts) {
  go({ thread: ts });
  $("reply").querySelector("textarea").focus();
}

// What we see

let stream = null;

function connect() {
  stream?.close();
  state.screen = null;
  stream = new EventSource(`/human/stream?user=${encodeURIComponent(state.user)}`);
  const current = stream;
  stream.onopen = () => { $("link").textContent = ""; };
  stream.onmessage = (event) => {
    state.screen = JSON.parse(event.data);
    names.channels = Object.fromEntries(state.screen.channels.map((each) => [each.id, each.name]));
    draw();
  };
  stream.onerror = () => {
    $("link").textContent = "reconnecting…";
    // A browser gives up after some answers; a workspace that was restarted is found again by a new stream.
    if (current.readyState === EventSource.CLOSED) setTimeout(() => current === stream && connect(), 1000);
  };
}

function conversation(id = state.channel) {
  const { screen } = state;
  return screen && [...screen.channels, ...screen.dms].find((each) => each.id === id);
}

function draw() {
  drawWhom();
  if (!state.screen) return;
  if (state.thread && !root() && conversation()) state.thread = null;
  markSeen();
  drawPlaces();
  drawMessages();
  drawThread();
  showDialog(state.screen.views, state.user);
  point();
}

const nameOf = (place) => (place.name ? `# ${place.name}` : person(place.with).name);
const root = () => conversation()?.messages.find((message) => message.ts === state.thread);

function context(extra) {
  const { user, channel } = state;
  return { user, channel, place: `${user} ${channel} ${extra.root || ""}`, ...extra };
}

function drawMessages() {
  const place = conversation();
  $("title").textContent = place ? nameOf(place) : "Not here";
  document.title = place ? `${nameOf(place)} · Sandbox` : "Sandbox";
  $("composer").hidden = !place;
  const area = $("composer").querySelector("textarea");
  area.placeholder = place ? `Message ${nameOf(place).replace("# ", "#")} as ${person(state.user).name}` : "";
  $("messages").classList.toggle("empty", Boolean(place) && !place.messages.length);
  if (place) channelList.show(place.messages, context({ inThread: false }));
  else $("messages").replaceChildren(el("li", { class: "day" }, `${person(state.user).name} cannot see this conversation.`));
  if (!place) channelList.nodes.clear();
}

function drawThread() {
  const first = root();
  $("thread").hidden = !first;
  document.body.classList.toggle("with-thread", Boolean(first));
  if (first) replyList.show([{ ...first, replies: [] }, ...first.replies], context({ inThread: true, root: first.ts }));
}

function drawPlaces() {
  const entry = (place) => {
    const count = unread(place);
    const here = place.id === state.channel;
    const href = `/archives/${place.id}?as=${state.user}`;
    return el("a", { href, "data-here": true, class: count ? "unread" : "", "aria-current": here ? "page" : undefined },
      el("span", {}, nameOf(place)), count ? el("mark", { "aria-label": `${count} unread` }, count) : null);
  };
  const { channels, dms } = state.screen;
  const drawn = JSON.stringify([channels, dms].map((group) => group.map((each) => [each.id, unread(each)])).concat(state.channel, state.user));
  if ($("places").dataset.drawn === drawn) return;
  $("places").dataset.drawn = drawn;
  $("places").replaceChildren(el("h2", {}, "Channels"), ...channels.map(entry), el("h2", {}, "Direct messages"), ...dms.map(entry));
}

function drawWhom() {
  if ($("whom").dataset.drawn === state.user) return;
  $("whom").dataset.drawn = state.user;
  $("whom").replaceChildren(el("h2", {}, "You are"), ...humans().map(({ id, name, title }) =>
    el("button", { type: "button", "aria-pressed": String(id === state.user), onclick: () => become(id) },
      el("span", { class: `avatar ${id}`, "aria-hidden": true }, name[0]),
      el("span", {}, name, el("small", {}, title)))));
}

function become(user) {
  const channel = state.channel.startsWith("C") ? state.channel : `D${user.slice(1)}`;
  go({ user, channel, thread: state.thread });
}

// A permalink points at one message, once it is here to be pointed at.
function point() {
  if (!state.target || !conversation()) return;
  const inThread = conversation().messages.find((message) => message.replies.some((reply) => reply.ts === state.target));
  if (inThread && state.thread !== inThread.ts) {
    state.thread = inThread.ts;
    drawThread();
  }
  if ((inThread ? replyList : channelList).highlight(state.target)) state.target = null;
}

// What is new

const seenKey = (id) => `seen ${state.user} ${id}`;
const everything = (place) => place.messages.flatMap((message) => [message, ...message.replies]);

function unread(place) {
  const seen = localStorage.getItem(seenKey(place.id)) || "0";
  return everything(place).filter((message) => message.user !== state.user && message.ts > seen).length;
}

function markSeen() {
  const place = conversation();
  if (!place || document.hidden) return;
  const last = everything(place).reduce((latest, message) => (message.ts > latest ? message.ts : latest), "0");
  localStorage.setItem(seenKey(place.id), last);
}

// What we write

async function say(area, thread_ts) {
  const text = area.value.trim();
  if (!text) return;
  area.value = "";
  fit(area);
  const { user, channel } = state;
  const command = thread_ts ? null : text.match(/^(\/[\w-]+)(?:\s+([\s\S]*))?$/);
  const answer = command
    ? await call("/human/command", { user, channel, command: command[1], text: command[2] || "" })
    : await call("/human/say", { user, channel, text, ...(thread_ts ? { thread_ts } : {}) });
  if (answer.ok) return;
  area.value = text;
  notice(answer.error === "operation_timeout" ? `${command[1]} failed: the app did not answer.` : `Not sent: ${answer.error}`);
}

function fit(area) {
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight, 220)}px`;
}

for (const [form, thread] of [[$("composer"), () => null], [$("reply"), () => state.thread]]) {
  const area = form.querySelector("textarea");
  form.addEventListener("submit", (event) => { event.preventDefault(); say(area, thread()); });
  area.addEventListener("input", () => fit(area));
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && state.thread && !document.querySelector("dialog[open]")) go({});
});
document.addEventListener("click", (event) => {
  const anchor = event.target.closest?.("a[data-here]");
  if (!anchor || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  const address = new URL(anchor.href);
  if (!address.searchParams.has("as")) address.searchParams.set("as", state.user);
  history.pushState(null, "", address);
  arrive();
});
document.addEventListener("visibilitychange", draw);
window.addEventListener("popstate", arrive);
$("thread-close").addEventListener("click", () => go({}));

async function start() {
  const { people } = await (await fetch("/human/people")).json();
  names.people = Object.fromEntries(people.map((each) => [each.id, each]));
  arrive();
}

start();
