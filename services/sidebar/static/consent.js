// Whether research may use the learner's conversations: asked once, after an answer, and changed in the list of conversations.

import { button, fold, make } from "./dom.js";

export class Consent {
  #texts;
  #key;
  #send;
  /** @type {Api.StudyOut | null} */
  #study = null;
  #isDue = false;

  /** `send` keeps a decision on the server. */
  /** @param {string} course @param {Sidebar.Texts} texts @param {(decision: Api.ConsentIn) => Promise<void>} send */
  constructor(course, texts, send) {
    this.#key = `vta-study:${course}`;
    this.#texts = texts;
    this.#send = send;
    this.element = make("section", { class: "consent", testid: "consent", "aria-label": texts.consentTitle, hidden: true });
  }

  /** The study of the course; none for a learner who is not asked. It may come after the first answer. */
  /** @param {Api.StudyOut | null | undefined} study */
  set study(study) {
    this.#study = study ?? null;
    if (this.#isDue) this.ask();
  }

  /** Ask about a study that this browser has not asked about, unless the learner has decided. */
  ask() {
    this.#isDue = true;
    if (!this.#study || this.#study.consent !== null || this.#wasAsked(this.#study.study)) return;
    this.element.replaceChildren(...this.#question(this.#study));
    this.element.hidden = false;
  }

  close() {
    this.#isDue = false;
    this.element.hidden = true;
  }

  /** What was decided, with the way to change it, in the place of the question; null where there is no study. */
  choice() {
    this.close();
    if (!this.#study) return null;
    return make("section", { class: "consent", testid: "consent-choice", "aria-label": this.#texts.consentTitle }, ...this.#question(this.#study));
  }

  /** @param {Api.StudyOut} study */
  #question(study) {
    const texts = this.#texts;
    const status = make("p", { class: "muted status", role: "status", testid: "consent-status" });
    const decide = async (/** @type {boolean} */ given) => {
      try {
        await this.#send({ given, study: study.study });
      } catch {
        status.textContent = texts.consentFailed;
        return;
      }
      study.consent = given;
      show();
      status.textContent = given ? texts.consentGiven : texts.consentRefused;
    };
    const option = (/** @type {boolean} */ given, /** @type {string} */ testid, /** @type {string} */ label) =>
      button({ class: "small", testid, on: { click: () => decide(given) } }, label);
    const yes = option(true, "consent-yes", texts.consentYes);
    const no = option(false, "consent-no", texts.consentNo);
    const show = () => {
      yes.setAttribute("aria-pressed", String(study.consent === true));
      no.setAttribute("aria-pressed", String(study.consent === false));
    };
    show();
    const about = fold({}, texts.consentAbout, make("p", { class: "study" }, study.study));
    return [make("p", {}, texts.consentQuestion), about, make("div", { class: "row" }, yes, no), status];
  }

  /** @param {string} study */
  #wasAsked(study) {
    try {
      const asked = localStorage.getItem(this.#key) === study;
      localStorage.setItem(this.#key, study);
      return asked;
    } catch {
      return false; // blocked in this frame
    }
  }
}
