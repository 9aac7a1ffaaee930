/** The tables of the page: each shows a list as it is told. */

import { byId, fillTable } from "./watch-dom.js";
import {
  KINDS, SPEEDS, VARIANTS, gameHref, many, megabytes, moment, opponentOf, percent, playerName, resultWord, statusWord,
} from "./watch-words.js";

export function showEngines(engines) {
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

export function showQueue(queue) {
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

export function showResults({ today, ever }) {
  const key = ({ speed, kind }) => `${speed} ${kind}`;
  const now = new Map(today.map((each) => [key(each), each]));
  const order = Object.keys(SPEEDS);
  const rows = ever.toSorted((one, two) => order.indexOf(one.speed) - order.indexOf(two.speed));
  fillTable(byId("results"), {
    caption: "Results by speed and kind of opponent",
    columns: [
      { name: "Speed" }, { name: "Against" }, { name: "Today", kind: "number" },
      { name: "Ever", kind: "number" }, { name: "Score", kind: "number" },
    ],
    rows: rows.map((each) => [
      SPEEDS[each.speed] ?? each.speed, KINDS[each.kind] ?? each.kind, triple(now.get(key(each))), triple(each), percent(each),
    ]),
    empty: "No game has ended yet.",
  });
}

const triple = (each) => (each ? `+${each.wins} =${each.draws} −${each.losses}` : "–");

export function showRecent(table, games) {
  fillTable(table, {
    caption: "Games, the latest first",
    columns: [
      { name: "Ended" }, { name: "Result" }, { name: "Opponent" }, { name: "We had" }, { name: "Game" }, { name: "Opening" },
      { name: "Moves", kind: "number" }, { name: "Rating", kind: "number" },
    ],
    rows: games.map((game) => [
      { text: moment(game.ended_ms ?? game.began_ms), href: gameHref(game.id) },
      { text: resultWord(game.result), title: statusWord(game.status), kind: { win: "good", loss: "bad" }[game.result] ?? "" },
      playerName(opponentOf(game)),
      game.we === "white" ? "White" : "Black",
      `${game.variant === "standard" ? SPEEDS[game.speed] : VARIANTS[game.variant] ?? game.variant} ${game.control}${game.rated ? "" : ", casual"}`,
      game.opening ? `${game.eco} ${game.opening}` : "–",
      String(Math.ceil(game.plies / 2)),
      game.rating_diff === undefined ? "–" : `${game.rating_diff < 0 ? "−" : "+"}${Math.abs(game.rating_diff)}`,
    ]),
    empty: "No game has ended yet.",
  });
}

export function showChallenges(challenges) {
  fillTable(byId("challenges"), {
    caption: "Challenges, the latest first",
    columns: [{ name: "When" }, { name: "Who" }, { name: "What" }, { name: "Answer" }, { name: "Why" }],
    rows: challenges.map((each) => [
      moment(each.when_ms),
      playerName({ name: each.name, rating: each.rating ?? undefined }),
      `${VARIANTS[each.variant] ?? each.variant} ${each.control} ${each.rated ? "rated" : "casual"}`,
      { text: each.verdict, kind: { accepted: "good", declined: "warn" }[each.verdict] ?? "" },
      each.why || "–",
    ]),
    empty: "Nobody has asked yet.",
  });
}

export function showTroubles(troubles) {
  fillTable(byId("troubles"), {
    caption: "What went wrong and was survived, the latest first",
    columns: [{ name: "When" }, { name: "What" }, { name: "Detail" }, { name: "Game" }],
    rows: troubles.map((each) => [
      moment(each.when_ms),
      `${each.what.replaceAll("_", " ")}${each.times > 1 ? ` (${each.times} times)` : ""}`,
      each.detail,
      each.game ? { text: each.game, href: gameHref(each.game) } : "–",
    ]),
    empty: "None.",
  });
}
