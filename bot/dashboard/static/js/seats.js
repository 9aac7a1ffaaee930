/** The two players beside the board: name, prey or pocket, clock. */

import { Clock } from "./clock.js";
import { NAMES } from "./squares.js";

export class Seat {
  /** @param {HTMLElement} root @param {{onLow?: () => void, onPocket?: (letter: string) => void}} [ears] */
  constructor(root, { onLow, onPocket = () => {} } = {}) {
    this.root = root;
    this.who = make(root, "div", "who");
    this.name = make(this.who, "span", "name");
    this.taken = make(this.who, "div", "taken");
    this.pocket = make(root, "div", "pocket");
    this.clock = new Clock(make(root, "span", "clock"), { onLow });
    this.clock.element.hidden = true;
    this.onPocket = onPocket;
    this.shown = "";
  }

  setName(name, about) {
    const small = document.createElement("small");
    small.textContent = about;
    this.name.replaceChildren(name, small);
    this.clock.element.setAttribute("aria-label", `Time of ${name}`);
  }

  /** @param {{taken: string[], ahead: number}} prey */
  setPrey({ taken, ahead }) {
    const key = taken.join() + ahead;
    if (key === this.shown) return;
    this.shown = key;
    const glyphs = taken.map((piece, index) => {
      const glyph = document.createElement("i");
      glyph.className = `glyph ${piece}${index && taken[index - 1] !== piece ? " next" : ""}`;
      return glyph;
    });
    this.taken.replaceChildren(...glyphs);
    if (ahead > 0) make(this.taken, "b").textContent = `+${ahead}`;
  }

  /** What may be dropped; null where the variant has no pockets. */
  setPocket(held, colour, { enabled, selected }) {
    this.taken.hidden = Boolean(held);
    if (!held) {
      this.pocket.replaceChildren();
      return;
    }
    const letters = ["P", "N", "B", "R", "Q"].filter((letter) => held[letter]);
    this.pocket.replaceChildren(
      ...letters.map((letter) => this.#pocketButton(letter, held[letter], colour, enabled, selected)),
    );
  }

  #pocketButton(letter, count, colour, enabled, selected) {
    const button = document.createElement("button");
    button.type = "button";
    button.disabled = !enabled;
    button.setAttribute("aria-label", `${NAMES[letter]} in hand, ${count}`);
    button.setAttribute("aria-pressed", String(selected === `${letter}@`));
    make(button, "i", `glyph ${colour === "white" ? "w" : "b"}${letter}`);
    make(button, "sup").textContent = count > 1 ? String(count) : "";
    button.addEventListener("click", () => this.onPocket(letter));
    return button;
  }
}

function make(root, tag, name = "") {
  const made = document.createElement(tag);
  made.className = name;
  root.append(made);
  return made;
}
