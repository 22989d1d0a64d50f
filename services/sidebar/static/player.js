// The player of the course page: a lecture with its captions, or a placeholder that shows these alone.

import { documentName, formatTime, textsFor } from "./texts.js";

/** @typedef {{ file: string, title: string, film: string }} Video `film` is the address of what can be played, if any */
/** @typedef {{ video: string, start_s: number, text: string }} Cue */

const LAST_CUE_S = 10; // how long the last caption stands
const BETWEEN_CUES_S = 0.05; // else a jump to a caption shows the one before it, too

/** @param {string} id @returns {any} the element, which the page's template holds */
const byId = (id) => document.getElementById(id);
/** Two names of one video are the same but for folder and suffix (`week1/lists.srt`, `lists.mp4`). */
const stem = (/** @type {string} */ file) => (file.split("/").pop() ?? "").replace(/\.[^.]+$/, "");

export class Player {
  #sidebar;
  #videos;
  #cues;
  #element = byId("player");
  #slider = byId("player-slider");
  #film = /** @type {HTMLVideoElement} */ (byId("player-film"));
  /** @type {TextTrack | undefined} */
  #captions;
  #video = "";
  #second = 0;

  /** The sidebar is told where the student is. */
  /** @param {HTMLElement} sidebar @param {Video[]} videos @param {Cue[]} cues */
  constructor(sidebar, videos, cues) {
    this.#sidebar = sidebar;
    this.#videos = videos;
    this.#cues = cues;
    this.#slider.addEventListener("input", () => this.seek(this.#video, Number(this.#slider.value)));
    byId("player-videos").addEventListener("click", (/** @type {{ target: HTMLElement }} */ { target }) => {
      const button = target.closest("button");
      if (button) this.seek(button.dataset.file ?? "", 0);
    });
    for (const event of ["timeupdate", "seeking"]) this.#film.addEventListener(event, () => this.#follow());
    const first = videos.find(({ film }) => film) ?? videos[0];
    if (first) this.seek(first.file, 0);
  }

  /** @param {string | null | undefined} video */
  knows(video) {
    return this.#videos.some(({ file }) => stem(file) === stem(video ?? ""));
  }

  /** Go to a second of a video; with `play` it goes on from there. */
  /** @param {string} video @param {number} second */
  seek(video, second, { play = false } = {}) {
    const known = this.#videos.find(({ file }) => stem(file) === stem(video));
    const changed = stem(video) !== stem(this.#video);
    this.#video = known?.file ?? video;
    this.#second = second;
    if (changed) this.#showVideo(known);
    if (!this.#film.hidden) {
      this.#film.currentTime = second;
      if (play) this.#film.play().catch(() => {}); // the browser may want a click in the player itself
    }
    this.#showTime();
  }

  show() {
    this.#element.scrollIntoView({ block: "nearest" });
  }

  #follow() {
    if (this.#film.hidden || !this.#film.currentSrc) return;
    this.#second = this.#film.currentTime;
    this.#showTime();
  }

  /** @param {Video | undefined} known */
  #showVideo(known) {
    const shown = this.#shownCues;
    this.#slider.max = Math.max(60, Math.ceil((shown.at(-1)?.start_s ?? 0) + 30));
    byId("player-title").textContent = titleOf(known, this.#video);
    byId("player-cues").replaceChildren(...shown.map((cue) => this.#cueItem(cue)));
    byId("player-transcript").hidden = !shown.length;
    for (const button of byId("player-videos").querySelectorAll("button")) {
      button.setAttribute("aria-current", String(button.dataset.file === this.#video));
    }
    this.#showFilm(known?.film ?? "", shown);
  }

  /** @param {string} film @param {Cue[]} shown */
  #showFilm(film, shown) {
    this.#film.hidden = !film;
    for (const id of ["player-caption", "player-controls", "player-remark"]) byId(id).hidden = Boolean(film);
    byId("player-spoken").hidden = !film;
    if (!film) return this.#film.pause();
    this.#film.src = film;
    const { captions: label = "" } = this.#element.dataset;
    this.#captions ??= this.#film.addTextTrack("captions", label, byId("player-title").lang);
    this.#captions.mode = "showing";
    for (const cue of [...(this.#captions.cues ?? [])]) this.#captions.removeCue(cue);
    shown.forEach(({ start_s: start, text }, n) => {
      const end = shown[n + 1] ? shown[n + 1].start_s - BETWEEN_CUES_S : start + LAST_CUE_S;
      this.#captions?.addCue(new VTTCue(start, end, text));
    });
  }

  /** @param {Cue} cue */
  #cueItem(cue) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    const time = document.createElement("time");
    button.type = "button";
    time.textContent = formatTime(cue.start_s);
    button.append(time, cue.text);
    button.addEventListener("click", () => this.seek(this.#video, cue.start_s));
    item.append(button);
    return item;
  }

  #showTime() {
    const second = this.#second;
    const time = formatTime(second);
    this.#slider.max = Math.max(Number(this.#slider.max), Math.ceil(second));
    this.#slider.value = second;
    this.#slider.setAttribute("aria-valuetext", time);
    byId("player-at").textContent = time;
    byId("player-time").textContent = `${time} / ${formatTime(this.#slider.max)}`;
    byId("view-course-time").textContent = second ? ` ▶ ${time}` : "";
    this.#sidebar.setAttribute("video", this.#video);
    this.#sidebar.setAttribute("second", String(Math.floor(second)));
    this.#showCue();
  }

  #showCue() {
    const shown = this.#shownCues;
    const current = shown.findLastIndex((cue) => cue.start_s <= this.#second);
    byId("player-caption").textContent = shown[current]?.text ?? "";
    const list = byId("player-cues");
    [...list.children].forEach((/** @type {any} */ item, index) => {
      const button = item.firstElementChild;
      const isCurrent = index === current;
      if (isCurrent && button.getAttribute("aria-current") !== "true") list.scrollTop = item.offsetTop - 48;
      button.setAttribute("aria-current", String(isCurrent));
    });
  }

  get #shownCues() {
    return this.#cues.filter((cue) => stem(cue.video) === stem(this.#video));
  }
}

/** What a teacher would call a video; its own title goes before the words of its file. */
/** @param {Video | undefined} known @param {string} video */
function titleOf(known, video) {
  const texts = textsFor(byId("player-title").lang);
  const number = /^0*(\d+)/.exec(stem(video))?.[1];
  if (!known) return documentName(video, texts);
  return number ? texts.lecture(number, known.title) : known.title;
}
