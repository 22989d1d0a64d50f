// An answer while it is written: its text as far as it is set, the stage with the time it takes, and what was found.

import { make } from "./dom.js";
import { linkMarkers } from "./markers.js";
import { grow, prose } from "./prose.js";
import { sourceList } from "./sources.js";

const TELL_AFTER_S = 2;

export class Writing {
  #texts;
  #open;
  /** @type {Api.CitationOut[]} */
  #sources = [];
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #clock = undefined;
  #text = prose("div", { testid: "streaming", "aria-live": "off" }, "");
  #note = make("p", { class: "note", testid: "stopped" });
  #stage = make("span", { testid: "progress", role: "status" });
  #elapsed = make("span", { testid: "elapsed", "aria-hidden": "true" }); // it would speak each second
  #progress = make("p", { class: "progress" }, this.#stage, this.#elapsed);
  #found = make("div", { class: "more" });
  element = make("div", {}, this.#text, this.#note, this.#progress, this.#found);

  /** @param {Sidebar.Texts} texts @param {Sidebar.Open} open */
  constructor(texts, open) {
    this.#texts = texts;
    this.#open = open;
  }

  /** Begin, also anew: what was written before stands until there is something in its place. */
  begin() {
    const begun = performance.now();
    this.#say(this.#texts.reading);
    this.#note.hidden = true;
    this.#progress.hidden = false;
    this.#clock = setInterval(() => {
      const seconds = Math.round((performance.now() - begun) / 1000);
      if (seconds >= TELL_AFTER_S) this.#elapsed.textContent = this.#texts.elapsed(seconds);
    }, 1000);
  }

  /** No more comes; `note` says so below what was written. */
  /** @param {string} note */
  end(note = "") {
    this.#stopClock();
    this.#progress.hidden = true;
    this.#note.hidden = !note;
    this.#note.textContent = note;
  }

  get isEmpty() {
    return !this.#text.hasChildNodes();
  }

  get hasOpenSources() {
    return Boolean(this.#found.querySelector("details")?.open);
  }

  /** @param {Exclude<Sidebar.Shown, { type: "done" }>} event */
  add(event) {
    if (event.type === "trace" && this.isEmpty) this.#say(this.#texts.searching);
    if (event.type === "sources") this.#find(event.data);
    if (event.type === "written") this.#write(event.data.html);
  }

  /** @param {Api.CitationOut[]} sources */
  #find(sources) {
    this.#sources = sources;
    this.#found.replaceChildren(sourceList(sources, this.#texts.found(sources.length), this.#texts, this.#open));
    this.#say(this.#texts.thinking);
  }

  /** @param {string} html */
  #write(html) {
    const next = prose("div", {}, html);
    linkMarkers(next, this.#sources, this.#texts, this.#open);
    grow(this.#text, next);
    this.#stopClock();
    this.#say(this.#texts.writing);
  }

  #stopClock() {
    clearInterval(this.#clock);
    this.#elapsed.textContent = "";
  }

  /** A status line speaks each time it is written: only write what is new. */
  /** @param {string} stage */
  #say(stage) {
    if (stage !== this.#stage.textContent) this.#stage.textContent = stage;
  }
}
