// The question box.

import { button, focusIn, icon, make } from "./dom.js";

const NEARLY = 0.9; // of the longest question: from here on its length is shown

export class Composer {
  #field;
  #send;
  #stop;
  #hints;
  #practise;
  #length;
  #texts;
  #last;
  #longest = Infinity;

  /** `hint(wanted)` and `practise(wanted)` are told when the student switches them; `last()` is the last question. */
  /**
   * @param {Sidebar.Texts} texts
   * @param {{ ask(question: string): boolean, stop(): void, hint(wanted: boolean): void, practise(wanted: boolean): void, last(): string }} actions
   */
  constructor(texts, { ask, stop, hint, practise, last }) {
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
    this.#hints = toggle({ testid: "hints", title: texts.hintsTitle }, texts.hints, hint);
    this.#practise = toggle({ testid: "practise", title: texts.practiseTitle }, texts.practise, practise);
    this.#length = make("p", { id: "length", class: "length", testid: "question-length", role: "status", hidden: true });
    this.submit = () => {
      const question = this.text;
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
      make("div", { class: "modes" }, this.#hints, this.#practise),
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

  get text() {
    return this.#field.value.trim();
  }

  /** How many characters a question may have. */
  /** @param {number} characters */
  set longest(characters) {
    this.#longest = characters;
    this.#measure();
  }

  /** Offer hints in place of answers, in the position they were left in, and practice. */
  /** @param {boolean} hints */
  offerModes(hints) {
    this.#hints.hidden = this.#practise.hidden = false;
    this.#hints.setAttribute("aria-pressed", String(hints));
  }

  /** Whether the student practises. */
  get practises() {
    return this.#practise.getAttribute("aria-pressed") === "true";
  }

  set practises(wanted) {
    this.#practise.setAttribute("aria-pressed", String(wanted));
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
    return [...this.text].length;
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

/** A button that is pressed or not, and tells which. */
/** @param {Sidebar.Properties} properties @param {string} label @param {(wanted: boolean) => void} tell */
function toggle(properties, label, tell) {
  const press = () => {
    const wanted = element.getAttribute("aria-pressed") !== "true";
    element.setAttribute("aria-pressed", String(wanted));
    tell(wanted);
  };
  const element = button({ class: "small", hidden: true, "aria-pressed": "false", ...properties, on: { click: press } }, label);
  return element;
}
