// <vta-sidebar api="/" course="ID" lang="zh|en" theme="auto|light|dark" suggestions='["..."]'
//              video="file" second="61" pages="/courses/ID/pages/">
//
// The teaching assistant beside a course page. `video` and `second` say where the student is and may change
// at any time, as may `unit`, `page` and `heading`. Opening a source from a video dispatches `vta-seek` with
// {video, start_s, show}, any other of the course `vta-read` with {href, said, video, show}, if `pages` says where the
// pages of documents are: `said` is the answer whose words may be marked there, and `show` is true where the student
// asked to go there. A page that goes there itself prevents the default of `vta-read`. When a turn is there,
// `vta-height` tells with {height} how many pixels would show everything, and `vta-answers` with {waiting, answered} in how
// many conversations a question waits for a real TA, and in how many the answer was not seen. The property `visitor` gives the tokens of an embedded sidebar (client.js), and `session` is a learner's last one, or null for none: it goes
// before what this tab remembers. Both are set before the element is put into the page.

import { DialogueClient } from "./client.js";
import { Composer } from "./composer.js";
import { Consent } from "./consent.js";
import { Conversation } from "./conversation.js";
import { button, icon, make } from "./dom.js";
import { HistoryPanel } from "./history.js";
import { SavedConversations, SessionMemory } from "./memory.js";
import { PassagePanel } from "./passage-panel.js";
import { positionOf } from "./position.js";
import { TaNotice, TaWatch } from "./ta-answers.js";
import { textsFor } from "./texts.js";
import { problemBox, TurnView } from "./turn.js";
import { parseList, welcome } from "./welcome.js";

const STYLES = new URL("vta-sidebar.css", import.meta.url).href;

class VtaSidebar extends HTMLElement {
  static observedAttributes = ["api", "course", "lang"];
  /** @type {Sidebar.Visitor | null} */
  visitor = null;
  /** @type {string | null | undefined} */
  session = undefined;

  /** @type {Sidebar.Texts} */
  #texts;
  /** @type {DialogueClient} */
  #client;
  /** @type {SessionMemory} */
  #memory;
  /** @type {SavedConversations} */
  #saved;
  /** @type {HistoryPanel} */
  #history;
  /** @type {Conversation<TurnView>} */
  #conversation;
  /** @type {Composer} */
  #composer;
  /** @type {PassagePanel} */
  #passage;
  /** @type {Consent} */
  #consent;
  /** @type {HTMLElement} */
  #log;
  /** @type {TaNotice} */
  #notice;
  /** @type {TaWatch} */
  #watch;
  /** @type {TurnView[]} */
  #turns = [];
  /** @type {Partial<Api.SidebarOut> & Pick<Api.SidebarOut, "suggestions" | "hints">} */
  #start = { suggestions: [], hints: false };
  #starting = Promise.resolve();

  connectedCallback() {
    if (!this.shadowRoot) this.attachShadow({ mode: "open" });
    this.#restart();
  }

  disconnectedCallback() {
    this.stop();
    this.#watch?.stop();
  }

  /** @param {string} name @param {string | null} before @param {string | null} now */
  attributeChangedCallback(name, before, now) {
    if (this.isConnected && this.shadowRoot && before !== now) this.#restart();
  }

  /** Ask a question; false when it must wait because an answer is still being written. */
  /** @param {string} question */
  ask(question) {
    if (this.#conversation.isBusy) {
      this.#composer.fill(question);
      return false;
    }
    this.#log.querySelector(".welcome")?.remove();
    this.#consent.close();
    this.#passage.close({ returnFocus: false }); // it belongs to an earlier answer
    const turn = this.#newTurn(question);
    this.#log.append(turn.element);
    const hints = this.#start.hints && this.#memory.hints ? "hint" : undefined;
    const mode = this.#start.hints && this.#composer.practises ? "practice" : hints;
    this.#conversation.ask(turn, question, { position: positionOf(this), mode });
    return true;
  }

  /** Stop the answer that is being written, if there is one. */
  stop() {
    this.#conversation?.stop();
  }

