// @slack/web-api: its README and the pages on the Web API client.
const assert = require("node:assert/strict");
const { ErrorCode, LogLevel, WebClient } = require("@slack/web-api");
const { BOT, api, calls, fault, say, seen, silent } = require("./desk.js");

const HELP = "C0HELP";
const quick = { retries: 3, minTimeout: 5, maxTimeout: 10 };
const client = (more) => new WebClient(BOT, { slackApiUrl: api, logger: silent, retryConfig: { retries: 0 }, ...more });
const refused = (promise, code) => promise.then(() => assert.fail("was not refused"), (error) => {
  assert.equal(error.code, code);
  return error;
});

// A client that notes each request it sends.
function noting(more) {
  const requests = [];
  const note = (url, init) => {
    requests.push({ url: String(url), ...init });
    return fetch(url, init);
  };
  return [client({ fetch: note, ...more }), requests];
}

async function thread() {
  const { ts } = await say("a question");
  return { channel: HELP, thread_ts: ts, recipient_team_id: "T0SANDBOX", recipient_user_id: "U0ANA" };
}

const reply = async (ts) => (await client().conversations.replies({ channel: HELP, ts })).messages.at(-1);

module.exports = {
  "the token goes in the header, not in the body": async () => {
    const [web, requests] = noting();
    await web.auth.test();
    assert.equal(requests[0].headers.Authorization, `Bearer ${BOT}`);
    assert.ok(!String(requests[0].body).includes(BOT));
  },
  "slackApiUrl says where calls go": async () => {
    const { team_id, user_id } = await client().auth.test();
    assert.deepEqual([team_id, user_id], ["T0SANDBOX", "U0TRIAGE"]);
  },
  "a method answers with its result": async () => {
    const answer = await client().chat.postMessage({ channel: HELP, text: "hello" });
    assert.equal(answer.message.text, "hello");
    assert.ok((await seen()).some((message) => message.ts === answer.ts));
  },
  "apiCall reaches any method by its name": async () => {
    assert.equal((await client().apiCall("users.info", { user: "U0ANA" })).user.id, "U0ANA");
  },
  "apiCall of a method that does not exist is a platform error": async () => {
    const error = await refused(client().apiCall("no.such"), ErrorCode.PlatformError);
    assert.equal(error.data.error, "unknown_method");
  },
  "nested arguments are sent as JSON": async () => {
    const blocks = [{ type: "section", text: { type: "mrkdwn", text: "*nested*" } }];
    const { message } = await client().chat.postMessage({ channel: HELP, text: "plain", blocks });
    assert.equal(message.blocks[0].text.text, "*nested*");
  },
  "undefined arguments are left out": async () => {
    await client().chat.postMessage({ channel: HELP, text: "top", thread_ts: undefined });
    assert.ok(!("thread_ts" in (await calls("chat.postMessage")).at(-1).arguments));
  },
  "a refusal of Slack is a platform error with its word": async () => {
    const error = await refused(client().conversations.info({ channel: "C0NONE" }), ErrorCode.PlatformError);
    assert.equal(error.data.error, "channel_not_found");
  },
  "a platform error carries response_metadata.messages": async () => {
    const bad = client().chat.postMessage({ channel: HELP, text: "x", blocks: [{ type: "section" }] });
    const error = await refused(bad, ErrorCode.PlatformError);
    assert.ok(error.data.response_metadata.messages.length > 0);
  },
  "a status of 500 is an HTTP error with its status": async () => {
    await fault({ kind: "500", method: "auth.test" });
    assert.equal((await refused(client().auth.test(), ErrorCode.HTTPError)).statusCode, 500);
  },
  "no connection is a request error with its cause": async () => {
    const nowhere = client({ slackApiUrl: "http://127.0.0.1:1/api/" });
    assert.ok((await refused(nowhere.auth.test(), ErrorCode.RequestError)).original instanceof Error);
  },
  "an answer later than timeout is a request error": async () => {
    await fault({ kind: "delay", method: "auth.test", seconds: 2 });
    await refused(client({ timeout: 100 }).auth.test(), ErrorCode.RequestError);
  },
  "calls are retried by the policy": async () => {
    await fault({ kind: "500", method: "team.info", times: 2 });
    assert.ok((await client({ retryConfig: quick }).team.info()).ok);
    assert.equal((await calls("team.info")).length, 3);
  },
  "Retry-After is waited for, and the call made again": async () => {
    await fault({ kind: "429", method: "auth.test", seconds: 1 });
    const began = Date.now();
    assert.ok((await client({ retryConfig: quick }).auth.test()).ok);
    assert.ok(Date.now() - began >= 950);
  },
  "rate_limited is emitted with the seconds": async () => {
    await fault({ kind: "429", method: "auth.test", seconds: 1 });
    const web = client({ retryConfig: quick });
    const waits = [];
    web.on("rate_limited", (seconds) => waits.push(seconds));
    await web.auth.test();
    assert.deepEqual(waits, [1]);
  },
  "rejectRateLimitedCalls rejects at once with retryAfter": async () => {
    await fault({ kind: "429", method: "auth.test", seconds: 30 });
    const error = await refused(client({ rejectRateLimitedCalls: true }).auth.test(), ErrorCode.RateLimitedError);
    assert.equal(error.retryAfter, 30);
  },
  "paginate iterates over all pages": async () => {
    const all = (await client().users.list()).members.map((user) => user.id);
    const found = [];
    for await (const page of client().paginate("users.list", { limit: 2 })) {
      assert.ok(page.members.length <= 2);
      found.push(...page.members.map((user) => user.id));
    }
    assert.deepEqual(found, all);
  },
  "paginate ends where shouldStop says so": async () => {
    let pages = 0;
    await client().paginate("users.list", { limit: 1 }, () => ++pages === 2);
    assert.equal(pages, 2);
  },
  "paginate accumulates with a reducer": async () => {
    const count = (sum = 0, page) => sum + page.members.length;
    const all = (await client().users.list()).members.length;
    assert.equal(await client().paginate("users.list", { limit: 2 }, () => false, count), all);
  },
  "filesUploadV2 uploads and shares a file with a comment": async () => {
    const wish = { channel_id: HELP, filename: "log.txt", file: Buffer.from("12 lines"), initial_comment: "the log" };
    assert.ok((await client().filesUploadV2(wish)).ok);
    const shared = (await client().conversations.history({ channel: HELP, limit: 1 })).messages[0];
    assert.deepEqual([shared.text, shared.files[0].name], ["the log", "log.txt"]);
  },
  "filesUploadV2 takes several files at once": async () => {
    const uploads = ["a.txt", "b.txt"].map((filename) => ({ filename, content: filename }));
    await client().filesUploadV2({ channel_id: HELP, file_uploads: uploads });
    const shared = (await client().conversations.history({ channel: HELP, limit: 1 })).messages[0];
    assert.deepEqual(shared.files.map((file) => file.name), ["a.txt", "b.txt"]);
  },
  "filesUploadV2 shares in a thread": async () => {
    const { channel, thread_ts } = await thread();
    await client().filesUploadV2({ channel_id: channel, thread_ts, filename: "t.txt", content: "in the thread" });
    assert.equal((await reply(thread_ts)).files[0].name, "t.txt");
  },
  "chatStream appends and stops": async () => {
    const place = await thread();
    const streamer = client().chatStream(place);
    await streamer.append({ markdown_text: "**hello wo" });
    await streamer.append({ markdown_text: "rld!**" });
    await streamer.stop();
    assert.equal((await reply(place.thread_ts)).text, "**hello world!**");
  },
  "chatStream keeps text until its buffer is full": async () => {
    const streamer = client().chatStream({ ...(await thread()), buffer_size: 4 });
    assert.equal(await streamer.append({ markdown_text: "abc" }), null);
    assert.ok((await streamer.append({ markdown_text: "def" })).ts);
    await streamer.stop();
  },
  "chatStream ends with blocks below the text": async () => {
    const place = await thread();
    const streamer = client().chatStream(place);
    await streamer.append({ markdown_text: "answer" });
    await streamer.stop({ blocks: [{ type: "divider" }] });
    assert.equal((await reply(place.thread_ts)).blocks.at(-1).type, "divider");
  },
  "a logger of one's own hears what the client does": async () => {
    const lines = [];
    await client({ logger: { ...silent, debug: (...words) => lines.push(words.join(" ")) } }).auth.test();
    assert.ok(lines.some((line) => line.includes("auth.test")));
  },
  "maxRequestConcurrency limits the calls in flight": async () => {
    let open = 0;
    let most = 0;
    const count = async (url, init) => {
      most = Math.max(most, ++open);
      return fetch(url, init).finally(() => open--);
    };
    const web = client({ maxRequestConcurrency: 2, fetch: count });
    await Promise.all(Array.from({ length: 6 }, () => web.auth.test()));
    assert.equal(most, 2);
  },
  "a token in the call wins over the client's": async () => {
    const error = await refused(client().auth.test({ token: "xoxb-other" }), ErrorCode.PlatformError);
    assert.equal(error.data.error, "invalid_auth");
  },
  "a client without a token is not_authed": async () => {
    const web = new WebClient(undefined, { slackApiUrl: api, logLevel: LogLevel.ERROR, logger: silent });
    assert.equal((await refused(web.auth.test(), ErrorCode.PlatformError)).data.error, "not_authed");
  },
  "headers of one's own are sent": async () => {
    const [web, requests] = noting({ headers: { "X-Mine": "yes" } });
    await web.auth.test();
    assert.equal(requests[0].headers["X-Mine"], "yes");
  },
};
