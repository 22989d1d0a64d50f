// The HTML of an answer that is being written: told by its changes, shown some twenty times a second.

const SHOW_EVERY_MS = 50;

export class GrowingHtml {
  #show;
  #html = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;

  /** `show(html)` is given all that has come, whenever there is more. */
  /** @param {(html: string) => void} show */
  constructor(show) {
    this.#show = show;
  }

  /** The first `keep` characters stay; `html` follows them now. */
  /** @param {{ keep: number, html: string }} change */
  change({ keep, html }) {
    this.#html = this.#html.slice(0, keep) + html;
    this.#timer ??= setTimeout(() => this.flush(), SHOW_EVERY_MS);
  }

  /** Show now what has not been shown yet. */
  flush() {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#show(this.#html);
  }
}
