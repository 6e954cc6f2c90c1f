// The page's URL holds the current place, so that a reload, a link and the back button lead to the same place.

import { names } from "./names.js";
import { state } from "./state.js";

const FIRST = { user: "U0ANA", channel: "C0HELP" };

export function readAddress() {
  const [, , channel, message] = location.pathname.split("/");
  const query = new URLSearchParams(location.search);
  state.user = query.get("as") || localStorage.getItem("as") || FIRST.user;
  if (!names.people[state.user] || names.people[state.user].is_bot || names.people[state.user].is_deactivated) state.user = FIRST.user;
  state.channel = channel || FIRST.channel;
  state.target = message ? message.replace(/^p(\d+)(\d{6})$/, "$1.$2") : null;
  state.thread = query.get("thread_ts");
  state.tab = query.get("tab");
  localStorage.setItem("as", state.user);
}

export function addressOf({ user = state.user, channel = state.channel, thread = null, tab = null }) {
  const query = new URLSearchParams({ as: user });
  if (thread) query.set("thread_ts", thread);
  if (tab) query.set("tab", tab);
  return `/archives/${channel}?${query}`;
}

export function permalink(ts, rootTs) {
  const path = `${location.origin}/archives/${state.channel}/p${ts.replace(".", "")}`;
  return rootTs && rootTs !== ts ? `${path}?thread_ts=${rootTs}&cid=${state.channel}` : path;
}
