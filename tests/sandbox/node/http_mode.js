// @slack/bolt with its HTTP receiver: the signature, the address, and the answers of HTTP mode.
const assert = require("node:assert/strict");
const { App } = require("@slack/bolt");
const { BOT, api, heard, human, say, silent } = require("./desk.js");

const port = Number(process.env.APP_PORT);
const here = `http://127.0.0.1:${port}`;

// A test with a running app on the port that the workspace sends to.
function withApp(use, more) {
  return async () => {
    const signingSecret = process.env.SIGNING_SECRET;
    const clientOptions = { slackApiUrl: api };
    const app = new App({ token: BOT, signingSecret, logger: silent, clientOptions, ...more });
    await app.start(port);
    try {
      await use(app);
    } finally {
      await app.stop();
    }
  };
}

const command = () => human("command", { channel: "C0HELP", command: "/ask", text: "why" });

module.exports = {
  "a signed event reaches its listener on the port of start": withApp(async (app) => {
    const [hear, text] = heard("the message");
    app.message(async ({ message }) => hear(message.text));
    await say("over HTTP");
    assert.equal(await text, "over HTTP");
  }),
  "a command is answered in the response": withApp(async (app) => {
    app.command("/ask", ({ ack }) => ack("because"));
    assert.equal((await command()).response.text, "because");
  }),
  "a request with another signature is refused": withApp(async (app) => {
    const forged = { "X-Slack-Signature": "v0=00", "X-Slack-Request-Timestamp": `${Math.floor(Date.now() / 1000)}` };
    const headers = { "Content-Type": "application/json", ...forged };
    const answer = await fetch(`${here}/slack/events`, { method: "POST", headers, body: "{}" });
    assert.equal(answer.status, 401);
  }),
  "an app with another secret hears nothing of the workspace": withApp(
    async (app) => {
      app.command("/ask", ({ ack }) => ack("forged"));
      assert.ok(!(await command()).ok);
    },
    { signingSecret: "another" },
  ),
  "custom routes are served beside the events": withApp(
    async () => assert.equal(await (await fetch(`${here}/health`)).text(), "well"),
    { customRoutes: [{ path: "/health", method: "GET", handler: (_, answer) => answer.end("well") }] },
  ),
};
