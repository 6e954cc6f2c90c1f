// @slack/webhook at a response_url: the workspace has no incoming webhooks beside it.
const assert = require("node:assert/strict");
const { SocketModeClient } = require("@slack/socket-mode");
const { IncomingWebhook, IncomingWebhookHTTPError } = require("@slack/webhook");
const { APP, api, heard, human, page, post, seen, silent } = require("./desk.js");

// The response_url of a command that Ana gives.
async function address() {
  const client = new SocketModeClient({ appToken: APP, logger: silent, clientOptions: { slackApiUrl: api } });
  const [hear, url] = heard("the command");
  client.on("slash_commands", async ({ ack, body }) => {
    await ack();
    hear(body.response_url);
  });
  await client.start();
  await human("command", { channel: "C0HELP", command: "/ask", text: "" });
  await client.disconnect();
  return url;
}

module.exports = {
  "send posts a text": async () => {
    const open = await page();
    await new IncomingWebhook(await address()).send("from the webhook");
    await open.until((messages) => messages.some((each) => each.text === "from the webhook"), "the message");
    open.close();
  },
  "what send says is added to the defaults": async () => {
    await new IncomingWebhook(await address(), { response_type: "in_channel" }).send({ text: "for all" });
    assert.equal((await seen("U0OPS")).at(-1).text, "for all");
  },
  "an address that expired is an HTTP error with its status": async () => {
    const webhook = new IncomingWebhook(await address());
    await post("/clock", { advance: 3600 });
    const isMissing = (error) => error instanceof IncomingWebhookHTTPError && error.statusCode === 404;
    await assert.rejects(webhook.send("too late"), isMissing);
  },
};
