// Screen data pushed by the workspace as server-sent events, with reconnects.

const SOON = 400;
const LATEST = 3000;

export class Stream {
  constructor({ seen, lost, found }) {
    Object.assign(this, { seen, lost, found });
    this.user = null;
    this.source = null;
    this.wait = SOON;
    for (const name of ["online", "focus"]) window.addEventListener(name, () => this.hurry());
  }

  open(user) {
    this.close();
    this.user = user;
    const source = new EventSource(`/human/stream?${new URLSearchParams({ user })}`);
    this.source = source;
    source.onmessage = (event) => {
      if (source !== this.source) return;
      this.wait = SOON;
      this.found();
      this.seen(JSON.parse(event.data));
    };
    // The browser's own reconnect is slow and gives up after some errors.
    source.onerror = () => source === this.source && this.again();
  }

  close() {
    clearTimeout(this.timer);
    this.timer = null;
    this.source?.close();
    this.source = null;
  }

  again() {
    this.close();
    this.lost();
    this.timer = setTimeout(() => this.open(this.user), this.wait);
    this.wait = Math.min(this.wait * 1.5, LATEST);
  }

  hurry() {
    if (this.timer) this.open(this.user);
  }
}
