/** Sounds made by the browser itself; whether they are wanted is remembered. */

const KEY = "krait.sound";

// frequency in Hz, when it begins and how long it lasts in seconds, how loud
const SOUNDS = {
  move: { thud: 900, tones: [] },
  capture: { thud: 520, tones: [[190, 0, 0.07, 0.18]] },
  check: { thud: 900, tones: [[880, 0, 0.09, 0.09], [1175, 0.07, 0.12, 0.08]] },
  start: { thud: 0, tones: [[523, 0, 0.12, 0.1], [784, 0.1, 0.2, 0.1]] },
  end: { thud: 0, tones: [[523, 0, 0.3, 0.08], [659, 0.06, 0.3, 0.08], [784, 0.12, 0.4, 0.08]] },
  warning: { thud: 0, tones: [[440, 0, 0.09, 0.12], [440, 0.16, 0.09, 0.12]] },
};

export class Sound {
  #context = null;

  constructor() {
    try {
      this.on = localStorage.getItem(KEY) !== "off";
    } catch {
      this.on = true;
    }
  }

  toggle() {
    this.on = !this.on;
    try {
      localStorage.setItem(KEY, this.on ? "on" : "off");
    } catch {
      // it holds for this page
    }
    if (this.on) this.play("move");
    return this.on;
  }

  /** @param {"move"|"capture"|"check"|"start"|"end"|"warning"} name */
  play(name) {
    if (!this.on || typeof AudioContext === "undefined" || !navigator.userActivation?.hasBeenActive) return;
    this.#context ??= new AudioContext();
    const { thud, tones } = SOUNDS[name];
    if (thud) this.#thud(thud);
    for (const [hertz, at, lasts, loud] of tones) this.#tone(hertz, at, lasts, loud);
  }

  /** What a move sounds like, from its name in SAN. */
  move(san) {
    this.play(/[+#]/.test(san) ? "check" : san.includes("x") ? "capture" : "move");
  }

  #tone(hertz, at, lasts, loud) {
    const { currentTime, destination } = this.#context;
    const source = new OscillatorNode(this.#context, { frequency: hertz, type: "triangle" });
    const gain = new GainNode(this.#context, { gain: 0 });
    gain.gain.setValueAtTime(loud, currentTime + at);
    gain.gain.exponentialRampToValueAtTime(0.001, currentTime + at + lasts);
    source.connect(gain).connect(destination);
    source.start(currentTime + at);
    source.stop(currentTime + at + lasts);
  }

  /** Wood on wood: a short noise through a narrow filter. */
  #thud(hertz) {
    const { sampleRate, currentTime, destination } = this.#context;
    const buffer = new AudioBuffer({ length: Math.round(sampleRate * 0.06), sampleRate });
    const data = buffer.getChannelData(0);
    for (let index = 0; index < data.length; index++) {
      data[index] = (Math.random() * 2 - 1) * (1 - index / data.length) ** 4;
    }
    const source = new AudioBufferSourceNode(this.#context, { buffer });
    const filter = new BiquadFilterNode(this.#context, { type: "bandpass", frequency: hertz, Q: 1.2 });
    const gain = new GainNode(this.#context, { gain: 0.9 });
    source.connect(filter).connect(gain).connect(destination);
    source.start(currentTime);
  }
}
