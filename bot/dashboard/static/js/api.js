/**
 * The local Lichess as any client of its Board API sees it, and the page's own few endpoints.
 * The guest's token lives in this tab alone and travels in a header, never in an address.
 */

import { follow, linesOf, Refused } from "./stream.js";

const KEY = "krait.guest";
const TRANSIENT = new Set([502, 503, 504]);

export class Api {
  constructor() {
    this.guest = read();
  }

  /** Somebody the server knows: the guest of before, or a new one. True: a new one. */
  async enter() {
    if (this.guest && (await this.#isKnown())) return false;
    this.guest = await (await this.#ask("POST", "/play/guest")).json();
    write(this.guest);
    return true;
  }

  status() {
    return fetch("/play/status", { cache: "no-store" }).then((response) => response.json());
  }

  /** The running game of this guest, or null. */
  async running() {
    const { nowPlaying } = await (await this.#ask("GET", "/api/account/playing")).json();
    return nowPlaying[0]?.gameId ?? null;
  }

  strength(elo) {
    return this.#ask("POST", "/play/strength", { elo });
  }

  /** @returns {Promise<{start: object, steps: object[], legal: string[]}>} */
  async rules(variant, fen, moves) {
    return (await this.#ask("POST", "/play/rules", { variant, fen, moves })).json();
  }

  /** Challenge somebody; the game's id once it is accepted. Refused says why not. */
  async challenge(user, wish) {
    const door = new AbortController();
    const form = new URLSearchParams({ ...wish, keepAliveStream: "true" });
    const response = await this.#ask("POST", `/api/challenge/${user}`, form, door.signal);
    let id = null;
    for await (const line of linesOf(response, door)) {
      id ??= line.id ?? line.challenge?.id;
      if (line.done === "accepted") return id;
      if (line.done) throw new Refused(409, await this.#whyNot(id, line.done));
    }
    throw new Refused(409, "The challenge was not answered.");
  }

  /** Follow a game; see `follow`. */
  game(id, ears) {
    return follow((signal) => this.#ask("GET", `/api/board/game/stream/${id}`, null, signal), ears);
  }

  /** One deed in a game: "move/e2e4", "resign", "draw/yes", "takeback/yes", "abort", "claim-victory". */
  act(id, deed) {
    return this.#ask("POST", `/api/board/game/${id}/${deed}`);
  }

  say(id, text) {
    return this.#ask("POST", `/api/board/game/${id}/chat`, new URLSearchParams({ room: "player", text }));
  }

  async #isKnown() {
    try {
      await this.#ask("GET", "/api/account");
      return true;
    } catch (error) {
      if (error instanceof Refused) return false;
      throw error;
    }
  }

  async #whyNot(id, how) {
    try {
      const shown = await (await this.#ask("GET", `/api/challenge/${id}/show`)).json();
      return shown.declineReason ?? `The challenge was ${how}.`;
    } catch {
      return `The challenge was ${how}.`;
    }
  }

  async #ask(method, path, body = null, signal = undefined) {
    const headers = this.guest ? { Authorization: `Bearer ${this.guest.token}` } : {};
    const isForm = body instanceof URLSearchParams;
    if (body && !isForm) headers["Content-Type"] = "application/json";
    const sent = body && !isForm ? JSON.stringify(body) : body;
    const response = await fetch(path, { method, headers, body: sent, signal, cache: "no-store" });
    if (response.ok) return response;
    if (TRANSIENT.has(response.status)) throw new Error(`the server answered ${response.status}`);
    throw new Refused(response.status, await reason(response));
  }
}

async function reason(response) {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text);
    return typeof error === "string" ? error : Object.values(error).flat().join(" ");
  } catch {
    return text || `the server answered ${response.status}`;
  }
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}

function write(guest) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(guest));
  } catch {
    // then a reload makes another guest
  }
}
