/**
 * What the service tells, as it tells it: server-sent events, held together and handed on once a frame.
 *
 *   const live = new Live({ show(names) {}, link(isUp) {} });
 *   live.follow("");            // all games as boards
 *   live.follow("abcd1234");    // and this one with every detail
 *   live.sections               // the newest of everything, by name: service, results, game/abcd1234, moves/abcd1234 …
 *   live.now()                  // the service's time of day, in ms
 */

const SILENCE_MS = 6000; // something is told every second

export class Live {
  #source = null;
  #game = null;
  #ask;
  #changed = new Set();
  #frame = 0;
  #ahead = 0; // of our clock, in ms
  #heardAt = 0;

  constructor({ show, link, url = "events" }) {
    this.#ask = { show, link, url };
    this.sections = {};
    this.running = [];
    document.addEventListener("visibilitychange", () => this.#look());
    setInterval(() => this.#check(), 2000);
  }

  follow(game) {
    if (game === this.#game && this.#source) return;
    this.#game = game;
    this.sections = omit(this.sections, (name) => name.startsWith("moves/"));
    this.#open();
  }

  now() {
    return Date.now() + this.#ahead;
  }

  /** Nobody looks at a hidden page: it is told nothing, and catches up when it is seen again. */
  #look() {
    if (document.hidden) this.#close();
    else if (!this.#source && this.#game !== null) this.#open();
  }

  #open() {
    this.#close();
    if (document.hidden) return;
    const query = this.#game ? `?game=${encodeURIComponent(this.#game)}` : "";
    this.#heardAt = Date.now();
    this.#source = new EventSource(this.#ask.url + query);
    this.#source.onmessage = (event) => this.#hear(JSON.parse(event.data));
    this.#source.onerror = () => this.#lost();
  }

  #close() {
    this.#source?.close();
    this.#source = null;
  }

  #lost() {
    this.#ask.link(false);
    if (this.#source?.readyState !== EventSource.CLOSED) return; // it tries again by itself
    this.#close();
    setTimeout(() => this.#look(), 2000);
  }

  #check() {
    if (!this.#source || Date.now() - this.#heardAt < SILENCE_MS) return;
    this.#ask.link(false);
    this.#open();
  }

  #hear({ now_ms: nowMs, whole, running, sections }) {
    this.#heardAt = Date.now();
    this.#ahead = nowMs - this.#heardAt;
    if (whole) this.sections = {};
    Object.assign(this.sections, sections);
    this.sections = omit(this.sections, (name) => name.startsWith("game/") && !running.includes(name.slice(5)));
    this.running = running;
    for (const name of Object.keys(sections)) this.#changed.add(name);
    this.#changed.add("running");
    this.#ask.link(true);
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      const names = this.#changed;
      this.#changed = new Set();
      this.#ask.show(names);
    });
  }
}

function omit(values, isUnwanted) {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !isUnwanted(name)));
}
