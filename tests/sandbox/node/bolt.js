// @slack/bolt over Socket Mode: its README and the pages on its concepts.
const assert = require("node:assert/strict");
const { App, Assistant } = require("@slack/bolt");
const { APP, BOT, api, get, heard, human, page, say, seen, silent } = require("./desk.js");

const HELP = "C0HELP";
const words = (text) => ({ type: "plain_text", text });
const button = { type: "button", action_id: "go", value: "1", text: words("Go") };
const menu = { type: "external_select", action_id: "pick", min_query_length: 0, placeholder: words("Pick") };
const card = (element) => ({ channel: HELP, text: "a card", blocks: [{ type: "actions", elements: [element] }] });
const field = { type: "input", block_id: "why", label: words("Why"), element: { type: "plain_text_input", action_id: "text" } };
const view = { type: "modal", callback_id: "form", title: words("Form"), submit: words("Send"), blocks: [field] };
const given = { why: { text: "because" } };

// A test with a running app of its own.
function withApp(use) {
  return async () => {
    const app = new App({ token: BOT, appToken: APP, socketMode: true, logger: silent, clientOptions: { slackApiUrl: api } });
    await app.start();
    try {
      await use(app);
    } finally {
      await app.stop();
    }
  };
}

const command = (more) => human("command", { channel: HELP, command: "/ask", text: "why", ...more });
const post = (app, message) => app.client.chat.postMessage(message);

// What the person presses, as the listener of the button hears it; it does `act` first.
async function pressed(app, act, more) {
  const [hear, first] = heard("the press");
  app.action("go", async (args) => {
    await args.ack();
    await act?.(args);
    hear(args);
  });
  const { ts } = await post(app, card(button));
  await human("press", { action_id: "go", message_ts: ts, ...more });
  return [await first, ts];
}

// The person's answer to a dialog that a command opens.
async function submitted(app, submission) {
  const [hear, opened] = heard("the dialog");
  app.command("/ask", async ({ ack, body, client }) => {
    await ack();
    hear(await client.views.open({ trigger_id: body.trigger_id, view }));
  });
  app.view("form", submission);
  await command();
  const view_id = (await opened).view.id;
  return human("submit", { view_id, values: given });
}

