/** The overview: account, running games, results, engines, budgets, challenges, troubles. */

import { GameCard } from "./watch-board.js";
import { ratingCurves } from "./watch-charts.js";
import { byId, el, fillTable, Keyed, setText } from "./watch-dom.js";
import {
  KINDS, SPEEDS, gameHref, many, megabytes, moment, opponentOf, percent, perfName, playerName, resultWord,
  span, statusWord, timeOfDay, VARIANTS,
} from "./watch-words.js";

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
      showRecent(byId("recent"), recent);
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

function showEngines(engines) {
  fillTable(byId("engines"), {
    caption: "Engine processes",
    columns: [
      { name: "Engine" }, { name: "State" }, { name: "Game" }, { name: "Depth", kind: "number" },
      { name: "Nodes/s", kind: "number" }, { name: "Memory", kind: "number" }, { name: "Restarts", kind: "number" },
      { name: "Process", kind: "number" },
    ],
    rows: engines.map((each) => [
      each.name,
      { text: each.state, kind: each.state === "down" ? "bad" : "" },
      each.game ? { text: each.game, href: gameHref(each.game) } : "–",
      each.depth ? String(each.depth) : "–",
      each.nps ? many(each.nps) : "–",
      megabytes(each.memory),
      { text: String(each.restarts), kind: each.restarts ? "warn" : "" },
      each.pid ? String(each.pid) : "–",
    ]),
    empty: "No engine has been started yet.",
  });
}

function showQueue(queue) {
  fillTable(byId("queue"), {
    caption: "Challenges that wait for a free place",
    columns: [{ name: "Who" }, { name: "What" }],
    rows: queue.map((each) => [
      playerName({ name: each.name, rating: each.rating ?? undefined }),
      `${each.control} ${each.rated ? "rated" : "casual"}${each.variant === "standard" ? "" : ` ${VARIANTS[each.variant] ?? each.variant}`}`,
    ]),
    empty: "Nobody waits.",
  });
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

function showResults({ today, ever }) {
  const key = ({ speed, kind }) => `${speed} ${kind}`;
  const now = new Map(today.map((each) => [key(each), each]));
  const order = Object.keys(SPEEDS);
  const rows = ever.toSorted((one, two) => order.indexOf(one.speed) - order.indexOf(two.speed));
  fillTable(byId("results"), {
    caption: "Results by speed and kind of opponent",
    columns: [
      { name: "Speed" }, { name: "Against" }, { name: "Today + = −", kind: "number" },
      { name: "Ever + = −", kind: "number" }, { name: "Score", kind: "number" },
    ],
    rows: rows.map((each) => [
      SPEEDS[each.speed] ?? each.speed, KINDS[each.kind] ?? each.kind, triple(now.get(key(each))), triple(each), percent(each),
    ]),
    empty: "No game has ended yet.",
  });
}

const triple = (each) => (each ? `${each.wins} ${each.draws} ${each.losses}` : "–");

export function showRecent(table, games) {
  fillTable(table, {
    caption: "Games, the latest first",
    columns: [
      { name: "Ended" }, { name: "Opponent" }, { name: "Result" }, { name: "Game" }, { name: "Opening" },
      { name: "Moves", kind: "number" }, { name: "Rating", kind: "number" },
    ],
    rows: games.map((game) => [
      { text: moment(game.ended_ms ?? game.began_ms), href: gameHref(game.id) },
      `${playerName(opponentOf(game))}, we had ${game.we === "white" ? "White" : "Black"}`,
      { text: `${resultWord(game.result)}, ${statusWord(game.status)}`, kind: { win: "good", loss: "bad" }[game.result] ?? "" },
      `${game.variant === "standard" ? SPEEDS[game.speed] : VARIANTS[game.variant] ?? game.variant} ${game.control}${game.rated ? "" : ", casual"}`,
      game.opening ? `${game.eco} ${game.opening}` : "–",
      String(Math.ceil(game.plies / 2)),
      game.rating_diff === undefined ? "–" : `${game.rating_diff < 0 ? "−" : "+"}${Math.abs(game.rating_diff)}`,
    ]),
    empty: "No game has ended yet.",
  });
}

function showChallenges(challenges) {
  fillTable(byId("challenges"), {
    caption: "Challenges, the latest first",
    columns: [{ name: "When" }, { name: "Who" }, { name: "What" }, { name: "Answer" }, { name: "Why" }],
    rows: challenges.map((each) => [
      timeOfDay(each.when_ms),
      playerName({ name: each.name, rating: each.rating ?? undefined }),
      `${VARIANTS[each.variant] ?? each.variant} ${each.control} ${each.rated ? "rated" : "casual"}`,
      { text: each.verdict, kind: { accepted: "good", declined: "warn" }[each.verdict] ?? "" },
      each.why || "–",
    ]),
    empty: "Nobody has asked yet.",
  });
}

function showTroubles(troubles) {
  fillTable(byId("troubles"), {
    caption: "What went wrong and was survived, the latest first",
    columns: [{ name: "When" }, { name: "What" }, { name: "Detail" }, { name: "Game" }],
    rows: troubles.map((each) => [
      timeOfDay(each.when_ms),
      `${each.what.replaceAll("_", " ")}${each.times > 1 ? ` (${each.times} times)` : ""}`,
      each.detail,
      each.game ? { text: each.game, href: gameHref(each.game) } : "–",
    ]),
    empty: "None.",
  });
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
