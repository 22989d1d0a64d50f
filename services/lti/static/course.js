// The sidebar of a launched page: it goes on with the learner's last session, and brings their token where the
// browser keeps no cookie of ours.

import { SessionMemory } from "/sidebar/memory.js";
import "/sidebar/vta-sidebar.js";

const { course, session, token, position, hints } = JSON.parse(document.getElementById("launch-data").textContent);
const sidebar = document.createElement("vta-sidebar");
if (token) sidebar.visitor = { token, renew: async () => null }; // a visit that has ended is opened from the course
sidebar.session = session;
const lang = document.documentElement.lang;
for (const [name, value] of Object.entries({ ...position, api: "/", course, lang, theme: "auto" })) {
  sidebar.setAttribute(name, value);
}
sidebar.addEventListener("vta-height", ({ detail }) => {
  const height = Math.min(detail.height, screen.availHeight); // a platform makes a frame longer that is too short
  if (parent !== window && height > innerHeight) parent.postMessage({ subject: "lti.frameResize", height }, "*");
});
document.getElementById("assistant").append(sidebar);
if (hints) new SessionMemory(course).hints = true; // as the link says; the student may switch it off
const back = document.getElementById("back");
if (back) back.hidden = window.top !== window; // in a frame the platform is around us
