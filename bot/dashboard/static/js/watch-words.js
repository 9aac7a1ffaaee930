/** How numbers, clocks and people are written. Pure. */

export const SPEEDS = {
  ultraBullet: "UltraBullet",
  bullet: "Bullet",
  blitz: "Blitz",
  rapid: "Rapid",
  classical: "Classical",
  correspondence: "Correspondence",
};
export const KINDS = { human: "people", bot: "bots", ai: "Lichess AI", anonymous: "anonymous" };
export const VARIANTS = {
  standard: "Standard",
  chess960: "Chess960",
  fromPosition: "From position",
  crazyhouse: "Crazyhouse",
  antichess: "Antichess",
  atomic: "Atomic",
  horde: "Horde",
  kingOfTheHill: "King of the Hill",
  racingKings: "Racing Kings",
  threeCheck: "Three-check",
};
const RESULTS = { win: "won", loss: "lost", draw: "drawn", aborted: "aborted" };
const STATUSES = {
  mate: "checkmate",
  resign: "resignation",
  stalemate: "stalemate",
  timeout: "left the game",
  draw: "draw",
  outoftime: "time",
  aborted: "aborted",
  noStart: "never begun",
  variantEnd: "variant's rule",
};

export const perfName = (perf) => SPEEDS[perf] ?? VARIANTS[perf] ?? perf;
export const resultWord = (result) => RESULTS[result] ?? "running";
export const statusWord = (status) => STATUSES[status] ?? status;
export const other = (side) => (side === "white" ? "black" : "white");
export const opponentOf = (game) => game[other(game.we)];

export function playerName({ name, title, rating, provisional }) {
  const rank = rating === undefined ? "" : ` (${rating}${provisional ? "?" : ""})`;
  return `${title ? `${title} ` : ""}${name}${rank}`;
}

/** 3:05, 0:08.3, 1:02:03, 2 days */
export function clock(ms) {
  const tenths = Math.max(0, Math.floor(ms / 100));
  const seconds = Math.floor(tenths / 10);
  const two = (number) => String(number).padStart(2, "0");
  if (seconds >= 172_800) return `${Math.floor(seconds / 86_400)} days`;
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  const short = `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  return seconds < 20 ? `${short}.${tenths % 10}` : short;
}

/** 840 ms, 3.2 s, 48 s, 2 min */
export function spent(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** 45 s, 12 min, 5 h, 3 d */
export function span(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return seconds < 129_600 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** 1.9 M, 812 k, 40 */
export function many(number) {
  if (number >= 1e9) return `${(number / 1e9).toFixed(1)} G`;
  if (number >= 1e6) return `${(number / 1e6).toFixed(1)} M`;
  return number >= 1e4 ? `${Math.round(number / 1e3)} k` : String(number);
}

export const megabytes = (bytes) => (bytes ? `${Math.round(bytes / 1048576)} MB` : "–");

/** White's score: +0.31, −1.20, #5, #−3 */
export function score(value) {
  if (!value) return "";
  if (value.mate !== undefined) return `#${value.won || !value.mate ? "" : "−"}${Math.abs(value.mate)}`;
  const pawns = (Math.abs(value.cp) / 100).toFixed(2);
  return `${value.cp < 0 ? "−" : "+"}${pawns}`;
}

/** The share of a point that a score promises White, 0 to 1. */
export function share(value) {
  if (value.mate !== undefined) return value.won ? 1 : 0;
  return 1 / (1 + Math.exp(-value.cp / 270));
}

/** The day and the time, as people here write them. */
export function moment(ms) {
  const year = new Date(ms).getFullYear() === new Date().getFullYear() ? undefined : "numeric";
  return new Date(ms).toLocaleString(undefined, { year, month: "short", day: "numeric", hour: "numeric", minute: "2-digit" });
}

/** 62.5 % */
export function percent({ wins, draws, losses }) {
  const games = wins + draws + losses;
  return games ? `${((100 * (wins + draws / 2)) / games).toFixed(1)} %` : "–";
}

export const gameHref = (id) => `#/game/${encodeURIComponent(id)}`;
