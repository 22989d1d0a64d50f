// How a concept can be learnt: the picture of its neighbourhood, and the path to it with where each step is taught.

import { button, icon, make } from "./dom.js";
import { readPicture } from "./picture.js";
import { problemWords } from "./problems.js";
import { placeOf } from "./sources.js";

const WIDE = 560; // px from which a second column of what comes before can be read
const CLOSEST = 200; // characters of the passage that stands in for a missing definition

/** An element that loads itself; until then it says so, and a failure shows what the answer already told. */
/**
 * @param {Api.ConceptOut} concept
 * @param {number} width
 * @param {Sidebar.Texts} texts
 * @param {Sidebar.Actions} actions
 */
export function conceptStudy(concept, width, texts, actions) {
  const element = make("div", { class: "study", testid: "concept-study", tabindex: -1 });
  load();
  return element;

  async function load() {
    const { client } = actions;
    element.replaceChildren(make("p", { class: "progress", role: "status" }, texts.studyLoading));
    const [study, picture] = await Promise.allSettled([
      client.concept(concept.name),
      client.conceptPicture(concept.name, width < WIDE ? 1 : 2),
    ]);
    const failed = [study, picture].find((each) => each.status === "rejected");
    const known = study.status === "fulfilled" ? study.value : null;
    const drawn = picture.status === "fulfilled" ? picture.value : null;
    const parts = [
      failed ? failure(failed.reason, texts, retry) : null,
      known ? taughtAt(known, texts, actions.open) : null,
      drawn && hasNeighbours(known) ? pictureOf(drawn, texts, actions.ask) : null,
      known ? learningPath(known, texts, actions) : prerequisites(concept, texts, actions.ask),
    ];
    element.replaceChildren(...parts.filter((part) => part !== null));
  }

  function retry() {
    element.focus(); // the button is about to go
    load();
  }
}

/** @param {Api.ConceptStudyOut | null} study */
function hasNeighbours(study) {
  return !study || study.path.length + study.dependents.length > 0;
}

/** @param {Sidebar.Failure} problem @param {Sidebar.Texts} texts @param {() => void} retry */
function failure(problem, texts, retry) {
  const { title, hint } = problemWords(problem, "", texts);
  return make(
    "div",
    { class: "problem", testid: "study-failed", role: "alert" },
    make("strong", {}, texts.studyFailed),
    title ? make("p", {}, title) : null,
    make("p", {}, hint),
    button({ class: "small", testid: "study-retry", on: { click: retry } }, texts.retry),
  );
}

/** @param {Api.ConceptStudyOut} study @param {Sidebar.Texts} texts @param {Sidebar.Open} open */
function taughtAt(study, texts, open) {
  const closest = study.definition ? "" : beginning(study.taught?.passage ?? "");
  return make(
    "div",
    { class: "taught", testid: "concept-taught" },
    closest ? make("p", { class: "muted" }, texts.comesClosest) : null,
    closest ? make("div", { class: "prose" }, make("blockquote", { testid: "concept-closest" }, closest)) : null,
    make("h4", {}, texts.taughtAt),
    place(study, texts, open),
  );
}

/** The picture, whose concepts but the middle one can be asked about. */
/** @param {string} text @param {Sidebar.Texts} texts @param {Sidebar.Actions["ask"]} ask */
function pictureOf(text, texts, ask) {
  const drawing = readPicture(text);
  drawing?.setAttribute("role", "group"); // of buttons; it is named by its title
  for (const node of drawing?.querySelectorAll("svg:not(.centre)") ?? []) {
    const name = node.querySelector("title")?.textContent ?? "";
    const onKey = (/** @type {any} */ event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      ask(texts.whatIs(name));
    };
    node.setAttribute("role", "button");
    node.setAttribute("tabindex", "0");
    node.setAttribute("aria-label", `${name}: ${texts.askAbout(name)}`);
    node.setAttribute("data-testid", "picture-concept");
    node.addEventListener("click", () => ask(texts.whatIs(name)));
    node.addEventListener("keydown", onKey);
  }
  return drawing && make("figure", { class: "picture", testid: "concept-picture", "aria-label": texts.picture }, drawing);
}

/** @param {Api.ConceptStudyOut} study @param {Sidebar.Texts} texts @param {Sidebar.Actions} actions */
function learningPath({ path, path_left_out: leftOut, taught_before: before }, texts, { ask, open }) {
  const steps = path.map((step) =>
    make(
      "li",
      { testid: "path-step" },
      make(
        "div",
        { class: "row" },
        knownChip(step.name, texts, ask),
        step.distance === 1 ? make("span", { class: "kind" }, texts.learning.direct) : null,
      ),
      make("p", {}, step.definition || texts.noDefinition),
      place(step, texts, open),
    ),
  );
  return make(
    "div",
    {},
    make("h4", {}, texts.learning.title),
    steps.length ? make("ol", { class: "path", testid: "learning-path" }, steps) : make("p", { class: "muted" }, texts.learning.none),
    leftOut ? make("p", { class: "muted" }, texts.learning.leftOut(leftOut)) : null,
    before.length ? make("h4", {}, texts.learning.taughtBefore) : null,
    before.length
      ? make(
          "ol",
          { class: "path", testid: "taught-before" },
          before.map((each) => make("li", {}, knownChip(each.name, texts, ask), place(each, texts, open))),
        )
      : null,
  );
}

/** The first words of a passage. @param {string} passage */
function beginning(passage) {
  const words = passage.replace(/\s+/g, " ").trim();
  return words.length > CLOSEST ? `${words.slice(0, CLOSEST)}…` : words;
}

/** The button that opens where a concept is taught, as a source is opened. */
/** @param {Pick<Api.ConceptStudyOut, "name" | "taught">} concept @param {Sidebar.Texts} texts @param {Sidebar.Open} open */
function place({ name, taught }, texts, open) {
  if (!taught) return make("p", { class: "muted" }, texts.notTaught);
  const words = placeOf(taught, texts);
  const show = (/** @type {any} */ event) => open({ ...taught, title: name, source: "material" }, event.currentTarget);
  return button(
    { class: "jump", testid: "step-place", "aria-label": texts.openPlace(words), on: { click: show } },
    icon(taught.locator.video ? "play" : "page"),
    make("span", {}, words),
  );
}

/** @param {string} name @param {Sidebar.Texts} texts @param {Sidebar.Actions["ask"]} ask */
function knownChip(name, texts, ask) {
  return button(
    {
      class: "chip",
      testid: "prerequisite-chip",
      "aria-label": `${name}: ${texts.askAbout(name)}`,
      on: { click: () => ask(texts.whatIs(name)) },
    },
    name,
  );
}

/** Where a prerequisite is taught; an answer of before places were kept has only the server's words. */
/** @param {Api.PrerequisiteOut} known @param {Sidebar.Texts} texts */
function where(known, texts) {
  const said = known.document ? placeOf(known, texts) : known.where;
  return said ? make("small", {}, said) : null;
}

/** The direct prerequisites that came with the answer. */
/** @param {Api.ConceptOut} concept @param {Sidebar.Texts} texts @param {Sidebar.Actions["ask"]} ask */
function prerequisites(concept, texts, ask) {
  if (!concept.prerequisites.length) return null;
  const rows = concept.prerequisites.map((known) =>
    make(
      "li",
      {},
      knownChip(known.name, texts, ask),
      make("span", {}, known.definition || texts.noDefinition, where(known, texts)),
    ),
  );
  return make("div", {}, make("h4", {}, texts.prerequisites), make("ul", { class: "prerequisites" }, rows));
}
