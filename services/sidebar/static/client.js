// The dialogue API of one course.

import { readEvents } from "./events.js";

/** A failure worth showing. `code` is the server's stable code, or `network` when no answer arrived. */
export class Problem extends Error {
  /** @param {Partial<Sidebar.Failure>} problem */
  constructor({ title = "", detail = "", code = "error", status = 0, retryAfter = null } = {}) {
    super(detail || title);
    Object.assign(this, { title, detail, code, status, retryAfter });
  }
}

export class DialogueClient {
  #root;
  #visitor;

  /** `visitor`, where there is one, gives short-lived tokens: `token` now, and `renew()` for a fresh one or null. */
  /** @param {string} api @param {string} course @param {Sidebar.Visitor | null} visitor */
  constructor(api, course, visitor = null) {
    this.#visitor = visitor;
    const root = new URL(api.endsWith("/") ? api : `${api}/`, document.baseURI);
    this.#root = new URL(`v1/courses/${encodeURIComponent(course)}/`, root).href;
  }

  /**
   * Ask, and yield the events of the answer as `{type, data}`; the last one is `done` with the whole answer.
   * Throws Problem for an `error` event, an HTTP error, a lost connection or a stream that ends too early.
   */
  /** @param {Sidebar.Request & { signal?: AbortSignal }} request @returns {AsyncGenerator<Sidebar.Event, void>} */
  async *ask({ question, session, position, mode, signal, key }) {
    /** @type {Api.DialogueIn} */
    const body = { question, session_id: session, position, mode, stream: true };
    const response = await this.#post("dialogue", body, { signal, key });
    try {
      if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
        yield { type: "done", data: await response.json() }; // a replayed answer comes whole
        return;
      }
      if (!response.body) throw new Problem({ code: "network" });
      for await (const event of readEvents(response.body)) {
        if (event.type === "error") throw new Problem(event.data);
        yield /** @type {Sidebar.Event} */ (event);
        if (event.type === "done") return;
      }
    } catch (error) {
      throw asProblem(error);
    }
    throw new Problem({ code: "network" });
  }

  /** What the sidebar starts with: `suggestions`, `first_questions` of the place, and whether `hints` are offered. */
  /** @param {Sidebar.Position | undefined} position @returns {Promise<Api.SidebarOut>} */
  async start(position) {
    const place = Object.entries(position ?? {}).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]]));
    return this.#read(place.length ? `sidebar?${new URLSearchParams(place)}` : "sidebar");
  }

  /** The conversations of a learner who is signed in, the latest first. */
  /** @returns {Promise<Api.ConversationOut[]>} */
  async conversations() {
    return (await this.#read("sessions")).sessions;
  }

  /** Forget a session; one that the server does not know is forgotten already. */
  /** @param {string} session */
  async deleteSession(session) {
    const path = `sessions/${encodeURIComponent(session)}`;
    await orNull(this.#fetch(path, { method: "DELETE" }).then(refuseFailure));
  }

  /** The stored turns of a session, oldest first; null when the server does not know the session. */
  /** @param {string} session @returns {Promise<Api.TurnOut[] | null>} */
  async history(session) {
    const found = await orNull(this.#read(`sessions/${encodeURIComponent(session)}`));
    return found && found.turns;
  }

  /** What real TAs answered in a session, oldest first; null when the server does not know the session. */
  /** @param {string} session @returns {Promise<Sidebar.TaAnswer[] | null>} */
  async taAnswers(session) {
    const found = await orNull(this.#read(`sessions/${encodeURIComponent(session)}/ta-answers`));
    return found && found.answers;
  }

  /** @param {string} session */
  async markTaAnswersSeen(session) {
    await this.#post(`sessions/${encodeURIComponent(session)}/ta-answers/seen`, {});
  }

  /** What comes before a concept and builds on it, each with where it is taught. */
  /** @param {string} name @returns {Promise<Api.ConceptStudyOut>} */
  async concept(name) {
    return this.#read(`concepts/${encodeURIComponent(name)}`);
  }

  /** The same as a picture: the text of an SVG document, `depth` columns of what comes before. */
  /** @param {string} name @param {number} depth @returns {Promise<string>} */
  async conceptPicture(name, depth) {
    const path = `concepts/${encodeURIComponent(name)}/neighbourhood.svg?depth=${depth}`;
    return this.#read(path, (response) => response.text());
  }

  /** @param {string} turn @param {Sidebar.Feedback} feedback */
  async sendFeedback(turn, feedback) {
    await this.#post(`turns/${encodeURIComponent(turn)}/feedback`, feedback);
  }

  /** @param {Api.ConsentIn} decision */
  async decideOnResearch(decision) {
    const headers = { "Content-Type": "application/json" };
    await refuseFailure(await this.#fetch("research/consent", { method: "PUT", headers, body: JSON.stringify(decision) }));
  }

  /** @param {string} turn @param {string} text */
  async replyToTa(turn, text) {
    await this.#post(`turns/${encodeURIComponent(turn)}/ta-reply`, { text });
  }

  /** What is known on when a TA answers. */
  /** @param {string} turn @returns {Promise<Api.AskedTaOut>} */
  async askTa(turn) {
    const response = await this.#post(`turns/${encodeURIComponent(turn)}/ask-ta`, {});
    return await response.json();
  }

  /** @param {string} path */
  async #read(path, content = (/** @type {Response} */ response) => response.json()) {
    const response = await this.#fetch(path);
    await refuseFailure(response);
    try {
      return await content(response);
    } catch (error) {
      throw asProblem(error);
    }
  }

  /** @param {string} path @param {object} body @param {{ signal?: AbortSignal, key?: string }} options */
  async #post(path, body, { signal, key = newKey() } = {}) {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": key };
    const response = await this.#fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
    await refuseFailure(response);
    return response;
  }

  /** @param {string} path @param {RequestInit} options */
  async #fetch(path, options = {}) {
    try {
      const token = this.#visitor?.token;
      const response = await fetch(this.#root + path, this.#authorized(options, token));
      if (response.status !== 401 || !this.#visitor) return response;
      const renewed = this.#visitor.token !== token; // by another request in the meantime
      const fresh = renewed ? this.#visitor.token : await this.#visitor.renew();
      return fresh ? await fetch(this.#root + path, this.#authorized(options, fresh)) : response;
    } catch (error) {
      throw asProblem(error);
    }
  }

  /** @param {RequestInit} options @param {string | null | undefined} token @returns {RequestInit} */
  #authorized(options, token) {
    return token ? { ...options, headers: { ...options.headers, Authorization: `Bearer ${token}` } } : options;
  }
}

/** A random key: the server counts requests with the same key once. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What was read, or null where the server does not know it. */
/** @template T @param {Promise<T>} reading */
async function orNull(reading) {
  try {
    return await reading;
  } catch (problem) {
    if (problem.status === 404) return null;
    throw problem;
  }
}

/** @param {Response} response */
async function refuseFailure(response) {
  if (response.ok) return;
  const problem = await response.json().catch(() => ({ title: `HTTP ${response.status}` }));
  const retryAfter = Number(response.headers.get("Retry-After")) || null;
  throw new Problem({ ...problem, status: response.status, retryAfter });
}

/** @param {any} error */
function asProblem(error) {
  const known = error instanceof Problem || error.name === "AbortError";
  return known ? error : new Problem({ code: "network", detail: "" });
}
