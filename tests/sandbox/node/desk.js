// The workspace as the tests see it: what people do, faults to order, and what people see.
const BOT = "xoxb-sandbox";
const APP = "xapp-sandbox";
const api = process.env.SANDBOX_API;
const origin = api && new URL(api).origin;
const silent = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, getLevel: () => "error", setName() {} };

async function post(path, body) {
  const answer = await fetch(origin + path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return answer.json();
}

const human = (what, body) => post(`/human/${what}`, { user: "U0ANA", ...body });
const say = (text, more) => human("say", { channel: "C0HELP", text, ...more });
const fault = (wish) => post("/faults", wish);

async function get(path) {
  return (await fetch(origin + path)).json();
}

// The calls of one method that the workspace has received.
async function calls(method) {
  return (await get("/calls")).calls.filter((call) => call.method === method);
}

// The messages that a person sees in a channel.
async function seen(user = "U0ANA", channel = "C0HELP") {
  const view = await get(`/human/view?user=${user}`);
  return [...view.channels, ...view.dms].find((room) => room.id === channel).messages;
}

// A page that is open: `until` waits for the view that fits.
async function page(user = "U0ANA") {
  const cut = new AbortController();
  const answer = await fetch(`${origin}/human/stream?user=${user}`, { signal: cut.signal });
  // The body must be in somebody's hands before the response is collected, or it is cancelled with it.
  const views = frames(answer.body.pipeThrough(new TextDecoderStream()));
  return {
    close: () => cut.abort(),
    async until(fits, what) {
      for (;;) {
        const { value, done } = await within(views.next(), what);
        if (done) throw new Error("the page's stream ended");
        const rooms = [...(value.channels ?? []), ...(value.dms ?? [])];
        if (fits(rooms.flatMap((room) => room.messages))) return;
      }
    },
  };
}

async function* frames(body) {
  let text = "";
  for await (const piece of body) {
    text += piece;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const data = part.split("\n").filter((line) => line.startsWith("data:"));
      if (data.length) yield JSON.parse(data.map((line) => line.slice(5)).join("\n"));
    }
  }
}

// A listener and the promise of what it hears first.
function heard(what) {
  let hear;
  const first = new Promise((resolve) => {
    hear = resolve;
  });
  return [hear, within(first, what)];
}

function within(promise, what = "what should come", milliseconds = 8000) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come`)), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

module.exports = { APP, BOT, api, calls, fault, get, heard, human, origin, page, post, say, seen, silent, within };
