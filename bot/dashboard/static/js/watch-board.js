/** A running game as a small live board: players, clocks, evaluation, depth, lag, time use. */

import { Board } from "./board.js";
import { EvalGraph, TimeBars } from "./watch-charts.js";
import { el, setText } from "./watch-dom.js";
import { Seats } from "./watch-seats.js";
import { gameHref, many, opponentOf, score, SPEEDS, VARIANTS } from "./watch-words.js";

export class GameCard {
  constructor(game) {
    const squares = el("div");
    this.seats = new Seats();
    this.facts = el("p", { class: "facts" });
    this.numbers = el("p", { class: "numbers" });
    const evaluation = el("div", { class: "chart" });
    const times = el("div", { class: "chart low" });
    const label = `Game with ${opponentOf(game).name}`;
    this.link = el("a", { class: "cover", href: gameHref(game.id), "aria-label": `${label}: open it` });
    this.root = el(
      "li",
      { class: "card game-card" },
      this.facts,
      this.seats.top.root,
      squares,
      this.seats.bottom.root,
      evaluation,
      times,
      this.numbers,
      this.link,
    );
    this.board = new Board(squares, { interactive: false, orientation: game.we, label });
    this.evaluation = new EvalGraph(evaluation);
    this.times = new TimeBars(times);
  }

  set(game) {
    if (game === this.game) return;
    this.game = game;
    this.seats.set(game, game.we);
    if (game.fen) this.board.set({ fen: game.fen, lastMove: game.last ?? null, check: game.check });
    this.evaluation.set(game.scores);
    this.times.set(game.spent, isOursFirst(game));
    setText(this.facts, factsOf(game));
    setText(this.numbers, numbersOf(game));
  }

  tick(nowMs) {
    this.seats.tick(nowMs);
  }
}

/** "Blitz 3+2 · rated · Sicilian Defence" */
export function factsOf(game) {
  const kind = game.variant === "standard" ? SPEEDS[game.speed] : `${VARIANTS[game.variant] ?? game.variant} ${SPEEDS[game.speed]}`;
  const words = [`${kind} ${game.control}`, game.rated ? "rated" : "casual"];
  if (game.tournament) words.push("arena");
  if (game.opening) words.push(game.opening);
  return words.join(" · ");
}

/** "move 12 · +0.31 · depth 18 · 1.9 M nps · lag 40 ms" */
export function numbersOf(game) {
  const now = game.thought ?? game;
  const judged = game.thought?.score ?? game.scores.findLast(Boolean);
  const words = [`move ${Math.floor(game.plies / 2) + 1}`];
  if (judged) words.push(score(judged));
  if (now.depth) words.push(`depth ${now.depth}`);
  if (now.nps) words.push(`${many(now.nps)} n/s`);
  if (game.lag_ms !== undefined) words.push(`lag ${game.lag_ms} ms`);
  return words.join(" · ");
}

/** Whether the first ply of the list is ours: a game from a position may begin with Black. */
export function isOursFirst(game) {
  const turn = game.fen.split(" ")[1] === "b" ? 1 : 0;
  const blackBegan = (game.plies + turn) % 2 === 1;
  return (game.we === "black") === blackBegan;
}
