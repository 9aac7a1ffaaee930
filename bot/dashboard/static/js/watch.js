/** The page that watches: which of its views the address names, and who is told what has changed. */

import { byId, setText } from "./watch-dom.js";
import { GamePage } from "./watch-game.js";
import { HistoryPage } from "./watch-history.js";
import { Live } from "./watch-live.js";
import { Overview } from "./watch-overview.js";

const TICK_MS = 100;
const VIEWS = ["overview", "game", "history"];

const live = new Live({ show: (names) => view().show?.(names), link: showLink });
const views = { overview: new Overview(live), game: new GamePage(live), history: new HistoryPage() };
let shown = "";

const view = () => views[shown] ?? {};

function showLink(isUp) {
  const state = byId("link-state");
  setText(state, isUp ? "" : "No connection to the service: trying again");
  document.body.classList.toggle("cut-off", !isUp);
}

/** "#/game/abcd1234" and "#/history?speed=blitz" */
function route() {
  const [, path = "", query = ""] = location.hash.match(/^#\/?([^?]*)\??(.*)$/) ?? [];
  const [name, id = ""] = path.split("/");
  if (name === "main") return; // the link past the masthead
  const wanted = name === "game" && id ? "game" : name === "history" ? "history" : "overview";
  const isNew = wanted !== shown;
  const isFirst = !shown;
  shown = wanted;
  for (const each of VIEWS) byId(each).hidden = each !== wanted;
  for (const each of ["overview", "history"]) {
    if (each === wanted) byId(`nav-${each}`).setAttribute("aria-current", "page");
    else byId(`nav-${each}`).removeAttribute("aria-current");
  }
  document.title = `Krait: ${wanted}`;
  live.follow(wanted === "game" ? decodeURIComponent(id) : "");
  if (wanted === "game") views.game.enter(decodeURIComponent(id));
  else if (wanted === "history") views.history.enter(new URLSearchParams(query));
  else views.overview.enter();
  if (!isFirst && (isNew || wanted === "game")) {
    scrollTo(0, 0);
    byId("main").focus({ preventScroll: true });
  }
}

async function showPlay() {
  const { play } = await (await fetch("api/about")).json();
  byId("nav-play").hidden = !play;
  if (play) byId("nav-play").href = play;
}

addEventListener("hashchange", route);
route();
setInterval(() => view().tick?.(), TICK_MS);
showPlay().catch(() => {}); // without an answer there is no link, and the connection's state is shown
