/** Lines of JSON as they arrive, over connections that may break at any time. */

const SILENCE_MS = 20_000; // a living stream has a blank line every 7 s
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 5_000;

/** The server answered, and the answer is no: asking again would not help. */
export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/**
 * Each line of a response; keep-alives are swallowed, silence is an error.
 * @param {Response} response @param {AbortController} door
 */
export async function* linesOf(response, door) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let alarm = setTimeout(() => door.abort(), SILENCE_MS);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(alarm);
      alarm = setTimeout(() => door.abort(), SILENCE_MS);
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) if (line.trim()) yield JSON.parse(line);
    }
  } finally {
    clearTimeout(alarm);
  }
}

/**
 * Follow a stream until `isOver()`, through as many connections as it takes.
 * @param {(signal: AbortSignal) => Promise<Response>} open throws Refused when it is no use
 * @param {{onLine: (line: object) => void, isOver: () => boolean, onLost: () => void, onFound: () => void}} ears
 * @returns {{stop: () => void, done: Promise<void>}} `done` rejects with Refused
 */
export function follow(open, { onLine, isOver, onLost, onFound }) {
  let door = new AbortController();
  let stopped = false;
  const run = async () => {
    let pause = FIRST_PAUSE_MS;
    while (!stopped && !isOver()) {
      door = new AbortController();
      try {
        const response = await open(door.signal);
        onFound();
        for await (const line of linesOf(response, door)) {
          pause = FIRST_PAUSE_MS;
          if (stopped) return;
          onLine(line);
        }
      } catch (error) {
        if (stopped) return;
        if (error instanceof Refused) throw error;
      }
      if (stopped || isOver()) return;
      onLost();
      await new Promise((resolve) => setTimeout(resolve, pause));
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  };
  const stop = () => {
    stopped = true;
    door.abort();
  };
  return { stop, done: run() };
}
