/** The review of a game as a picture: White's chances after each ply, the marked moves as dots. */

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 100;

/**
 * @param {HTMLElement} figure
 * @param {{ply: number, share: number, verdict: string, score: string}[]} points
 * @param {{plies: number, ply: number, onPick: (ply: number) => void, caption: string}} scene
 */
export function drawGraph(figure, points, { plies, ply, onPick, caption }) {
  const wide = Math.max(1, plies);
  const x = (at) => (at / wide) * 400;
  const y = (share) => HEIGHT - share * HEIGHT;
  const svg = make("svg", { viewBox: `0 0 400 ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": caption });
  const line = points.map((point) => `L${x(point.ply).toFixed(1)} ${y(point.share).toFixed(1)}`).join("");
  const end = points.length ? x(points.at(-1).ply).toFixed(1) : 0;
  svg.append(
    make("path", { class: "area", d: `M0 ${HEIGHT}${line}L${end} ${HEIGHT}Z` }),
    make("line", { class: "zero", x1: 0, x2: 400, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
    make("line", { class: "now", x1: x(ply), x2: x(ply), y1: 0, y2: HEIGHT }),
    ...points.filter((point) => point.verdict).map((point) =>
      make("ellipse", { class: `dot ${point.verdict}`, cx: x(point.ply), cy: y(point.share), rx: 4.5, ry: 4 })),
  );
  svg.addEventListener("click", (event) => {
    const { left, width } = svg.getBoundingClientRect();
    onPick(Math.round(((event.clientX - left) / width) * wide));
  });
  const words = document.createElement("figcaption");
  words.textContent = caption;
  figure.replaceChildren(svg, words);
}

function make(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}
