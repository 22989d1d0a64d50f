// What this browser tab remembers of a course: its session, and the turns a real TA was asked about; and what the
// browser remembers for all tabs: the conversations of a student who is not signed in.

/** @typedef {{ session: string | null, waiting: { turn: string, session: string }[], hints: boolean }} Kept */

export class SessionMemory {
  #key;
  /** @type {Partial<Kept> | null} */
  #kept = null; // where the browser lets nothing be stored

  #saved;
  /** Called whenever what waits has changed, or was looked at. */
  changed = () => {};

  /** @param {string} course @param {Pick<SavedConversations, "setTaTurns">} [saved] where the browser keeps what waits */
  constructor(course, saved) {
    this.#key = `vta-sidebar:${course}`;
    this.#saved = saved;
  }

  get session() {
    return this.#read().session;
  }

  /** @param {string | null} id */
  set session(id) {
    this.#write({ ...this.#read(), session: id });
  }

  get hints() {
    return this.#read().hints;
  }

  /** @param {boolean} wanted */
  set hints(wanted) {
    this.#write({ ...this.#read(), hints: wanted });
  }

  /** Go on with a learner's session, or with none; what another left in this tab is forgotten. */
  /** @param {string | null} session */
  adopt(session) {
    if (this.session !== session) this.#write({ session, waiting: [] });
  }

  /** @param {string} turn */
  isWaiting(turn) {
    return this.#read().waiting.some((each) => each.turn === turn);
  }

  /** The sessions in which a question waits, also those before the present conversation. */
  get waitingSessions() {
    return [...new Set(this.#read().waiting.map((each) => each.session))];
  }

  /** @param {string} turn @param {string} session */
  addWaiting(turn, session) {
    if (!this.isWaiting(turn)) this.#setWaiting([...this.#read().waiting, { turn, session }], session);
  }

  /** Turns of a session that wait no more; all of them where the server does not know the session. */
  /** @param {string} session @param {string[] | undefined} turns */
  settle(session, turns) {
    const waits = (/** @type {Kept["waiting"][number]} */ each) => each.session !== session || (turns && !turns.includes(each.turn));
    this.#setWaiting(this.#read().waiting.filter(waits), session);
  }

  /** @param {Kept["waiting"]} waiting @param {string} session */
  #setWaiting(waiting, session) {
    this.#write({ ...this.#read(), waiting });
    this.#saved?.setTaTurns(session, waiting.filter((each) => each.session === session).map((each) => each.turn));
    this.changed();
  }

  /** Forget the conversation; what waits for a real TA is kept. */
  forget() {
    this.#write({ ...this.#read(), session: null });
  }

  /** @returns {Kept} */
  #read() {
    const stored = this.#storage((storage) => JSON.parse(storage.getItem(this.#key) ?? "null")) ?? this.#kept;
    /** @type {Partial<Kept>} */
    const { session = null, waiting = [], hints = false } = stored ?? {};
    return { session, waiting: waiting.filter((each) => each.session), hints };
  }

  /** @param {Partial<Kept>} value */
  #write(value) {
    this.#kept = value;
    this.#storage((storage) => storage.setItem(this.#key, JSON.stringify(value)));
  }

  /** @template T @param {(storage: Storage) => T} use */
  #storage(use) {
    try {
      return use(sessionStorage);
    } catch {
      return null; // blocked in this frame
    }
  }
}

const MOST = 50;

/** The conversations of a course in this browser, the latest first. */
export class SavedConversations {
  #key;

  /** @param {string} course */
  constructor(course) {
    this.#key = `vta-conversations:${course}`;
  }

  /** @returns {Api.ConversationOut[]} */
  get all() {
    try {
      const stored = JSON.parse(localStorage.getItem(this.#key) ?? "[]");
      return Array.isArray(stored) ? stored.filter((each) => each?.session_id && typeof each.title === "string") : [];
    } catch {
      return []; // blocked in this frame, or not ours
    }
  }

  /** Put a conversation first; one that is known keeps its title. */
  /** @param {string} session @param {string} title */
  add(session, title) {
    const known = this.all.find((each) => each.session_id === session);
    const { title: first = title.slice(0, 200), ta_turns = [] } = known ?? {};
    this.#write([{ session_id: session, title: first, asked_at: new Date().toISOString(), ta_turns }, ...this.#without(session)]);
  }

  /** The turns of a conversation of the list that wait for a real TA, or whose answer was not seen. */
  /** @param {string} session @param {string[]} turns */
  setTaTurns(session, turns) {
    this.#write(this.all.map((each) => (each.session_id === session ? { ...each, ta_turns: turns } : each)));
  }

  /** @param {string} session */
  remove(session) {
    this.#write(this.#without(session));
  }

  /** @param {string} session */
  #without(session) {
    return this.all.filter((each) => each.session_id !== session);
  }

  /** @param {Api.ConversationOut[]} conversations */
  #write(conversations) {
    try {
      localStorage.setItem(this.#key, JSON.stringify(conversations.slice(0, MOST)));
    } catch {
      // blocked in this frame: the tab's own conversation is all there is
    }
  }
}
