// The sidebar in a frame on another site. Messages are {vta: 1, type, ...}; docs/embedding.md lists them.
// Only the page that holds the frame is heard, and only from an origin that the course allows.

import "./vta-sidebar.js";

const VERSION = 1;
const RENEWAL_MS = 10_000;
const ALONE_MS = 1500;

const { course, origins } = JSON.parse(document.getElementById("embed-data").textContent);
const allowed = new Set([...origins, location.origin]);
const sidebar = document.createElement("vta-sidebar");
const closed = document.getElementById("closed"); // there where only learners with a token may ask
let host = null; // the origin of the page around us, once it has spoken

/** The token lives here, in memory, and nowhere else. */
const visitor = {
  token: null,
  pending: null,

  /** Ask the page around us for a fresh token, once for all who need it now; null when it has none. */
  renew() {
    if (!host) return Promise.resolve(null);
    this.pending ??= new Promise((resolve) => {
      this.settle = resolve;
      setTimeout(resolve, RENEWAL_MS, null);
      say({ type: "token-needed" });
    }).finally(() => (this.pending = null));
    return this.pending;
  },

  take(token) {
    this.token = typeof token === "string" && token ? token : null;
    this.settle?.(this.token);
  },
};

function say(message) {
  if (host) parent.postMessage({ vta: VERSION, ...message }, host);
}

function start(suggestions) {
  if (sidebar.isConnected) return;
  closed?.remove();
  sidebar.visitor = visitor;
  sidebar.setAttribute("api", "/");
  sidebar.setAttribute("course", course);
  sidebar.setAttribute("lang", document.documentElement.lang);
  if (typeof suggestions === "string") sidebar.setAttribute("suggestions", suggestions);
  sidebar.setAttribute("theme", new URLSearchParams(location.search).get("theme") ?? "auto");
  document.getElementById("assistant").append(sidebar);
}

function place({ unit, video, second, page, heading }) {
  for (const [name, value] of Object.entries({ unit, video, second, page, heading })) {
    if (typeof value === "string" || Number.isFinite(value)) sidebar.setAttribute(name, String(value));
    else sidebar.removeAttribute(name);
  }
}

/** In an iframe without the element: start for a visitor, or say that students cannot log in this way. */
function startAlone() {
  if (host) return;
  if (closed) closed.hidden = false;
  else start();
}

function hear({ source, origin, data }) {
  if (source !== parent || !allowed.has(origin) || data?.vta !== VERSION) return;
  host = origin;
  if (data.type === "hello" || data.type === "token") visitor.take(data.token);
  if (data.type === "position") place(data);
  if (data.type === "hello") start(data.suggestions);
}

addEventListener("message", hear);
sidebar.addEventListener("vta-seek", ({ detail }) => say({ type: "seek", video: detail.video, second: detail.start_s }));
sidebar.addEventListener("vta-height", ({ detail }) => say({ type: "state", open: true, height: detail.height }));
sidebar.addEventListener("vta-answers", ({ detail }) => say({ type: "answers", ...detail }));
addEventListener("keydown", (event) => event.key === "Escape" && say({ type: "close" }));
if (parent === window) start(); // opened by itself
else addEventListener("load", () => setTimeout(startAlone, ALONE_MS));
