// The course page: its material, its player, which follows `vta-seek`, and the page's own switches.

import { CourseReading } from "./course-reading.js";
import { Player } from "./player.js";

/** @param {string} id @returns {any} the element, which the page's template holds */
const byId = (id) => document.getElementById(id);
const { videos, cues } = JSON.parse(byId("course-data").textContent);
const sidebar = /** @type {HTMLElement} */ (document.querySelector("vta-sidebar"));
const player = new Player(sidebar, videos, cues);

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
  if (detail.show) showView("course");
  player.seek(detail.video, detail.start_s, { play: detail.show });
  player.show();
});
document.addEventListener("vta-read", (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  event.preventDefault();
  const isPlayed = player.knows(detail.video); // the player goes there
  if (detail.show) showView("course");
  if (!isPlayed) reading.open(detail);
});
byId("reading").addEventListener("click", (/** @type {MouseEvent} */ event) => {
  const { video, second } = /** @type {HTMLElement} */ (event.target).closest("a")?.dataset ?? {};
  if (!video || !player.knows(video)) return;
  event.preventDefault();
  player.seek(video, Number(second), { play: true });
  player.show();
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
const reading = new CourseReading(sidebar, (question) => {
  showView("assistant");
  /** @type {any} */ (sidebar).ask(question);
});
showView("course");