  /** Start an empty conversation; the one before stays in the list. */
  startOver() {
    this.#leave();
    this.#log.replaceChildren(this.#welcome());
    this.#composer.focus();
  }

  /** Go on with an earlier conversation. */
  /** @param {string} session */
  goOn(session) {
    this.#leave();
    this.#memory.session = session;
    this.#log.replaceChildren();
    this.#restore();
    this.#composer.focus();
  }

  #leave() {
    this.stop();
    this.#memory.forget();
    this.#passage.close();
    this.#consent.close();
    this.#history.close();
    this.#turns = [];
    this.#conversation = this.#newConversation(); // what still comes of the one before is of no concern
    this.#composer.busy = this.#composer.practises = false;
    this.#log.removeAttribute("aria-busy");
  }

  #restart() {
    this.stop();
    const around = /** @type {HTMLElement | null} */ (this.closest("[lang]"));
    const language = around?.lang || document.documentElement.lang || navigator.language;
    const course = this.getAttribute("course") ?? "";
    this.#texts = textsFor(language);
    this.#client = new DialogueClient(this.getAttribute("api") || "/", course, this.visitor);
    this.#saved = new SavedConversations(course);
    this.#memory = new SessionMemory(course, this.#saved);
    this.#memory.changed = () => this.#tellPage("vta-answers", { waiting: this.#memory.waitingSessions.length, answered: this.#history.answered });
    if (this.session !== undefined) this.#memory.adopt(this.session);
    this.session = undefined;
    this.#turns = [];
    this.#conversation = this.#newConversation();
    this.#watch?.stop();
    this.#watch = new TaWatch(this.#client, this.#memory, (answers, session) => this.#tell(answers, session));
    this.#build();
    this.#watch.start();
    this.#restore();
  }

  /** A conversation whose events are of no concern any more once it was replaced by another. */
  #newConversation() {
    const isPresent = () => conversation === this.#conversation;
    /** @type {Conversation<TurnView>} */
    const conversation = new Conversation(this.#client, this.#memory, {
      began: () => isPresent() && this.#began(),
      show: (turn, event) => isPresent() && this.#show(turn, event),
      ended: () => isPresent() && this.#ended(),
    });
    return conversation;
  }

  #build() {
    const texts = this.#texts;
    this.#composer = new Composer(texts, {
      ask: (question) => this.ask(question),
      stop: () => this.stop(),
      hint: (wanted) => (this.#memory.hints = wanted),
      practise: (wanted) => this.#practise(wanted),
      last: () => this.#turns.at(-1)?.question ?? "",
    });
    this.#notice = new TaNotice(texts, (session, turns) => this.#markSeen(session, turns));
    this.#passage = new PassagePanel(texts, {
      pages: this.getAttribute("pages"),
      read: (detail) => !this.#tellPage("vta-read", detail),
      seek: (detail) => this.#tellPage("vta-seek", detail),
    });
    this.#consent = new Consent(this.getAttribute("course") ?? "", texts, (decision) => this.#client.decideOnResearch(decision));
    this.#log = make("div", {
      class: "log",
      testid: "log",
      role: "log",
      tabindex: 0,
      "aria-live": "off",
      "aria-label": texts.conversation,
    });
    const over = button(
      { class: "small quiet", testid: "new-conversation", on: { click: () => this.startOver() } },
      icon("plus"),
      texts.newConversation,
    );
    const title = make("div", {}, make("h2", {}, texts.name), make("p", {}, texts.tagline));
    this.#history = new HistoryPanel(texts, {
      list: () => this.#conversations(),
      open: (session) => this.goOn(session),
      remove: (session) => this.#remove(session),
      foot: () => this.#consent.choice(),
    });
    const frame = make(
      "section",
      { class: "frame", testid: "sidebar", lang: texts === textsFor("zh") ? "zh" : "en", "aria-label": texts.name },
      make("header", { class: "top" }, title, make("div", { class: "heads" }, this.#history.toggle, over)),
      this.#history.element,
      this.#notice.element,
      this.#log,
      this.#consent.element,
      this.#passage.element,
      this.#composer.element,
    );
    const reveal = () => (frame.hidden = false);
    frame.hidden = true; // until styled
    const styles = make("link", { rel: "stylesheet", href: STYLES, on: { load: reveal, error: reveal } });
    this.shadowRoot?.replaceChildren(styles, frame);
  }

  #welcome() {
    const { suggestions, greeting, first_questions: first = [] } = this.#start;
    const lists = [suggestions, parseList(this.getAttribute("suggestions")), first];
    const questions = lists.find((list) => list.length) ?? [];
    return welcome(questions.slice(0, 3), this.#texts, greeting, (question) => {
      this.#log.focus(); // the chosen button is about to go
      this.ask(question);
    });
  }

  /** Show the stored turns of this tab's session, or the welcome when there are none. */
  async #restore() {
    const log = this.#log;
    this.#starting = this.#readStart();
    const { session } = this.#memory;
    try {
      const turns = session ? await this.#client.history(session) : [];
      if (log !== this.#log || session !== this.#memory.session) return; // rebuilt, or another, in the meantime
      if (session && !turns) {
        this.#memory.forget();
        this.#saved.remove(session);
      }
      this.#composer.practises ||= Boolean(turns?.at(-1)?.answer.exercise);
      const asked = this.#turns.splice(0); // while the history was on its way
      const known = new Set(asked.map(({ id }) => id));
      const before = (turns ?? []).filter(({ answer }) => !known.has(answer.turn_id));
      const views = before.map((turn) => this.#restored(turn));
      if (asked.length) views.at(-1)?.dropOffers();
      this.#turns.push(...asked);
      log.prepend(...views.map((view) => view.element));
      await this.#starting;
      if (log !== this.#log) return;
      this.#lookBack(turns && session ? [session] : []);
      if (!log.children.length) log.append(this.#welcome());
      log.scrollTop = log.scrollHeight;
      this.#tellHeight();
    } catch (problem) {
      const again = () => {
        log.focus();
        box.remove();
        this.#restore();
      };
      const box = problemBox(problem, this.#texts.historyFailed, this.#texts, { label: this.#texts.retry, act: again });
      log.prepend(box);
    }
  }

  async #conversations() {
    await this.#starting; // only then is it known who keeps the list
    return this.#start.signed_in ? this.#client.conversations() : this.#saved.all;
  }

  /** Look for real TAs' answers in these sessions, and in those that other tabs and devices left waiting. */
  /** @param {string[]} sessions */
  async #lookBack(sessions) {
    const [memory, watch] = [this.#memory, this.#watch];
    for (const { session_id: session, ta_turns: turns = [] } of await this.#conversations().catch(() => [])) {
      for (const turn of turns) memory.addWaiting(turn, session);
    }
    if (watch === this.#watch) watch?.look(new Set([...sessions, ...memory.waitingSessions]));
  }

  /** Delete a conversation, here and on the server. */
  /** @param {string} session */
  async #remove(session) {
    await this.#client.deleteSession(session);
    this.#saved.remove(session);
    if (session === this.#memory.session) this.startOver();
  }

  /** Keep this conversation in the browser's list, unless the server keeps it as the learner's. */
  #save() {
    const { session } = this.#memory;
    const title = this.#turns[0]?.question;
    if (session && title && this.#start.signed_in === false) this.#saved.add(session, title);
  }

  /** @param {Api.TurnOut} turn */
  #restored({ question, answer, rating, ta_question }) {
    const { turn_id: turn, session_id: session } = answer;
    if (ta_question === "waiting" && !this.#memory.isWaiting(turn)) this.#memory.addWaiting(turn, session);
    return this.#newTurn(question).finish(answer, { rating, ta_question });
  }

  /** The course's questions and whether it offers hints; without them the page's own suggestions stand. */
  async #readStart() {
    const [composer, consent] = [this.#composer, this.#consent];
    try {
      this.#start = await this.#client.start(positionOf(this));
      consent.study = this.#start.research;
      if (this.#start.longest_question) composer.longest = this.#start.longest_question;
      if (this.#start.name) this.#call(this.#start.name);
      if (this.#start.hints) composer.offerModes(this.#memory.hints);
    } catch (problem) {
      console.info(`vta-sidebar: starts with the page's own suggestions (${problem.code})`);
    }
  }

  /** Give the assistant the name that the course has for it. */
  /** @param {string} name */
  #call(name) {
    const frame = this.shadowRoot?.querySelector(".frame");
    frame?.setAttribute("aria-label", name);
    frame?.querySelector("h2")?.replaceChildren(name);
  }

  /** @param {string} question */
  #newTurn(question) {
    this.#turns.at(-1)?.dropOffers();
    const turn = new TurnView(question, this.#texts, {
      ask: (next) => this.ask(next),
      edit: (text) => this.#edit(text),
      keepFocus: () => this.#log.focus(),
      open: (citation, opener) => this.#passage.open(citation, opener),
      client: this.#client,
      memory: this.#memory,
    });
    this.#turns.push(turn);
    return turn;
  }

  /** Ask for an exercise on what stands in the box; until the switch is pressed again, what is sent is an attempt. */
  /** @param {boolean} wanted */
  #practise(wanted) {
    if (!wanted) this.#turns.at(-1)?.dropOffers();
    else if (this.ask(this.#texts.practiseAsks(this.#composer.text))) this.#composer.fill("");
  }

  /** Put a question into the box, unless something else is being written there. */
  /** @param {string} question */
  #edit(question) {
    if (!this.#composer.text) this.#composer.fill(question);
    this.#composer.focus();
  }

  /** Tell what real TAs answered: above the conversation until it was seen, and under each question. */
  /** @param {Sidebar.TaAnswer[]} answers @param {string} session */
  #tell(answers, session) {
    for (const answer of answers) this.#turns.find(({ id }) => id === answer.turn_id)?.addTaAnswer(answer);
    this.#notice.show(answers, session, () => this.#log.focus());
    this.#history.mark(session, answers.some((answer) => !answer.seen));
  }

  /** @param {string} session @param {string[]} turns */
  async #markSeen(session, turns) {
    try {
      await this.#client.markTaAnswersSeen(session);
      this.#history.mark(session, false);
      this.#memory.settle(session, turns);
    } catch (problem) {
      console.info(`vta-sidebar: told again after a reload (${problem.code})`);
    }
  }

  #began() {
    const log = this.#log;
    this.#composer.busy = true;
    log.setAttribute("aria-live", "polite"); // from here on, not for the restored history
    log.setAttribute("aria-busy", "true"); // only the finished answer is announced
    log.scrollTop = log.scrollHeight;
  }

  #ended() {
    const log = this.#log;
    log.removeAttribute("aria-busy");
    this.#composer.busy = this.#conversation.isBusy;
    this.#tellHeight();
  }

  /** Follow the text until its question is at the top: from there on it is read, and goes on below. */
  /** @param {TurnView} turn @param {Sidebar.Shown} event */
  #show(turn, event) {
    const log = this.#log;
    const follows = log.scrollHeight - log.scrollTop - log.clientHeight < 48;
    if (event.type === "done") {
      turn.finish(event.data);
      this.#save();
      this.#consent.ask();
    } else turn.add(event);
    if (follows) log.scrollTop = turn.element.offsetTop - 12;
  }

  #tellHeight() {
    const hidden = this.#log.scrollHeight - this.#log.clientHeight;
    const height = Math.ceil((this.#log.parentElement?.getBoundingClientRect().height ?? 0) + hidden);
    this.#tellPage("vta-height", { height });
  }

  /** Tell the page around; false where it says that it has taken care of it. */
  /** @param {string} type @param {object} detail */
  #tellPage(type, detail) {
    return this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, cancelable: true, detail }));
  }
}

customElements.define("vta-sidebar", VtaSidebar);
