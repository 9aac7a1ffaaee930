/** Games of the past: which of them, what was played, how it went. The choice is in the address. */

import { byId, el, fillTable, setText } from "./watch-dom.js";
import { showRecent } from "./watch-tables.js";

export class HistoryPage {
  #asked = 0;

  constructor() {
    this.form = byId("filters");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#go(this.#chosen());
    });
    this.form.addEventListener("change", (event) => {
      if (event.target.matches("select, [type=date]")) this.#go(this.#chosen());
    });
    this.form.addEventListener("reset", () => this.#go(new URLSearchParams()));
  }

  /** @param {URLSearchParams} query what the address says */
  async enter(query) {
    for (const field of this.form.elements) if (field.name) field.value = query.get(field.name) ?? "";
    const asked = ++this.#asked;
    const chosen = new URLSearchParams(query);
    chosen.delete("page");
    byId("history-pgn").href = `api/games.pgn?${chosen}`;
    try {
      const [games, openings] = await Promise.all([ask(`api/games?${query}`), ask(`api/openings?${chosen}`)]);
      if (asked !== this.#asked) return; // a later question is on its way
      this.#show(games, openings, query);
      byId("history-error").hidden = true;
    } catch (error) {
      setText(byId("history-error"), error.message);
      byId("history-error").hidden = false;
    }
  }

  #show({ total, page, pages, games }, { openings }, query) {
    setText(byId("history-count"), `${total} ${total === 1 ? "game" : "games"}`);
    byId("history-pgn").classList.toggle("off", !total);
    showRecent(byId("found"), games);
    showOpenings(openings, query);
    const link = (to, text) => {
      const there = new URLSearchParams(query);
      there.set("page", to);
      return el("a", { class: "button", href: `#/history?${there}` }, text);
    };
    byId("pages").hidden = pages < 2;
    byId("pages").replaceChildren(
      ...(page > 1 ? [link(page - 1, "Newer")] : []),
      el("span", {}, `Page ${page} of ${pages}`),
      ...(page < pages ? [link(page + 1, "Older")] : []),
    );
  }

  #chosen() {
    const chosen = new URLSearchParams();
    for (const [name, value] of new FormData(this.form)) if (value) chosen.set(name, value);
    return chosen;
  }

  #go(chosen) {
    const text = chosen.toString();
    location.hash = text ? `#/history?${text}` : "#/history";
  }
}

async function ask(url) {
  let answer;
  try {
    answer = await fetch(url);
  } catch {
    throw new Error("The service does not answer.");
  }
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  return found;
}

function showOpenings(openings, query) {
  const href = (opening) => {
    const there = new URLSearchParams(query);
    there.delete("page");
    there.set("opening", opening);
    return `#/history?${there}`;
  };
  fillTable(byId("openings"), {
    caption: "Openings of these games, the most played first",
    columns: [
      { name: "ECO" }, { name: "Opening" }, { name: "Games", kind: "number" }, { name: "+", kind: "number" },
      { name: "=", kind: "number" }, { name: "−", kind: "number" }, { name: "Score", kind: "number" },
    ],
    rows: openings.map((each) => [
      each.eco, { text: each.opening, href: href(each.opening) }, String(each.games),
      String(each.wins), String(each.draws), String(each.losses), `${(100 * each.score).toFixed(1)} %`,
    ]),
    empty: "No opening of these games has a name.",
  });
}
