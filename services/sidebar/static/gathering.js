// Streamed words, written some twenty times a second however fast they come: each writing lays the page out anew.

const WRITE_EVERY_MS = 50;

export class Gathering {
  #write;
  #text = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;

  /** `write(text)` is given what came since it was last called. */
  /** @param {(text: string) => void} write */
  constructor(write) {
    this.#write = write;
  }

  /** @param {string} text */
  add(text) {
    this.#text += text;
    this.#timer ??= setTimeout(() => this.flush(), WRITE_EVERY_MS);
  }

  /** Write now what has not been written yet. */
  flush() {
    clearTimeout(this.#timer);
    const text = this.#text;
    this.#timer = undefined;
    this.#text = "";
    if (text) this.#write(text);
  }
}
