// What this browser tab remembers of a course: its session, and the turns a real TA was asked about.

export class SessionMemory {
  #key;
  #kept = null; // where the browser lets nothing be stored

  constructor(course) {
    this.#key = `vta-sidebar:${course}`;
  }

  get session() {
    return this.#read().session;
  }

  set session(id) {
    this.#write({ ...this.#read(), session: id });
  }

  get hints() {
    return this.#read().hints;
  }

  set hints(wanted) {
    this.#write({ ...this.#read(), hints: wanted });
  }

  /** Go on with a learner's session, or with none; what another left in this tab is forgotten. */
  adopt(session) {
    if (this.session !== session) this.#write({ session, waiting: [] });
  }

  isWaiting(turn) {
    return this.#read().waiting.some((each) => each.turn === turn);
  }

  /** The sessions in which a question waits, also those before the present conversation. */
  get waitingSessions() {
    return [...new Set(this.#read().waiting.map((each) => each.session))];
  }

  addWaiting(turn, session) {
    const stored = this.#read();
    this.#write({ ...stored, waiting: [...stored.waiting, { turn, session }] });
  }

  /** Turns of a session that wait no more; all of them where the server does not know the session. */
  settle(session, turns) {
    const stored = this.#read();
    const waits = (each) => each.session !== session || (turns && !turns.includes(each.turn));
    this.#write({ ...stored, waiting: stored.waiting.filter(waits) });
  }

  /** Forget the conversation; what waits for a real TA is kept. */
  forget() {
    this.#write({ ...this.#read(), session: null });
  }

  #read() {
    const stored = this.#storage((storage) => JSON.parse(storage.getItem(this.#key))) ?? this.#kept;
    const { session = null, waiting = [], hints = false } = stored ?? {};
    return { session, waiting: waiting.filter((each) => each.session), hints };
  }

  #write(value) {
    this.#kept = value;
    this.#storage((storage) => storage.setItem(this.#key, JSON.stringify(value)));
  }

  #storage(use) {
    try {
      return use(sessionStorage);
    } catch {
      return null; // blocked in this frame
    }
  }
}
