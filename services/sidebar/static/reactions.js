// What a student can do with an answer: copy it, ask again, rate it, hand the question to a real TA.

import { writeClipboard } from "./clipboard.js";
import { button, focusIn, icon, make, webAddress } from "./dom.js";
import { placeOf } from "./sources.js";

/**
 * Buttons below an answer; `client` sends, `memory` keeps which turns wait for a TA. `kept` is what the server knows
 * of an earlier turn: `rating`, and `ta_question` where it was handed to a real TA.
 */
/**
 * @param {Api.AnswerOut} answer
 * @param {Sidebar.Kept} kept
 * @param {Sidebar.Texts} texts
 * @param {Sidebar.Actions & { again(): void }} actions
 */
export function reactions(answer, kept, texts, { client, memory, again }) {
  const offers = (/** @type {string} */ action) => answer.actions.includes(action);
  const status = make("p", { class: "muted status", testid: "reaction-status", role: "status" });
  const say = (/** @type {string} */ text) => (status.textContent = text);
  const isHonestMiss = answer.route === "unanswered" || answer.route === "refused";
  const form = make("div", { class: "reasons", hidden: true });
  const ta = offers("ask_ta") ? taOffer(answer, kept, texts, { client, memory, say, prominent: isHonestMiss }) : null;
  const row = make(
    "div",
    { class: "row tools" },
    copyButton(answer, texts, say),
    askAgain(texts, again),
    offers("feedback") ? thumbs(answer, kept, texts, { client, say, form }) : null,
    isHonestMiss ? null : ta,
  );
  // Live announcements end with the answer itself; the tools speak through their own status line.
  return make("footer", { "aria-live": "off" }, isHonestMiss ? ta : null, row, form, status);
}

/** @param {Api.AnswerOut} answer @param {Sidebar.Texts} texts @param {(text: string) => void} say */
function copyButton(answer, texts, say) {
  const copy = async () => {
    await writeClipboard(withSources(answer, texts));
    say(texts.copied);
  };
  const properties = { class: "quiet round", testid: "copy", "aria-label": texts.copy, title: texts.copy };
  return button({ ...properties, on: { click: copy } }, icon("copy"));
}

/** @param {Sidebar.Texts} texts @param {() => void} again */
function askAgain(texts, again) {
  const properties = { class: "quiet round", testid: "ask-again", "aria-label": texts.again, title: texts.again };
  return button({ ...properties, on: { click: again } }, icon("again"));
}

/** The answer as Markdown, with what its numbers are. */
/** @param {Api.AnswerOut} answer @param {Sidebar.Texts} texts */
function withSources({ text, citations }, texts) {
  const lines = citations.map((citation) => {
    const said = [citation.title, placeOf(citation, texts), webAddress(citation.url)];
    return `[${citation.n}] ${[...new Set(said.filter(Boolean))].join(" · ")}`;
  });
  return lines.length ? `${text}\n\n${texts.sourcesTitle}\n${lines.join("\n")}\n` : text;
}

/**
 * @param {Api.AnswerOut} answer
 * @param {Sidebar.Kept} kept
 * @param {Sidebar.Texts} texts
 * @param {{ client: Sidebar.Client, say(text: string): void, form: HTMLElement }} around
 */
function thumbs(answer, kept, texts, { client, say, form }) {
  const send = async (/** @type {Sidebar.Feedback} */ feedback) => {
    try {
      await client.sendFeedback(answer.turn_id, feedback);
    } catch {
      return say(texts.feedbackFailed);
    }
    up.setAttribute("aria-pressed", String(feedback.rating === "up"));
    down.setAttribute("aria-pressed", String(feedback.rating === "down"));
    closeForm();
    say(texts.thanks);
  };
  const closeForm = () => {
    const hadFocus = form.contains(focusIn(form));
    form.hidden = true;
    form.replaceChildren();
    if (hadFocus) down.focus();
  };
  const openForm = () => {
    say("");
    form.replaceChildren(reasonForm(texts, send, closeForm));
    form.hidden = false;
    form.querySelector("input")?.focus();
  };
  const thumb = (/** @type {"up" | "down"} */ name, /** @type {() => void} */ click) =>
    button(
      {
        class: `quiet round ${name}`,
        testid: `thumb-${name}`,
        "aria-pressed": String(kept.rating === name),
        "aria-label": texts[name],
        title: texts[name],
        on: { click },
      },
      icon("thumb"),
    );
  const up = thumb("up", () => send({ rating: "up" }));
  const down = thumb("down", openForm);
  return [up, down];
}

