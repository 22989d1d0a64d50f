// What this browser tab remembers of a course: its session, and the turns a real TA was asked about.

export class SessionMemory {
  #key;

  constructor(course) {
    this.#key = `vta-sidebar:${course}`;
  }

  get session() {
    return this.#read().session;
  }

  set session(id) {
    this.#write({ ...this.#read(), session: id });
  }

  isWaiting(turn) {
    return this.#read().waiting.includes(turn);
  }

  addWaiting(turn) {
    const stored = this.#read();
    this.#write({ ...stored, waiting: [...stored.waiting, turn] });
  }

  forget() {
    sessionStorage.removeItem(this.#key);
  }

  #read() {
    return JSON.parse(sessionStorage.getItem(this.#key)) ?? { session: null, waiting: [] };
  }

  #write(value) {
    sessionStorage.setItem(this.#key, JSON.stringify(value));
  }
}
