// The course page: its material, a player placeholder that follows `vta-seek`, and the page's own switches.

import { CourseReading } from "./course-reading.js";
import { formatTime } from "./texts.js";

/** @param {string} id @returns {any} the element, which the page's template holds */
const byId = (id) => document.getElementById(id);
/** @typedef {{ video: string, start_s: number, text: string }} Cue */
/** @type {{ videos: { file: string, title: string }[], cues: Cue[] }} */
const { videos, cues } = JSON.parse(byId("course-data").textContent);
const sidebar = /** @type {HTMLElement} */ (document.querySelector("vta-sidebar"));

/** Two names of one video are the same but for folder and suffix (`week1/lists.srt`, `lists.mp4`). */
const stem = (/** @type {string} */ file) => (file.split("/").pop() ?? "").replace(/\.[^.]+$/, "");

const player = byId("player");
const slider = byId("player-slider");
const playButton = byId("player-play");
/** @type {{ video: string, second: number, ticking: ReturnType<typeof setInterval> | undefined }} */
const state = { video: videos[0]?.file ?? "", second: 0, ticking: undefined };

const knows = (/** @type {string | undefined} */ video) => videos.some(({ file }) => stem(file) === stem(video ?? ""));
const cuesOf = (/** @type {string} */ video) => cues.filter((cue) => stem(cue.video) === stem(video));

/** @param {string} video @param {number} second */
function seek(video, second) {
  const known = videos.find(({ file }) => stem(file) === stem(video));
  const changed = stem(video) !== stem(state.video);
  state.video = known?.file ?? video;
  state.second = second;
  if (changed) showVideo();
  showTime();
}

function showVideo() {
  const shown = cuesOf(state.video);
  slider.max = Math.max(60, Math.ceil((shown.at(-1)?.start_s ?? 0) + 30));
  byId("player-title").textContent = videos.find(({ file }) => file === state.video)?.title ?? state.video;
  byId("player-cues").replaceChildren(...shown.map(cueItem));
  byId("player-transcript").hidden = !shown.length;
  for (const button of byId("player-videos").querySelectorAll("button")) {
    button.setAttribute("aria-current", String(button.dataset.file === state.video));
  }
}

/** @param {Cue} cue */
function cueItem(cue) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  const time = document.createElement("time");
  button.type = "button";
  time.textContent = formatTime(cue.start_s);
  button.append(time, cue.text);
  button.addEventListener("click", () => seek(state.video, cue.start_s));
  item.append(button);
  return item;
}

function showTime() {
  const { video, second } = state;
  const time = formatTime(second);
  slider.max = Math.max(Number(slider.max), Math.ceil(second));
  slider.value = second;
  slider.setAttribute("aria-valuetext", time);
  byId("player-at").textContent = `${video} @ ${time}`;
  byId("player-time").textContent = `${time} / ${formatTime(slider.max)}`;
  byId("view-course-time").textContent = second ? ` ▶ ${time}` : "";
  sidebar.setAttribute("video", video);
  sidebar.setAttribute("second", String(Math.floor(second)));
  showCue();
}

function showCue() {
  const shown = cuesOf(state.video);
  const current = shown.findLastIndex((cue) => cue.start_s <= state.second);
  byId("player-caption").textContent = shown[current]?.text ?? "";
  const list = byId("player-cues");
  [...list.children].forEach((/** @type {any} */ item, index) => {
    const button = item.firstElementChild;
    const isCurrent = index === current;
    if (isCurrent && button.getAttribute("aria-current") !== "true") list.scrollTop = item.offsetTop - 48;
    button.setAttribute("aria-current", String(isCurrent));
  });
}

/** @param {boolean} isPlaying */
function play(isPlaying) {
  clearInterval(state.ticking);
  state.ticking = isPlaying ? setInterval(tick, 1000) : undefined;
  playButton.textContent = isPlaying ? player.dataset.pause : player.dataset.play;
}

function tick() {
  if (state.second >= Number(slider.max)) return play(false);
  state.second += 1;
  showTime();
}

/** @param {string} view */
function showView(view) {
  document.body.dataset.view = view;
  if (view === "course") reading.show();
  for (const button of byId("views").querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.dataset.view === view));
  }
}

/** @param {string} theme */
function showTheme(theme) {
  document.documentElement.dataset.theme = theme;
  sidebar.setAttribute("theme", theme);
}

function otherTheme() {
  const chosen = document.documentElement.dataset.theme;
  const isDark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  return isDark ? "light" : "dark";
}

document.addEventListener("vta-seek", (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  if (!videos.length) return;
  seek(detail.video, detail.start_s);
  if (detail.show) showView("course");
  player.scrollIntoView({ block: "nearest" });
});
document.addEventListener("vta-read", (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  event.preventDefault();
  const isPlayed = knows(detail.video); // the player goes there
  if (detail.show) showView("course");
  if (!isPlayed) reading.open(detail);
});
byId("reading").addEventListener("click", (/** @type {MouseEvent} */ event) => {
  const { video, second } = /** @type {HTMLElement} */ (event.target).closest("a")?.dataset ?? {};
  if (!video || !knows(video)) return;
  event.preventDefault();
  seek(video, Number(second));
  player.scrollIntoView({ block: "nearest" });
});
playButton.addEventListener("click", () => play(!state.ticking));
slider.addEventListener("input", () => seek(state.video, Number(slider.value)));
byId("player-videos").addEventListener("click", (/** @type {{ target: HTMLElement }} */ { target }) => {
  const button = target.closest("button");
  if (button) seek(button.dataset.file ?? "", 0);
});
byId("views").addEventListener("click", (/** @type {{ target: HTMLElement }} */ { target }) => {
  const button = target.closest("button");
  if (button) showView(button.dataset.view ?? "course");
});
byId("theme").addEventListener("click", () => {
  const theme = otherTheme();
  localStorage.setItem("vta-theme", theme);
  showTheme(theme);
});

const remembered = localStorage.getItem("vta-theme");
if (remembered) showTheme(remembered);
if (videos.length) {
  showVideo();
  showTime();
}
const reading = new CourseReading(sidebar, (question) => {
  showView("assistant");
  /** @type {any} */ (sidebar).ask(question);
});
showView("course");
