/** A game in PGN, as far as it has been played. Pure. */

const RESULTS = { white: "1-0", black: "0-1" };
const LINE = 80;

/** @param {import("./game.js").Game} game */
export function pgnOf(game) {
  const { full, state, start, steps } = game;
  const result = !game.isOver ? "*" : state.winner ? RESULTS[state.winner] : drawn(state.status);
  const tags = {
    Event: `${full.rated ? "Rated" : "Casual"} game`,
    Site: location.origin,
    Date: new Date(full.createdAt).toISOString().slice(0, 10).replaceAll("-", "."),
    Round: "-",
    White: full.white.name,
    Black: full.black.name,
    Result: result,
    TimeControl: full.clock ? `${full.clock.initial / 1000}+${full.clock.increment / 1000}` : "-",
  };
  if (full.variant.key !== "standard") tags.Variant = full.variant.name;
  if (full.initialFen !== "startpos") Object.assign(tags, { SetUp: "1", FEN: start.fen });
  const head = Object.entries(tags).map(([name, value]) => `[${name} "${value}"]`);
  return `${head.join("\n")}\n\n${wrapped([...numbered(steps, game.blackBegan, game.firstNumber), result])}\n`;
}

const drawn = (status) => (["aborted", "noStart"].includes(status) ? "*" : "1/2-1/2");

function numbered(steps, blackBegan, firstNumber) {
  const first = blackBegan ? 1 : 0;
  return steps.flatMap(({ san }, index) => {
    const ply = index + first;
    const number = Math.floor(ply / 2) + firstNumber;
    if (ply % 2 === 0) return [`${number}.`, san];
    return index === 0 ? [`${number}...`, san] : [san];
  });
}

function wrapped(words) {
  const lines = [""];
  for (const word of words) {
    const line = lines.at(-1);
    if (line && line.length + word.length + 1 > LINE) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines.join("\n");
}
