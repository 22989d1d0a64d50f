// The student's conversations: a list that opens from the head of the sidebar.

import { button, icon, make } from "./dom.js";
import { problemWords } from "./problems.js";

/** Lists conversations when it is opened; each can be gone on with, or deleted after asking once more. */
export class HistoryPanel {
  #texts;
  #actions;
  #badge = make("span", { class: "badge", testid: "history-new", hidden: true });
  /** @type {Set<string>} */
  #answered = new Set(); // conversations with a real TA's answer that was not seen

  /**
   * `actions`: `list()` the conversations, the latest first, `open(session)` one, `remove(session)` one for ever;
   * `foot()` is what stands below the list, if anything.
   * @param {Sidebar.Texts} texts
   * @param {{ list(): Promise<Api.ConversationOut[]>, open(session: string): void, remove(session: string): Promise<void>, foot(): HTMLElement | null }} actions
   */
  constructor(texts, actions) {
    this.#texts = texts;
    this.#actions = actions;
    this.toggle = button(
      {
        class: "small quiet",
        testid: "history",
        "aria-expanded": "false",
        "aria-controls": "history",
        on: { click: () => (this.element.hidden ? this.#show() : this.close()) },
      },
      icon("clock"),
      texts.history,
      this.#badge,
    );
    this.element = make("section", {
      id: "history",
      class: "history",
      testid: "history-list",
      "aria-label": texts.history,
      hidden: true,
      on: { keydown: (event) => this.#onKey(event) },
    });
  }

  close() {
    this.element.hidden = true;
    this.element.replaceChildren();
    this.toggle.setAttribute("aria-expanded", "false");
  }

  /** Say at the button and in the list that a real TA answered in a conversation, or that it was seen. */
  /** @param {string} session @param {boolean} isNew */
  mark(session, isNew) {
    if (isNew) this.#answered.add(session);
    else this.#answered.delete(session);
    const count = this.#answered.size;
    this.#badge.hidden = !count;
    this.#badge.textContent = String(count);
    this.toggle.title = count ? this.#texts.historyNew : "";
  }

  /** In how many conversations a real TA's answer was not seen. */
  get answered() {
    return this.#answered.size;
  }

  async #show() {
    this.element.hidden = false;
    this.toggle.setAttribute("aria-expanded", "true");
    try {
      const found = await this.#actions.list();
      const none = make("p", { class: "muted" }, this.#texts.historyNone);
      const list = found.length ? make("ul", {}, found.map((each) => this.#item(each))) : none;
      this.element.replaceChildren(list, this.#actions.foot() ?? "");
    } catch (problem) {
      const { title, hint } = problemWords(problem, this.#texts.historyFailed, this.#texts);
      this.element.replaceChildren(make("p", { class: "muted", role: "alert" }, `${title} ${hint}`), this.#actions.foot() ?? "");
    }
  }

  /** @param {Api.ConversationOut} conversation */
  #item({ session_id: session, title, asked_at: asked }) {
    const open = () => {
      this.close();
      this.#actions.open(session);
    };
    const remove = async () => {
      if (!bin.classList.contains("sure")) return ask();
      await this.#actions.remove(session).then(
        () => item.remove(),
        () => bin.classList.remove("sure"),
      );
      this.toggle.focus();
    };
    const label = `${this.#texts.deleteConversation}: ${title}`;
    const bin = button({ class: "small quiet", testid: "history-delete", "aria-label": label, title: label, on: { click: remove } }, icon("close"));
    const ask = () => {
      bin.classList.add("sure");
      bin.removeAttribute("aria-label");
      bin.replaceChildren(this.#texts.deleteSure);
    };
    const date = new Date(asked).toLocaleString(this.#texts.locale, { dateStyle: "medium", timeStyle: "short" });
    const item = make(
      "li",
      {},
      button(
        { class: "past", testid: "history-open", on: { click: open } },
        make("span", { class: "title" }, title),
        make("span", { class: "place" }, date),
        this.#answered.has(session) ? make("span", { class: "badge", testid: "history-answered" }, this.#texts.historyNew) : null,
      ),
      bin,
    );
    return item;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    this.close();
    this.toggle.focus();
  }
}
