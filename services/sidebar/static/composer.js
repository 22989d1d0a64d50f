// The question box.

import { button, focusIn, icon, make } from "./dom.js";

const NEARLY = 0.9; // of the longest question: from here on its length is shown

export class Composer {
  #field;
  #send;
  #stop;
  #hints;
  #length;
  #texts;
  #last;
  #longest = Infinity;

  /** `hint(wanted)` is told when the student switches hints on or off; `last()` is the question asked last. */
  /**
   * @param {Sidebar.Texts} texts
   * @param {{ ask(question: string): boolean, stop(): void, hint(wanted: boolean): void, last(): string }} actions
   */
  constructor(texts, { ask, stop, hint, last }) {
    this.#texts = texts;
    this.#last = last;
    this.#field = make("textarea", {
      id: "question",
      testid: "question-input",
      rows: 1,
      placeholder: texts.placeholder,
      "aria-describedby": "length notice keys",
      on: { input: () => this.#measure(), keydown: (event) => this.#onKey(event) },
    });
    this.#send = make(
      "button",
      { type: "submit", class: "round primary", testid: "send", "aria-label": texts.send, title: texts.send },
      icon("send"),
    );
    this.#stop = button(
      { class: "round", testid: "stop", "aria-label": texts.stop, title: texts.stop, hidden: true, on: { click: stop } },
      icon("stop"),
    );
    const toggle = () => {
      const wanted = this.#hints.getAttribute("aria-pressed") !== "true";
      this.#hints.setAttribute("aria-pressed", String(wanted));
      hint(wanted);
    };
    this.#hints = button(
      { class: "small hints", testid: "hints", title: texts.hintsTitle, hidden: true, "aria-pressed": "false", on: { click: toggle } },
      texts.hints,
    );
    this.#length = make("p", { id: "length", class: "length", testid: "question-length", role: "status", hidden: true });
    this.submit = () => {
      const question = this.#field.value.trim();
      if (question && !this.#isTooLong && ask(question)) this.fill("");
    };
    const onSubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.submit();
    };
    this.element = make(
      "form",
      { class: "composer", on: { submit: onSubmit } },
      make("label", { for: "question", class: "unseen" }, texts.inputLabel),
      make("div", { class: "box" }, this.#field, this.#send, this.#stop),
      this.#length,
      this.#hints,
      make(
        "p",
        { class: "notice" },
        make("span", { id: "notice", testid: "notice" }, texts.notice),
        make("span", { id: "keys", class: "keys" }, texts.keys),
      ),
    );
  }

  /** @param {string} question */
  fill(question) {
    this.#field.value = question;
    this.#measure();
  }

  get isEmpty() {
    return !this.#field.value.trim();
  }

  /** How many characters a question may have. */
  /** @param {number} characters */
  set longest(characters) {
    this.#longest = characters;
    this.#measure();
  }

  /** Offer the switch between hints and answers, in the position it was left in. */
  /** @param {boolean} wanted */
  offerHints(wanted) {
    this.#hints.hidden = false;
    this.#hints.setAttribute("aria-pressed", String(wanted));
  }

  focus() {
    this.#field.focus();
  }

  /** While an answer streams the stop button stands where the send button was; focus moves along. */
  /** @param {boolean} isBusy */
  set busy(isBusy) {
    const focused = focusIn(this.element);
    this.#send.hidden = isBusy;
    this.#stop.hidden = !isBusy;
    if (focused === this.#send || focused === this.#stop) this.focus();
  }

  // Enter that only confirms an input method's candidate must not send; Safari reports it as key code 229.
  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key === "ArrowUp" && !this.#field.value && this.#last()) {
      event.preventDefault();
      this.fill(this.#last());
    }
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    this.submit();
  }

  get #characters() {
    return [...this.#field.value.trim()].length;
  }

  get #isTooLong() {
    return this.#characters > this.#longest;
  }

  /** Fit the box to its text, and say how long it is once that matters. */
  #measure() {
    this.#resize();
    const length = this.#characters;
    const isTooLong = this.#isTooLong;
    this.#length.hidden = length < NEARLY * this.#longest;
    this.#length.textContent = this.#length.hidden
      ? ""
      : (isTooLong ? this.#texts.tooLong : this.#texts.length)(length, this.#longest);
    this.#length.classList.toggle("over", isTooLong);
    this.#field.setAttribute("aria-invalid", String(isTooLong));
    this.#send.disabled = isTooLong;
  }

  #resize() {
    this.#field.style.height = "auto";
    const { scrollHeight: height } = this.#field;
    if (height) this.#field.style.height = `${Math.min(height, 160)}px`; // none while it cannot be seen
  }
}