module.exports = {
  "message hears what matches its pattern, with say and context.matches": withApp(async (app) => {
    const [hear, said] = heard("the answer");
    app.message(/^need (\w+)/, async ({ context, say: answer }) => hear(await answer(`take ${context.matches[1]}`)));
    await say("nothing for it");
    await say("need help");
    assert.equal((await said).message.text, "take help");
  }),
  "event hears app_mention, with the app's identity in context": withApp(async (app) => {
    const [hear, first] = heard("the mention");
    app.event("app_mention", async ({ context, event }) => hear({ context, event }));
    await say("@Triage hello");
    const { context, event } = await first;
    assert.equal(event.user, "U0ANA");
    assert.deepEqual([context.botUserId, context.botId, context.teamId], ["U0TRIAGE", "B0TRIAGE", "T0SANDBOX"]);
  }),
  "an app does not hear its own messages": withApp(async (app) => {
    const heardTexts = [];
    const [hear, last] = heard("the last message");
    app.message(async ({ message }) => heardTexts.push(message.text) && message.text === "theirs" && hear());
    await post(app, { channel: HELP, text: "mine" });
    await say("theirs");
    await last;
    assert.deepEqual(heardTexts, ["theirs"]);
  }),
  "action hears a button, with its value and say": withApp(async (app) => {
    const [{ action, body }, ts] = await pressed(app, ({ say: answer }) => answer("done"));
    assert.deepEqual([action.value, body.user.id, body.message.ts], ["1", "U0ANA", ts]);
    assert.equal((await seen()).at(-1).text, "done");
  }),
  "respond answers one person in an ephemeral message": withApp(async (app) => {
    const open = await page();
    await pressed(app, ({ respond }) => respond("between us"));
    await open.until((messages) => messages.some((each) => each.text === "between us"), "the ephemeral message");
    open.close();
    assert.ok(!(await seen("U0OPS")).some((each) => each.text === "between us"));
  }),
  "respond with in_channel answers everybody": withApp(async (app) => {
    await pressed(app, ({ respond }) => respond({ response_type: "in_channel", text: "for all" }));
    assert.equal((await seen("U0OPS")).at(-1).text, "for all");
  }),
  "respond with replace_original changes the message": withApp(async (app) => {
    const [, ts] = await pressed(app, ({ respond }) => respond({ replace_original: true, text: "settled" }));
    assert.equal((await seen()).find((each) => each.ts === ts).text, "settled");
  }),
  "respond with delete_original takes the message away": withApp(async (app) => {
    const [, ts] = await pressed(app, ({ respond }) => respond({ delete_original: true }));
    assert.ok(!(await seen()).some((each) => each.ts === ts));
  }),
  "command is answered by ack": withApp(async (app) => {
    app.command("/ask", ({ ack, command: asked }) => ack(`you asked ${asked.text}`));
    assert.equal((await command()).response.text, "you asked why");
  }),
  "a global and a message shortcut are heard by callback_id": withApp(async (app) => {
    const kinds = [];
    app.shortcut("short", async ({ ack, shortcut }) => {
      kinds.push(shortcut.type);
      await ack();
    });
    const { ts } = await say("take this");
    await human("shortcut", { callback_id: "short" });
    await human("shortcut", { callback_id: "short", channel: HELP, ts });
    assert.deepEqual(kinds, ["shortcut", "message_action"]);
  }),
  "view hears what was submitted, and ack closes the dialog": withApp(async (app) => {
    const [hear, values] = heard("the submission");
    const answer = await submitted(app, async ({ ack, view: sent }) => {
      await ack();
      hear(sent.state.values);
    });
    assert.equal((await values).why.text.value, "because");
    assert.ok(answer.ok);
  }),
  "ack with errors keeps the dialog open": withApp(async (app) => {
    const errors = { why: "say more" };
    const answer = await submitted(app, ({ ack }) => ack({ response_action: "errors", errors }));
    assert.deepEqual(answer.errors, errors);
  }),
  "ack with update shows another view": withApp(async (app) => {
    const second = { ...view, title: words("Second") };
    await submitted(app, ({ ack }) => ack({ response_action: "update", view: second }));
    assert.equal((await get("/human/view?user=U0ANA")).views.at(-1).title.text, "Second");
  }),
  "options answers an external menu": withApp(async (app) => {
    const options = [{ text: words("One"), value: "one" }];
    app.options("pick", ({ ack, payload }) => ack({ options: payload.value === "o" ? options : [] }));
    const { ts } = await post(app, card(menu));
    const offered = await human("suggest", { action_id: "pick", message_ts: ts, text: "o" });
    assert.deepEqual(offered.options, options);
  }),
  "global middleware runs in order, before the listener's own": withApp(async (app) => {
    const order = [];
    const step = (name) => async ({ next }) => order.push(name) && next();
    app.use(step("first"));
    app.use(step("second"));
    app.command("/ask", step("own"), async ({ ack }) => order.push("listener") && ack());
    await command();
    assert.deepEqual(order, ["first", "second", "own", "listener"]);
  }),
  "the error handler hears what a listener throws": withApp(async (app) => {
    const [hear, error] = heard("the error");
    app.error(async (thrown) => hear(thrown));
    app.message("break", async () => {
      throw new Error("broken");
    });
    await say("break it");
    assert.match((await error).message, /broken/);
  }),
  "Assistant hears a chat begin and what is said in it": withApp(async (app) => {
    const [began, thread] = heard("the chat");
    const [hear, answered] = heard("the message");
    app.assistant(
      new Assistant({
        threadStarted: async ({ setSuggestedPrompts, say: greet }) => {
          await greet("hello");
          began(await setSuggestedPrompts({ prompts: [{ title: "Ask", message: "why?" }] }));
        },
        userMessage: async ({ message, say: reply, setStatus }) => {
          await setStatus("thinking");
          hear([message.text, await reply("so")]);
        },
      }),
    );
    const { channel, thread_ts } = await human("assistant", { channel: HELP });
    assert.ok((await thread).ok);
    await human("say", { channel, thread_ts, text: "why?" });
    const [text, reply] = await answered;
    assert.deepEqual([text, reply.message.thread_ts], ["why?", thread_ts]);
  }),
};
