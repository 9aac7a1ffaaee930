/** The list of moves: click one to see the position after it. */

export class MoveList {
  /** @param {HTMLElement} root @param {(ply: number) => void} onPick */
  constructor(root, onPick) {
    this.root = root;
    this.verdicts = new Map(); // ply -> blunder, mistake, inaccuracy
    this.key = "";
    root.addEventListener("click", (event) => {
      const ply = event.target.closest("button")?.dataset.ply;
      if (ply) onPick(Number(ply));
    });
  }

  /** @param {import("./game.js").Game} game */
  show({ steps, ply, blackBegan, firstNumber }) {
    const key = JSON.stringify([steps.map(({ san }) => san), blackBegan, firstNumber, [...this.verdicts]]);
    if (key !== this.key) {
      this.key = key;
      this.#build(steps, blackBegan, firstNumber);
    }
    for (const button of this.root.querySelectorAll("button")) {
      const isShown = Number(button.dataset.ply) === ply;
      if (isShown) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
      if (isShown) this.#reveal(button);
    }
  }

  judge(ply, verdict) {
    this.verdicts.set(ply, verdict);
  }

  clear() {
    this.verdicts.clear();
  }

  #build(steps, blackBegan, firstNumber) {
    if (!steps.length) {
      this.root.replaceChildren(line(cell("span", "empty", "No moves yet.")));
      return;
    }
    const cells = steps.map(({ san }, index) => this.#move(san, index + 1));
    if (blackBegan) cells.unshift(cell("span", "blank", "…"));
    const rows = [];
    for (let index = 0; index < cells.length; index += 2) {
      const row = line(cell("span", "number", String(index / 2 + firstNumber)), cells[index]);
      row.append(cells[index + 1] ?? cell("span", "blank", ""));
      rows.push(row);
    }
    this.root.replaceChildren(...rows);
  }

  #move(san, ply) {
    const button = cell("button", this.verdicts.get(ply) ?? "", san);
    button.type = "button";
    button.dataset.ply = String(ply);
    if (this.verdicts.get(ply)) button.setAttribute("aria-label", `${san}, ${this.verdicts.get(ply)}`);
    return button;
  }

  /** Scrolls the list alone, never the page. */
  #reveal(button) {
    const { offsetTop, offsetHeight } = button;
    const top = offsetTop - this.root.offsetTop;
    if (top < this.root.scrollTop) this.root.scrollTop = top;
    const bottom = top + offsetHeight - this.root.clientHeight;
    if (bottom > this.root.scrollTop) this.root.scrollTop = bottom;
  }
}

function line(...cells) {
  const made = document.createElement("li");
  made.append(...cells);
  return made;
}

function cell(tag, name, text) {
  const made = document.createElement(tag);
  made.className = name;
  made.textContent = text;
  return made;
}
