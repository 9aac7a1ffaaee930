/** The coach: what the bot thinks while it thinks, and a review when the game is over. */

import { drawGraph } from "./graph.js";

const WORDS = { blunder: "Blunder", mistake: "Mistake", inaccuracy: "Inaccuracy" };
const $ = (id) => document.getElementById(id);

export class Coach {
  #source = null;
  #game = null;
  #points = [];
  #newest = null;

  /** @param {{onLine: (line: object|null) => void, onPick: (ply: number) => void, onVerdict: (ply: number, verdict: string) => void}} ears */
  constructor(ears) {
    this.ears = ears;
    $("coach-on").addEventListener("change", () => this.turn($("coach-on").checked));
    $("verdicts").addEventListener("click", (event) => {
      const ply = event.target.closest("button")?.dataset.ply;
      if (ply) ears.onPick(Number(ply));
    });
  }

  get isOn() {
    return $("coach-on").checked;
  }

  turn(on) {
    $("coach-on").checked = on;
    $("coach-body").hidden = !on;
    $("evalbar").hidden = !on;
    this.#close();
    this.#draw(on ? this.#newest : null);
    if (on && this.#game) this.#listen();
  }

  /** Another game is looked at, or none. */
  attend(game) {
    this.#close();
    this.#game = game;
    this.#points = [];
    this.#newest = null;
    $("graph").hidden = true;
    $("verdicts").replaceChildren();
    this.#draw(null);
    if (game && this.isOn) this.#listen();
  }

  /** The game has ended: from now on there is a review. */
  finish() {
    this.#close();
    this.#draw(null);
    if (this.isOn && this.#game) this.#listen();
  }

  /** Another position of the game is looked at. */
  look(ply) {
    const point = this.#points.find((each) => each.ply === ply);
    if (point) this.#bar(point);
    if (this.#points.length) this.#drawReview(ply);
  }

  #listen() {
    const { id, isOver, steps } = this.#game;
    if (isOver && this.#points.length > steps.length) {
      this.#drawReview(this.#game.ply);
      return;
    }
    this.#points = [];
    this.#source = new EventSource(`/play/${isOver ? "review" : "coach"}/${id}`);
    this.#source.addEventListener("message", (event) => {
      const line = JSON.parse(event.data);
      if (isOver) this.#reviewed(line);
      else this.#heard(line);
    });
    this.#source.addEventListener("done", () => this.#close());
    if (isOver) this.#source.addEventListener("error", () => this.#close());
  }

  #close() {
    this.#source?.close();
    this.#source = null;
  }

  #heard(line) {
    this.#newest = line;
    this.#draw(line);
    if (line.score !== null) this.#bar(line);
    this.ears.onLine(line);
  }

  #draw(line) {
    $("coach-score").textContent = line?.score ?? "–";
    $("coach-depth").textContent = line ? about(line) : "Krait has not thought yet.";
    $("coach-line").textContent = line ? line.pv.join(" ") : "";
    $("coach-others").replaceChildren(...(line?.others ?? []).map((other) => item(other)));
    $("coach-line").hidden = $("coach-others").hidden = this.#game?.isOver ?? false;
    document.querySelector(".coach .figures").hidden = this.#game?.isOver ?? false;
    if (!line) this.#bar({ share: 0.5, score: "" });
  }

  #bar({ share, score }) {
    const bar = $("evalbar");
    const part = Math.round(share * 1000) / 10;
    bar.querySelector(".fill").style.height = `${part}%`;
    const value = bar.querySelector(".value");
    value.textContent = score.replace(/^[+-](\d+\.\d)\d$/, "$1");
    const isTurned = bar.classList.contains("turned");
    value.classList.toggle("top", share >= 0.5 === isTurned);
    value.classList.toggle("light", share < 0.5);
    bar.setAttribute("aria-label", `Evaluation: ${score || "level"}`);
  }

  #reviewed(point) {
    this.#points.push(point);
    if (point.verdict) {
      this.ears.onVerdict(point.ply, point.verdict);
      this.#mark(point);
    }
    this.#drawReview(this.#game.ply);
    if (point.ply === this.#game.ply) this.#bar(point);
  }

  #mark({ ply, verdict, best }) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.ply = String(ply);
    button.className = verdict;
    const word = document.createElement("b");
    word.textContent = WORDS[verdict];
    button.append(word, ` ${this.#game.numberOf(ply)} ${this.#game.steps[ply - 1].san}${best ? ` — better was ${best}` : ""}`);
    const line = document.createElement("li");
    line.append(button);
    if (verdict !== "inaccuracy") $("verdicts").append(line);
  }

  #drawReview(ply) {
    const plies = this.#game.steps.length;
    const done = this.#points.length > plies;
    const count = (verdict) => this.#points.filter((point) => point.verdict === verdict).length;
    const marks = ["blunder", "mistake"].map((word) => plural(count(word), word)).join(", ");
    const caption = done ? `White's chances, move by move: ${marks}.` : `Looking at the game… ${this.#points.length} of ${plies + 1}`;
    $("graph").hidden = false;
    drawGraph($("graph"), this.#points, { plies, ply, onPick: this.ears.onPick, caption });
  }
}

const plural = (count, word) => `${count || "no"} ${word}${count === 1 ? "" : "s"}`;

function about({ depth, nodes, nps, source }) {
  if (!nodes) return source;
  const short = (number) => (number >= 1e6 ? `${(number / 1e6).toFixed(1)}M` : number >= 1e3 ? `${Math.round(number / 1e3)}k` : number);
  return `depth ${depth} · ${short(nodes)} nodes · ${short(nps)}/s`;
}

function item({ score, pv }) {
  const line = document.createElement("li");
  const value = document.createElement("b");
  value.textContent = score ?? "";
  line.append(value, ` ${pv.join(" ")}`);
  return line;
}
