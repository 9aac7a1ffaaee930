/** The moves of a game with our evaluation and the time each took; the one shown is marked. */

import { el } from "./watch-dom.js";
import { score, spent } from "./watch-words.js";

export class MoveList {
  #made = []; // what each button shows, to change only those that differ
  #buttons = [];

  constructor(root, pick) {
    this.root = root;
    this.list = el("ol", { class: "movelist" });
    root.append(this.list);
    this.list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) pick(Number(button.dataset.ply));
    });
  }

  set(game) {
    const first = startOf(game);
    const keys = game.moves.map((move) => JSON.stringify([move.san, move.score, move.spent_ms]));
    let same = 0;
    while (same < keys.length && keys[same] === this.#made[same]) same += 1;
    for (const button of this.#buttons.splice(same)) button.closest("li").remove();
    this.#made = keys;
    game.moves.slice(same).forEach((move, index) => this.#add(move, same + index, first));
  }

  #add(move, ply, { number, black }) {
    const at = ply + (black ? 1 : 0);
    const label = `${number + Math.floor(at / 2)}${at % 2 ? "…" : "."}`;
    const words = [el("span", { class: "number" }, label), el("span", { class: "san" }, move.san)];
    words.push(el("span", { class: "score" }, score(move.score)));
    words.push(el("span", { class: "spent" }, move.spent_ms === undefined ? "" : spent(move.spent_ms)));
    const button = el("button", { type: "button", class: "quiet", "data-ply": ply + 1 }, ...words);
    this.#buttons[ply] = button;
    this.list.append(el("li", { class: ply === 0 && black ? "second" : null }, button));
  }

  mark(ply, isAtEnd) {
    this.#buttons.forEach((button, index) => {
      const isShown = index + 1 === ply;
      if (isShown === button.hasAttribute("aria-current")) return;
      if (isShown) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    const shown = this.#buttons[ply - 1];
    if (isAtEnd) this.root.scrollTop = this.root.scrollHeight;
    else if (!shown) this.root.scrollTop = 0;
    else keepInSight(this.root, shown);
  }
}

/** Without moving the page itself. */
function keepInSight(root, child) {
  const [outer, inner] = [root.getBoundingClientRect(), child.getBoundingClientRect()];
  if (inner.top < outer.top) root.scrollTop -= outer.top - inner.top;
  else if (inner.bottom > outer.bottom) root.scrollTop += inner.bottom - outer.bottom;
}

/** The number of the first move, and whether Black makes it. */
function startOf(game) {
  const [, turn, ...rest] = (game.fens[0] || "").split(" ");
  const numbers = rest.slice(2).filter((word) => /^\d+$/.test(word));
  return { number: Number(numbers[1] ?? 1) || 1, black: turn === "b" };
}
