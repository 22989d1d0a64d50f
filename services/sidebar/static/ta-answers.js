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
export function taReply({ state, reason, html, text, private: alone, asks_back: back }, texts) {
  if (state !== "rejected") {
    const body = prose("div", {}, html, text);
    if (back) return { notice: texts.taAskedBack, heading: texts.taAskedBack, body };
    return { notice: texts.taAnswered, heading: alone ? texts.taPrivate : texts.taAnswerHere, body };
  }
  const words = reason ? texts.taDeclinedBecause(reason) : texts.taDeclinedHint;
  return { notice: texts.taDeclined, heading: texts.taDeclined, body: make("p", {}, words) };
}

/** Where the student replies to a TA who asked back; `send(text)` rejects where that failed. */
/** @param {Sidebar.Texts} texts @param {(text: string) => Promise<void>} send */
export function taReplyForm(texts, send) {
  const status = make("p", { class: "muted status", role: "status" });
  const box = make("textarea", { rows: 2, required: true, maxlength: 4000, testid: "ta-reply", "aria-label": texts.taReply, placeholder: texts.taReply });
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    control.disabled = true;
    await send(box.value).catch(() => {
      control.disabled = false;
      status.textContent = texts.taFailed;
    });
  };
  const control = make("button", { type: "submit", class: "small primary", testid: "ta-reply-send" }, texts.sendFeedback);
  return make("form", { class: "reasons", on: { submit } }, box, control, status);
}

/** The notice above the conversation, a live region; `seen(session, turns)` is called when the student has read it. */
export class TaNotice {
  #texts;
  #seen;
  /** @type {Map<string, { item: HTMLElement, session: string, turn: string }>} by turn and moment */
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
      const told = `${answer.turn_id} ${answer.answered_at}`;
      if (answer.seen || this.#items.has(told)) continue;
      const item = this.#item(answer, () => this.#dismiss(session, focusAfter));
      this.#items.set(told, { item, session, turn: answer.turn_id });
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
    const told = [...this.#items.values()].filter((each) => each.session === session && each.item.isConnected);
    for (const { item } of told) item.remove();
    focusAfter(); // the button is gone
    this.#seen(session, told.map(({ turn }) => turn));
  }
}
