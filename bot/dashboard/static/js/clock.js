/**
 * A clock that shows the server's truth: what was left when the server last said so, less what has passed.
 *
 *   const clock = new Clock(element, { onLow: () => {} });
 *   clock.set({ leftMs: 180_000, running: true });   // leftMs null: no clock
 */

const LOW_MS = 20_000;

export class Clock {
  #timer = 0;
  #left = null;
  #since = 0;
  #running = false;
  #warned = false;

  /** @param {HTMLElement} element */
  constructor(element, { onLow = () => {} } = {}) {
    this.element = element;
    this.onLow = onLow;
    element.setAttribute("role", "timer");
  }

  /** `low`: below so many milliseconds it is marked. */
  set({ leftMs, running, lowMs = LOW_MS }) {
    this.#left = leftMs;
    this.#since = performance.now();
    this.#running = running && leftMs !== null;
    this.lowMs = lowMs;
    if (leftMs > lowMs) this.#warned = false;
    this.element.hidden = leftMs === null;
    this.#draw();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#running = false;
  }

  /** What is left now, in milliseconds. */
  get leftMs() {
    const passed = this.#running ? performance.now() - this.#since : 0;
    return Math.max(0, this.#left - passed);
  }

  #draw() {
    clearTimeout(this.#timer);
    if (this.#left === null) return;
    const left = this.leftMs;
    const isLow = left < this.lowMs;
    this.element.textContent = clockText(left);
    this.element.classList.toggle("running", this.#running);
    this.element.classList.toggle("low", isLow);
    if (isLow && this.#running && !this.#warned) {
      this.#warned = true;
      this.onLow();
    }
    if (this.#running && left > 0) this.#timer = setTimeout(() => this.#draw(), nextChange(left));
  }
}

/** 1:05:00, 4:59, and below ten seconds 9.8. */
export function clockText(ms) {
  const tenths = Math.floor(ms / 100);
  if (tenths < 100) return `0:0${Math.floor(tenths / 10)}.${tenths % 10}`;
  const seconds = Math.floor(ms / 1000);
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Milliseconds until the text changes. */
const nextChange = (left) => (left < 10_000 ? left % 100 : left % 1000) + 5;
