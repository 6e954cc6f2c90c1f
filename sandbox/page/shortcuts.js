// The app's shortcuts: on a message, from its menu, or anywhere, from the composer after `/`.

import { call, notice } from "./dom.js";
import { state } from "./state.js";

export async function runShortcut(shortcut, message = null) {
  const on = message ? { channel: state.channel, ts: message.ts } : {};
  const answer = await call("/human/shortcut", { user: state.user, callback_id: shortcut.callback_id, ...on });
  if (!answer.ok || answer.acked === false) notice(`${shortcut.name} failed: ${answer.error || "the app did not answer"}.`);
}
