// One conversation: sends each question, follows its answer, and goes on where the server or the network failed.

import { newKey } from "./client.js";
import { GrowingHtml } from "./growing.js";

const MOST_WAITS = 3; // for a request that is still at work; after that its server is taken for dead

/**
 * Sends questions one at a time. `memory.session` is the session to go on with. `hooks` are told when an answer
 * `began(turn)`, of each event to `show(turn, event)`, and when it `ended(turn)`, well or not.
 */
/** @template {Sidebar.Turn} T */
export class Conversation {
  #client;
  #memory;
  #hooks;
  /** @type {AbortController | null} */
  #running = null;

  /**
   * @param {Pick<Sidebar.Client, "ask">} client
   * @param {Pick<Sidebar.Memory, "session" | "forget">} memory
   * @param {Sidebar.Hooks<T>} hooks
   */
  constructor(client, memory, { began, show, ended, pause = wait }) {
    this.#client = client;
    this.#memory = memory;
    this.#hooks = { began, show, ended, pause };
  }

  /** Whether an answer is being written. */
  get isBusy() {
    return this.#running !== null;
  }

  /** Ask, and show the answer in `turn`; resolves when that has ended. */
  /** @param {T} turn @param {string} question @param {{ position?: Sidebar.Position, mode?: Api.Mode }} situation */
  ask(turn, question, { position, mode } = {}) {
    const { session } = this.#memory;
    return this.#run(turn, { question, session, position, mode, key: newKey() });
  }

  /** Stop the answer that is being written, if there is one. */
  stop() {
    this.#running?.abort();
  }

  /** `request` is kept as it was sent: a moving player and a session begun in the meantime do not change it. */
  /** @param {T} turn @param {Sidebar.Request} request @returns {Promise<void>} */
  async #run(turn, request) {
    const running = new AbortController();
    this.#running = running;
    turn.start();
    this.#hooks.began(turn);
    const written = new GrowingHtml((html) => this.#show(turn, { type: "written", data: { html } }));
    try {
      for await (const event of this.#events(request, running.signal)) {
        running.signal.throwIfAborted();
        if (event.type === "html") {
          written.change(event.data);
        } else if (event.type !== "delta") {
          written.flush();
          this.#show(turn, event);
        }
      }
    } catch (problem) {
      written.flush();
      // After a lost connection the same key finds the answer again; after a refusal it is a new request.
      if (problem.code !== "network") request.key = newKey();
      const retry = () => (this.isBusy ? undefined : this.#run(turn, request));
      if (running.signal.aborted) turn.stop(retry);
      else turn.fail(problem, retry);
    } finally {
      if (this.#running === running) this.#running = null;
      this.#hooks.ended(turn);
    }
  }

  /** @param {Sidebar.Request} request @param {AbortSignal} signal */
  async *#events(request, signal) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        yield* this.#client.ask({ ...request, signal });
        return;
      } catch (problem) {
        if (!(await this.#findWay(request, problem, attempt, signal))) throw problem;
      }
    }
  }

  /** Change the request so that it may succeed after this refusal; false where nothing would help. */
  /**
   * @param {Sidebar.Request} request
   * @param {Sidebar.Failure} problem
   * @param {number} attempt
   * @param {AbortSignal} signal
   */
  async #findWay(request, problem, attempt, signal) {
    if (problem.code === "request_in_progress" && attempt <= MOST_WAITS) {
      await this.#hooks.pause((problem.retryAfter ?? 1) * 1000, signal);
      return true;
    }
    const isStale = problem.code === "request_in_progress" || problem.code === "idempotency_key_reused";
    const isForgotten = problem.code === "not_found" && Boolean(request.session);
    if (isForgotten) {
      this.#memory.forget();
      request.session = null;
    }
    if (isForgotten || isStale) request.key = newKey();
    return isForgotten || (isStale && attempt <= MOST_WAITS + 1);
  }

  /** @param {T} turn @param {Sidebar.Shown} event */
  #show(turn, event) {
    if (event.type === "start" || event.type === "done") this.#memory.session = event.data.session_id;
    this.#hooks.show(turn, event);
  }
}

/** Resolves after `ms`, or at once when `signal` is aborted. */
/** @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} */
function wait(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
