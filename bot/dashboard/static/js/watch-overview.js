/** The overview: account, running games, results, engines, budgets, challenges, troubles. */

import { GameCard } from "./watch-board.js";
import { ratingCurves } from "./watch-charts.js";
import { byId, el, Keyed, setText } from "./watch-dom.js";
import { showChallenges, showEngines, showQueue, showRecent, showResults, showTroubles } from "./watch-tables.js";
import { perfName, playerName, span } from "./watch-words.js";

const RECENT = 10;
const WINDOWS = { 60: "a minute", 300: "5 minutes", 600: "10 minutes", 86400: "a day" };
const BUDGETS = {
  event_stream: "opening the event stream", account: "asking for the account", challenge: "challenges",
  ai: "games with the AI", bot_game: "games with bots", arena: "arenas", chat: "chat", answer: "answers to challenges",
  deed: "resigning, drawing, aborting", lookup: "lookups", move: "moves", game_stream: "streams of games",
};

export class Overview {
  constructor(live) {
    this.live = live;
    this.boards = new Keyed(byId("boards"), (game) => new GameCard(game), (card, game) => card.set(game));
    this.budgets = new Keyed(byId("budgets"), makeBudget, showBudget);
    this.vitals = new Keyed(byId("vitals"), makeVital, showVital);
  }

  /** Shown again after something else was: everything may have changed. */
  enter() {
    this.show(new Set([...Object.keys(this.live.sections), "running"]));
    this.#askRatings();
  }

  show(names) {
    const { service, results, recent, challenges, troubles } = this.live.sections;
    if (names.has("service") && service) this.#service(service);
    if (names.has("results") && results) showResults(results);
    if (names.has("recent") && recent) {
      showRecent(byId("recent"), recent.slice(0, RECENT));
      this.#askRatings();
    }
    if (names.has("challenges") && challenges) showChallenges(challenges);
    if (names.has("troubles") && troubles) showTroubles(troubles);
    this.#games();
  }

  tick() {
    const now = this.live.now();
    for (const card of this.boards.kept.values()) card.tick(now);
  }

  #games() {
    const games = this.live.running.map((id) => this.live.sections[`game/${id}`]).filter(Boolean);
    this.boards.set(games, (game) => game.id);
    byId("live-empty").hidden = games.length > 0;
    this.tick();
  }

  #service(service) {
    this.vitals.set(vitalsOf(service), ({ name }) => name);
    showEngines(service.engines);
    showQueue(service.queue);
    this.budgets.set(service.budgets, ({ kind, window_s: window }) => `${kind} ${window}`);
  }

  async #askRatings() {
    try {
      const { curves } = await (await fetch("api/ratings")).json();
      showRatings(curves ?? {});
    } catch {
      // the connection's state is shown already
    }
  }
}

function vitalsOf({ account, connection, slots, queue, uptime_s: uptime, version, draining }) {
  const heard = connection.age_s === null ? "" : `, heard ${span(connection.age_s)} ago`;
  const word = { online: "online", lost: "connection lost", elsewhere: "used elsewhere" }[connection.state] ?? connection.state;
  const bad = connection.state === "lost" || connection.state === "elsewhere";
  const slow = slots.playing_slow ? `, ${slots.playing_slow} by correspondence` : "";
  return [
    { name: "Account", text: account ? playerName({ ...account }) : "not known yet" },
    { name: "Lichess", text: word + heard, title: connection.detail, kind: bad ? "bad" : connection.state === "online" ? "good" : "" },
    { name: "Games", text: `${slots.playing} of ${slots.most}${slow}${slots.promised ? `, ${slots.promised} promised` : ""}` },
    { name: "Waiting", text: String(queue.length) },
    { name: "Running for", text: `${span(uptime)}${draining ? ", about to stop" : ""}` },
    { name: "Version", text: version || "–" },
  ];
}

function makeVital({ name }) {
  const value = el("dd");
  return { root: el("div", {}, el("dt", {}, name), value), value };
}

function showVital({ value }, { text, title = "", kind = "" }) {
  setText(value, text);
  value.title = title;
  value.className = kind;
}

function makeBudget({ kind, window_s: window }) {
  const text = `${BUDGETS[kind] ?? kind}${window ? ` in ${WINDOWS[window] ?? span(window)}` : ""}`;
  const value = el("span", { class: "number" });
  const meter = el("meter", { min: 0, "aria-label": text });
  return { root: el("li", {}, el("span", {}, text), value, meter), value, meter };
}

function showBudget({ value, meter }, { most, left, wait_s: wait }) {
  const waiting = wait ? `wait ${span(wait)}` : "";
  setText(value, most ? `${left} of ${most}${wait ? `, ${waiting}` : ""}` : waiting);
  meter.hidden = !most;
  if (!most) return;
  Object.assign(meter, { max: most, low: most * 0.15, high: most * 0.4, optimum: most, value: left });
}

function showRatings(curves) {
  const root = byId("ratings");
  const perfs = Object.keys(curves);
  if (!perfs.length) {
    root.replaceChildren(el("p", { class: "empty" }, "No rated game has ended yet."));
    return;
  }
  const chart = el("div", { class: "chart curves" });
  const { low, top, from, to } = ratingCurves(chart, curves, perfName);
  const day = (ms) => new Date(ms).toLocaleDateString();
  const keys = perfs.map((perf, index) =>
    el("li", {}, el("span", { class: `key c${index % 6}` }), `${perfName(perf)} ${curves[perf].at(-1)[1]}`),
  );
  root.replaceChildren(
    el("p", { class: "axis" }, String(top)),
    chart,
    el("p", { class: "axis" }, String(low), el("span", {}, day(from) === day(to) ? day(to) : `${day(from)} – ${day(to)}`)),
    el("ul", { class: "keys" }, ...keys),
  );
}
