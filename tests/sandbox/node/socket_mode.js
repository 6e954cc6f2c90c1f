// @slack/socket-mode: its README and the page on Socket Mode.
const assert = require("node:assert/strict");
const { SocketModeClient } = require("@slack/socket-mode");
const { APP, BOT, api, fault, heard, human, say, silent } = require("./desk.js");

// A client that waits only briefly before it connects again.
const made = (more) =>
  new SocketModeClient({ appToken: APP, logger: silent, clientPingTimeout: 200, clientOptions: { slackApiUrl: api }, ...more });

// Uses a client that is connected; it acknowledges every event unless the test does so itself.
async function connected(use, { acknowledges = true, ...more } = {}) {
  const client = made(more);
  if (acknowledges) client.on("slack_event", ({ type, ack }) => type === "events_api" && ack());
  await client.start();
  try {
    await use(client);
  } finally {
    await client.disconnect();
  }
}

// What a client hears first of this name, acknowledged.
function acknowledged(client, name, answer) {
  const [hear, first] = heard(name);
  client.on(name, async (args) => {
    await args.ack(answer);
    hear(args);
  });
  return first;
}

const command = (more) => human("command", { channel: "C0HELP", command: "/ask", text: "why", ...more });

async function comesBack(wish) {
  await connected(async (client) => {
    const [hear, again] = heard("connected");
    client.once("connected", hear);
    await fault({ kind: "disconnect", ...wish });
    await again;
    const message = acknowledged(client, "message");
    await say("after it");
    assert.equal((await message).event.text, "after it");
  });
}

module.exports = {
  "start resolves when hello has come": async () => {
    const client = made();
    const answer = await client.start();
    assert.ok(answer.url.startsWith("ws"));
    await client.disconnect();
  },
  "connecting comes before connected": async () => {
    const client = made();
    const states = [];
    for (const state of ["connecting", "connected"]) client.on(state, () => states.push(state));
    await client.start();
    await client.disconnect();
    assert.deepEqual(states, ["connecting", "connected"]);
  },
  "disconnect ends in disconnected and nothing reconnects": async () => {
    const client = made();
    const states = [];
    for (const state of ["disconnecting", "disconnected", "reconnecting"]) client.on(state, () => states.push(state));
    await client.start();
    await client.disconnect();
    assert.deepEqual(states, ["disconnecting", "disconnected"]);
  },
  "an event is emitted by its type, with event and body": () =>
    connected(async (client) => {
      const message = acknowledged(client, "message");
      await say("by type");
      const { event, body } = await message;
      assert.deepEqual([event.text, body.type, body.team_id], ["by type", "event_callback", "T0SANDBOX"]);
    }),
  "slack_event is emitted for every envelope": () =>
    connected(async (client) => {
      const any = acknowledged(client, "slack_event");
      await say("any");
      assert.equal((await any).type, "events_api");
    }),
  "only what people do accepts a response payload": () =>
    connected(async (client) => {
      const message = acknowledged(client, "message");
      await say("plain");
      const asked = acknowledged(client, "slash_commands");
      await command();
      assert.deepEqual([(await message).accepts_response_payload, (await asked).accepts_response_payload], [false, true]);
    }),
  "ack without a payload settles a command in silence": () =>
    connected(async (client) => {
      acknowledged(client, "slash_commands");
      assert.deepEqual(await command(), { ok: true, response: null });
    }),
  "ack with a payload answers the command": () =>
    connected(async (client) => {
      acknowledged(client, "slash_commands", { text: "because" });
      assert.equal((await command()).response.text, "because");
    }),
  "a press is emitted as interactive": () =>
    connected(async (client) => {
      const button = { type: "button", action_id: "go", text: { type: "plain_text", text: "Go" } };
      await client.webClient.chat.postMessage({
        token: BOT,
        channel: "C0HELP",
        text: "a card",
        blocks: [{ type: "actions", elements: [button] }],
      });
      const pressed = acknowledged(client, "interactive");
      await human("press", { action_id: "go" });
      assert.equal((await pressed).body.type, "block_actions");
    }),
  "refresh_requested leads to a new connection": () => comesBack({ reason: "refresh_requested" }),
  "a warning leads to a new connection": () => comesBack({ reason: "warning" }),
  "a connection that is cut is opened again": () => comesBack({}),
  "what was not acknowledged comes again after a reconnect": () =>
    connected(
      async (client) => {
        const [hear, first] = heard("the first attempt");
        client.once("message", hear);
        await say("once more");
        assert.equal((await first).retry_num, 0);
        const again = acknowledged(client, "message");
        await fault({ kind: "disconnect" });
        const { event, retry_num } = await again;
        assert.deepEqual([event.text, retry_num], ["once more", 1]);
      },
      { acknowledges: false },
    ),
  "without autoReconnectEnabled a client stays disconnected": async () => {
    const client = made({ autoReconnectEnabled: false });
    await client.start();
    const [hear, end] = heard("disconnected");
    client.on("disconnected", () => hear(true));
    await fault({ kind: "disconnect" });
    assert.ok(await end);
  },
  "pings are answered on both sides, so the connection stays": () =>
    connected(
      async (client) => {
        let lost = false;
        client.on("close", () => (lost = true));
        await new Promise((resolve) => setTimeout(resolve, 1200));
        assert.ok(!lost);
      },
      { serverPingTimeout: 800, clientPingTimeout: 400 },
    ),
  "a wrong app token is not tried again": async () => {
    await assert.rejects(made({ appToken: "xapp-other" }).start(), (error) => error.data.error === "invalid_auth");
  },
};
