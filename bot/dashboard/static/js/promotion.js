/** Which piece a pawn becomes: buttons over the board, by mouse or keyboard; Escape takes the move back. */

import { NAMES, placeOf } from "./squares.js";

const ORDER = ["q", "n", "r", "b", "k"];

/**
 * @param {HTMLElement} root the board
 * @param {{square: string, side: "white"|"black", choices: string[], orientation: "white"|"black"}} wish
 * @returns {Promise<string|null>} the letter, or null when the player thought better of it
 */
export function choosePromotion(root, { square, side, choices, orientation }) {
  const cover = document.createElement("div");
  cover.className = "promotion";
  cover.setAttribute("role", "dialog");
  cover.setAttribute("aria-label", "Promote the pawn to");
  const [column, row] = placeOf(square, orientation);
  const order = ORDER.filter((letter) => choices.includes(letter));
  const buttons = order.map((letter, index) => button(letter, side, column, row === 0 ? index : 7 - index));
  cover.append(...buttons);
  root.append(cover);
  buttons[0].focus();
  return new Promise((resolve) => listen(cover, buttons, resolve));
}

function button(letter, side, column, row) {
  const made = document.createElement("button");
  const piece = (side === "white" ? "w" : "b") + letter.toUpperCase();
  made.type = "button";
  made.dataset.letter = letter;
  made.setAttribute("aria-label", NAMES[letter.toUpperCase()]);
  made.style.transform = `translate(${column * 100}%, ${row * 100}%)`;
  const picture = document.createElement("span");
  picture.className = `glyph ${piece}`;
  made.append(picture);
  return made;
}

function listen(cover, buttons, resolve) {
  const done = (letter) => {
    cover.remove();
    resolve(letter);
  };
  cover.addEventListener("pointerdown", (event) => event.stopPropagation());
  cover.addEventListener("click", (event) => {
    event.stopPropagation();
    done(event.target.closest("button")?.dataset.letter ?? null);
  });
  cover.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") done(null);
    else if (step || event.key === "Tab") {
      event.preventDefault(); // the focus stays here until there is an answer
      const by = step ?? (event.shiftKey ? -1 : 1);
      const next = buttons.indexOf(document.activeElement) + by;
      buttons[(next + buttons.length) % buttons.length].focus();
    }
  });
}
