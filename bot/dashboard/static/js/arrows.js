/** Arrows over a board. */

import { placeOf } from "./squares.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {HTMLElement} root the board
 * @param {{from: string, to: string, kind?: string}[]} list `kind` becomes a class: best, second …
 */
export function drawArrows(root, list, orientation) {
  let picture = root.querySelector("svg.arrows");
  if (!picture) {
    if (!list.length) return;
    picture = document.createElementNS(SVG, "svg");
    picture.setAttribute("class", "arrows");
    picture.setAttribute("viewBox", "0 0 8 8");
    picture.setAttribute("aria-hidden", "true");
    root.append(picture);
  }
  const wanted = list.filter(({ from, to }) => from && to && from !== to);
  picture.replaceChildren(...wanted.map((arrow) => drawn(arrow, orientation)));
}

function drawn({ from, to, kind = "best" }, orientation) {
  const [x1, y1] = placeOf(from, orientation).map((at) => at + 0.5);
  const [x2, y2] = placeOf(to, orientation).map((at) => at + 0.5);
  const long = Math.hypot(x2 - x1, y2 - y1);
  const [dx, dy] = [(x2 - x1) / long, (y2 - y1) / long];
  const [baseX, baseY] = [x2 - dx * 0.38, y2 - dy * 0.38];
  const [wideX, wideY] = [-dy * 0.22, dx * 0.22];
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("class", `arrow ${kind}`);
  path.setAttribute(
    "d",
    `M${x1 + dx * 0.2} ${y1 + dy * 0.2} L${baseX} ${baseY} ` +
      `M${baseX + wideX} ${baseY + wideY} L${x2} ${y2} L${baseX - wideX} ${baseY - wideY} Z`,
  );
  return path;
}
