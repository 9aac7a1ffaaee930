/** The form for a new game: what it says, and what that is in the words of a challenge. */

const KEY = "krait.setup";
const FASTEST_S = 180; // the Board API begins at blitz: minutes plus 40 increments
const $ = (id) => document.getElementById(id);

export class Setup {
  /** @param {object} status of the server @param {(wish: object) => void} onWish */
  constructor(status, onWish) {
    this.form = $("setup");
    this.levels = status.levels;
    $("level").max = String(status.levels.length);
    $("elo").min = String(status.elo.min);
    $("elo").max = String(status.elo.max);
    this.variants = status.variants;
    const offered = status.variants.filter(({ key }) => key !== "fromPosition");
    $("variant").replaceChildren(...offered.map(({ key, name }) => new Option(name, key)));
    this.#recall();
    this.#showTime();
    this.form.addEventListener("input", (event) => this.#changed(event.target));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit(onWish);
    });
  }

  complain(text) {
    $("problem").textContent = text;
  }

  /** Nothing can be sent while the last wish is under way. */
  set busy(busy) {
    $("start").disabled = busy;
    $("start").textContent = busy ? "Asking Krait…" : "Play";
  }

  #changed(target) {
    this.complain("");
    if (target.id === "level") this.#showLevel(Number(target.value));
    if (target.id === "elo") this.#showElo(target.value);
    if (target.name === "time") this.#showTime();
    if (target.id === "variant") this.#showVariant();
  }

  /** Whether the engine that plays a variant can play it weaker. */
  hasLevels(variant) {
    return this.variants.some(({ key, levels }) => key === variant && levels);
  }

  #showVariant() {
    const fixed = !this.hasLevels($("variant").value);
    $("level").disabled = $("elo").disabled = fixed;
    if (fixed) $("level-name").textContent = "This variant has one strength";
    else this.#showElo($("elo").value);
  }

  #showLevel(level) {
    const { name, elo } = this.levels[level - 1];
    $("elo").value = elo ?? "";
    $("level-name").textContent = `Level ${level} · ${name}`;
    $("level").setAttribute("aria-valuetext", `Level ${level}, ${name}${elo ? `, ${elo} Elo` : ""}`);
  }

  #showElo(text) {
    const elo = Number(text);
    const reached = this.levels.filter((level) => level.elo !== null && level.elo <= elo).length;
    const level = text === "" ? this.levels.length : Math.max(1, reached);
    $("level").value = String(level);
    const exact = this.levels[level - 1].elo === elo || text === "";
    $("level-name").textContent = exact ? `Level ${level} · ${this.levels[level - 1].name}` : "Exact Elo";
  }

  #showTime() {
    $("custom").hidden = this.#chosen("time") !== "custom";
  }

  #chosen(name) {
    return this.form.elements[name].value;
  }

  #submit(onWish) {
    const problem = this.#problem();
    if (problem) {
      this.complain(problem);
      return;
    }
    this.#remember();
    onWish({ elo: $("elo").value === "" ? null : Number($("elo").value), coach: $("coach-wanted").checked, challenge: this.#challenge() });
  }

  #clock() {
    const time = this.#chosen("time");
    if (time === "unlimited") return null;
    const [minutes, increment] = time === "custom" ? [$("minutes").value, $("increment").value] : time.split("+");
    return { limit: Number(minutes) * 60, increment: Number(increment) };
  }

  #problem() {
    const elo = $("elo");
    if (!elo.validity.valid) return `Elo is a whole number from ${elo.min} to ${elo.max}; empty for full strength.`;
    for (const field of [$("minutes"), $("increment")]) {
      if (this.#chosen("time") === "custom" && (field.value === "" || !field.validity.valid)) {
        return "Time: 0 to 180 minutes and 0 to 60 seconds a move, in whole numbers.";
      }
    }
    const clock = this.#clock();
    if (clock && clock.limit + 40 * clock.increment < FASTEST_S) {
      return "That is too fast: the Board API of Lichess begins at blitz, such as 3+0 or 1+3.";
    }
    if ($("fen").value.trim() && $("variant").value !== "standard") return "A position can be set up in standard chess only.";
    if ($("fen").value.trim() && this.#chosen("mode") === "rated") return "A game from a position cannot be rated.";
    if (!clock && this.#chosen("mode") === "rated") return "A game without a clock cannot be rated.";
    return "";
  }

  #challenge() {
    const clock = this.#clock();
    const fen = $("fen").value.trim();
    return {
      color: this.#chosen("color"),
      rated: String(this.#chosen("mode") === "rated"),
      variant: fen ? "fromPosition" : $("variant").value,
      ...(fen ? { fen } : {}),
      ...(clock ? { "clock.limit": clock.limit, "clock.increment": clock.increment } : {}),
    };
  }

  #remember() {
    const kept = { elo: $("elo").value, color: this.#chosen("color"), time: this.#chosen("time"), coach: $("coach-wanted").checked };
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      // the next visit begins with the usual
    }
  }

  #recall() {
    this.#showLevel(Number($("level").value));
    try {
      const kept = JSON.parse(localStorage.getItem(KEY));
      if (!kept) return;
      $("elo").value = kept.elo;
      this.#showElo(kept.elo);
      this.form.elements.color.value = kept.color;
      this.form.elements.time.value = kept.time;
      $("coach-wanted").checked = kept.coach;
    } catch {
      // as written in the page
    }
  }
}
