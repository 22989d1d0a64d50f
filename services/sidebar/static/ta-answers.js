// What real TAs answered: asked for gently while a question waits, told once, kept under the question.

import { button, make } from "./dom.js";
import { prose } from "./prose.js";

const EVERY_MS = 20_000;

/**
 * Asks the server for answers while a question waits and the page is in view, and at once when the student comes
 * back to it. `show(answers, session)` is given all answers of a session.
 */
export class TaWatch {
  #client;
  #memory;
  #show;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer = undefined;
  #looking = false;

  /**
   * @param {Sidebar.Client} client
   * @param {Sidebar.Memory} memory
   * @param {(answers: Sidebar.TaAnswer[], session: string) => void} show
   */
  constructor(client, memory, show) {
    this.#client = client;
    this.#memory = memory;
    this.#show = show;
  }

  start() {
    this.stop();
    this.#timer = setInterval(this.#lookAgain, EVERY_MS);
    document.addEventListener("visibilitychange", this.#lookAgain);
    window.addEventListener("focus", this.#lookAgain);
  }

  stop() {
    clearInterval(this.#timer);
    document.removeEventListener("visibilitychange", this.#lookAgain);
    window.removeEventListener("focus", this.#lookAgain);
  }

  /** Look into these sessions now; what fails is tried again later. */
  /** @param {Iterable<string>} sessions */
  async look(sessions) {
    if (this.#looking) return;
    this.#looking = true;
    try {
      for (const session of sessions) await this.#lookInto(session);
    } catch (problem) {
      console.info(`vta-sidebar: answers of real TAs could not be read now (${problem.code})`);
    } finally {
      this.#looking = false;
    }
  }

  #lookAgain = () => {
    const sessions = this.#memory.waitingSessions;
    if (sessions.length && document.visibilityState === "visible") this.look(sessions);
  };

  /** @param {string} session */
  async #lookInto(session) {
    const answers = await this.#client.taAnswers(session);
    if (answers) this.#show(answers, session);
    const known = answers?.filter((answer) => answer.seen).map((answer) => answer.turn_id);
    this.#memory.settle(session, known); // what was not seen is told again after a reload
  }
}

/** What came back from a real TA in words: an answer, or the reason why there is none. */
/** @param {Sidebar.TaAnswer} answer @param {Sidebar.Texts} texts */
export function taReply({ state, reason, html, text }, texts) {
  if (state !== "rejected") {
    return { notice: texts.taAnswered, heading: texts.taAnswerHere, body: prose("div", {}, html, text) };
  }
  const words = reason ? texts.taDeclinedBecause(reason) : texts.taDeclinedHint;
  return { notice: texts.taDeclined, heading: texts.taDeclined, body: make("p", {}, words) };
}

/** The notice above the conversation, a live region; `seen(session, turns)` is called when the student has read it. */
export class TaNotice {
  #texts;
  #seen;
  /** @type {Map<string, { item: HTMLElement, session: string }>} */
  #items = new Map();

  /** @param {Sidebar.Texts} texts @param {(session: string, turns: string[]) => void} seen */
  constructor(texts, seen) {
    this.#texts = texts;
    this.#seen = seen;
    this.element = make("section", {
      class: "ta-notice",
      testid: "ta-notice",
      "aria-live": "polite",
      "aria-label": texts.taNotice,
    });
  }

  /** Tell of the answers that were not seen yet; each is told once. */
  /** @param {Sidebar.TaAnswer[]} answers @param {string} session @param {() => void} focusAfter */
  show(answers, session, focusAfter) {
    for (const answer of answers) {
      if (answer.seen || this.#items.has(answer.turn_id)) continue;
      const item = this.#item(answer, () => this.#dismiss(session, focusAfter));
      this.#items.set(answer.turn_id, { item, session });
      this.element.append(item);
    }
  }

  /** @param {Sidebar.TaAnswer} answer @param {() => void} dismiss */
  #item(answer, dismiss) {
    const { notice, body } = taReply(answer, this.#texts);
    return make(
      "article",
      { testid: "ta-notice-item" },
      make("strong", {}, notice),
      make("p", { class: "asked", testid: "ta-notice-question" }, answer.question),
      make("div", { testid: "ta-notice-answer", tabindex: 0 }, body),
      button({ class: "small", testid: "ta-notice-seen", on: { click: dismiss } }, this.#texts.taSeen),
    );
  }

  /** @param {string} session @param {() => void} focusAfter */
  #dismiss(session, focusAfter) {
    const turns = [...this.#items].filter(([, told]) => told.session === session).map(([turn]) => turn);
    for (const turn of turns) this.#items.get(turn)?.item.remove();
    focusAfter(); // the button is gone
    this.#seen(session, turns);
  }
}