/** @param {Sidebar.Texts} texts @param {(feedback: Sidebar.Feedback) => void} send @param {() => void} close */
function reasonForm(texts, send, close) {
  const name = `reason-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
  const choices = Object.entries(texts.reasons).map(([value, label]) =>
    make("label", {}, make("input", { type: "radio", name, value, testid: `reason-${value}` }), label),
  );
  const comment = make("textarea", { rows: 2, testid: "feedback-comment", "aria-label": texts.comment, placeholder: texts.comment });
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const chosen = /** @type {HTMLFormElement} */ (event.target).querySelector("input:checked");
    const reason = /** @type {HTMLInputElement | null} */ (chosen)?.value;
    send({ rating: "down", reason, comment: comment.value.trim() || undefined });
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  };
  return make(
    "form",
    { testid: "feedback-form", on: { submit, keydown: onKey } },
    make("fieldset", {}, make("legend", {}, texts.reasonTitle), choices),
    comment,
    make(
      "div",
      { class: "row" },
      make("button", { type: "submit", class: "small primary", testid: "feedback-send" }, texts.sendFeedback),
      button({ class: "small quiet", testid: "feedback-cancel", on: { click: close } }, texts.cancel),
    ),
  );
}

/** @type {Intl.DateTimeFormatOptions} */
const MOMENT = { weekday: "long", day: "numeric", month: "long", hour: "numeric", minute: "2-digit", timeZoneName: "short" };

/** That a real TA has the question, within which time one usually answers, and the next office hour, as far as known. */
/** @param {Sidebar.Texts} texts @param {Partial<Api.AskedTaOut>} told */
export function waitingNote(texts, { usual_wait_s: usual, office_hour: hour } = {}) {
  const words = [texts.taWaiting];
  if (usual != null) words.push(texts.taUsually(Math.max(1, Math.ceil(usual / 3600))));
  if (hour) words.push(texts.taHour(new Date(hour.begins).toLocaleString(texts.locale, MOMENT), hour.place));
  return make("p", { class: "waiting", testid: "ta-status", role: "status", tabindex: -1 }, icon("person"), words.join(texts.locale === "zh-CN" ? "" : " "));
}

/** The way to a real TA; once it was taken only the reply, which stands above the buttons, is shown. */
/**
 * @param {Api.AnswerOut} answer
 * @param {Sidebar.Kept} kept
 * @param {Sidebar.Texts} texts
 * @param {{ client: Sidebar.Client, memory: Sidebar.Memory, say(text: string): void, prominent: boolean }} around
 */
function taOffer(answer, kept, texts, { client, memory, say, prominent }) {
  if (kept.ta_question === "answered" || kept.ta_question === "rejected") return null;
  if (kept.ta_question === "waiting" || memory.isWaiting(answer.turn_id)) return waitingNote(texts);
  const ask = async () => {
    control.disabled = true;
    let told;
    try {
      told = await client.askTa(answer.turn_id);
    } catch {
      control.disabled = false;
      return say(texts.taFailed);
    }
    memory.addWaiting(answer.turn_id, answer.session_id);
    say("");
    const note = waitingNote(texts, told);
    control.replaceWith(note);
    note.focus();
    note.scrollIntoView({ block: "nearest" });
  };
  const control = button(
    { class: prominent ? "primary wide ask-ta" : "small ta ask-ta", testid: "ask-ta", on: { click: ask } },
    icon("person"),
    texts.askTa,
  );
  return control;
}
