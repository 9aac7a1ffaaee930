/** Curves and bars as plain SVG. Each chart is one picture with a text; only its path is changed. */

import { svg } from "./watch-dom.js";
import { score as scoreText, share, spent as spentText } from "./watch-words.js";

const WIDE = 300;

function picture(root, high, label) {
  const drawing = svg("svg", { viewBox: `0 0 ${WIDE} ${high}`, preserveAspectRatio: "none", role: "img", "aria-label": label });
  root.append(drawing);
  return drawing;
}

const name = (drawing, text) => {
  if (drawing.getAttribute("aria-label") !== text) drawing.setAttribute("aria-label", text);
};

/** White's chances, ply by ply: what is below the line is White's. `pick(ply)` hears of clicks. */
export class EvalGraph {
  constructor(root, { pick = null } = {}) {
    this.high = 80;
    this.drawing = picture(root, this.high, "Evaluation");
    this.drawing.classList.add("eval");
    this.dark = svg("path", { class: "dark" });
    this.area = svg("path", { class: "area" });
    this.line = svg("path", { class: "line" });
    this.middle = svg("path", { class: "middle", d: `M0 ${this.high / 2}H${WIDE}` });
    this.cursor = svg("path", { class: "cursor" });
    this.drawing.append(this.dark, this.area, this.middle, this.line, this.cursor);
    if (pick) this.drawing.addEventListener("click", (event) => pick(this.#plyAt(event)));
  }

  /** @param {(object|null)[]} scores one for each ply @param {number|null} at the ply shown */
  set(scores, at = null) {
    this.plies = Math.max(scores.length, 20);
    const points = [[0, this.high / 2]];
    scores.forEach((score, ply) => {
      if (score) points.push([((ply + 1) / this.plies) * WIDE, (1 - share(score)) * this.high]);
    });
    const path = points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
    this.line.setAttribute("d", `M${path}`);
    this.area.setAttribute("d", `M0 ${this.high}L${path}V${this.high}Z`);
    this.dark.setAttribute("d", `M0 0H${points.at(-1)[0].toFixed(1)}V${this.high}H0Z`);
    this.cursor.setAttribute("d", at === null ? "" : `M${((at / this.plies) * WIDE).toFixed(1)} 0V${this.high}`);
    const last = scores.findLast(Boolean);
    name(this.drawing, last ? `Evaluation over ${scores.length} plies, now ${scoreText(last)} for White` : "No evaluation yet");
  }

  #plyAt(event) {
    const { left, width } = this.drawing.getBoundingClientRect();
    return Math.round(((event.clientX - left) / width) * this.plies);
  }
}

/** Time a move: White's bars go up, Black's down. */
export class TimeBars {
  constructor(root) {
    this.high = 40;
    this.drawing = picture(root, this.high, "Time a move");
    this.drawing.classList.add("bars");
    this.bars = { ours: svg("path", { class: "ours" }), theirs: svg("path", { class: "theirs" }) };
    this.drawing.append(svg("path", { class: "middle", d: `M0 20H${WIDE}` }), this.bars.ours, this.bars.theirs);
  }

  /** @param {(number|null)[]} spent ms, one for each ply @param {boolean} weAreFirst the first ply is ours */
  set(spent, weAreFirst) {
    const step = WIDE / Math.max(spent.length, 20);
    const most = Math.max(1, ...spent.map((ms) => ms ?? 0));
    const paths = { ours: "", theirs: "" };
    spent.forEach((ms, ply) => {
      if (!ms) return;
      const tall = Math.max(0.8, Math.sqrt(ms / most) * 19); // the root: short thoughts are seen, too
      const x = (ply * step).toFixed(1);
      const y = ply % 2 ? 20 : 20 - tall;
      paths[(ply % 2 === 0) === weAreFirst ? "ours" : "theirs"] += `M${x} ${y.toFixed(1)}h${(step * 0.8).toFixed(1)}v${tall.toFixed(1)}h-${(step * 0.8).toFixed(1)}z`;
    });
    this.bars.ours.setAttribute("d", paths.ours);
    this.bars.theirs.setAttribute("d", paths.theirs);
    name(this.drawing, spent.some(Boolean) ? `Time a move, the longest ${spentText(most)}` : "No time measured yet");
  }
}

/** Ratings over time: a line for each kind of game. */
export function ratingCurves(root, curves, perfName) {
  const all = Object.values(curves).flat();
  const high = 120;
  const [from, to] = [Math.min(...all.map(([at]) => at)), Math.max(...all.map(([at]) => at))];
  const [low, top] = [Math.min(...all.map(([, rating]) => rating)) - 10, Math.max(...all.map(([, rating]) => rating)) + 10];
  const x = (at) => (to === from ? WIDE : ((at - from) / (to - from)) * WIDE);
  const y = (rating) => high - ((rating - low) / (top - low)) * high;
  const named = Object.entries(curves).map(([perf, points]) => `${perfName(perf)} ${points.at(-1)[1]}`);
  root.replaceChildren();
  const drawing = picture(root, high, `Rating over time: ${named.join(", ")}`);
  drawing.classList.add("curves");
  Object.values(curves).forEach((points, index) => {
    const path = points.map(([at, rating]) => `${x(at).toFixed(1)} ${y(rating).toFixed(1)}`);
    if (path.length === 1) path.unshift(`0 ${path[0].split(" ")[1]}`);
    drawing.append(svg("path", { class: `curve c${index % 6}`, d: `M${path.join("L")}` }));
  });
  return { low: low + 10, top: top - 10, from, to };
}
