import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

import { SavedConversations, SessionMemory } from "../../services/sidebar/static/memory.js";

class Storage extends Map {
  getItem(key) {
    return this.get(key) ?? null;
  }

  setItem(key, value) {
    this.set(key, value);
  }
}

beforeEach(() => {
  globalThis.sessionStorage = new Storage();
  globalThis.localStorage = new Storage();
});

test("a course's memory outlives its element and is no other course's", () => {
  new SessionMemory("a").session = "s";
  assert.equal(new SessionMemory("a").session, "s");
  assert.equal(new SessionMemory("b").session, null);
});

test("a new conversation keeps what waits for a real TA and whether hints are wanted", () => {
  const memory = new SessionMemory("a");
  memory.session = "s";
  memory.hints = true;
  memory.addWaiting("t", "s");
  memory.forget();
  assert.deepEqual([memory.session, memory.hints, memory.isWaiting("t"), memory.waitingSessions], [null, true, true, ["s"]]);
});

test("settled turns wait no more, and all of a session that the server does not know", () => {
  const memory = new SessionMemory("a");
  for (const [turn, session] of [["t1", "s1"], ["t2", "s1"], ["t3", "s2"]]) memory.addWaiting(turn, session);
  memory.settle("s1", ["t1"]);
  assert.deepEqual(["t1", "t2", "t3"].map((turn) => memory.isWaiting(turn)), [false, true, true]);
  memory.settle("s1", undefined);
  assert.deepEqual(memory.waitingSessions, ["s2"]);
});

test("another learner's session takes nothing over from this tab", () => {
  const memory = new SessionMemory("a");
  memory.session = "s";
  memory.addWaiting("t", "s");
  memory.adopt("s");
  assert.equal(memory.isWaiting("t"), true);
  memory.adopt("other");
  assert.deepEqual([memory.session, memory.isWaiting("t")], ["other", false]);
});

test("where the browser lets nothing be stored the page remembers by itself", () => {
  globalThis.sessionStorage = undefined;
  const memory = new SessionMemory("a");
  memory.session = "s";
  assert.equal(memory.session, "s");
});

test("conversations are listed with the latest first, keep their titles and can be removed", () => {
  const saved = new SavedConversations("a");
  for (const [session, title] of [["s1", "one"], ["s2", "two"], ["s1", "later"]]) saved.add(session, title);
  const listed = () => new SavedConversations("a").all.map(({ session_id, title }) => [session_id, title]);
  assert.deepEqual(listed(), [["s1", "one"], ["s2", "two"]]);
  assert.deepEqual(new SavedConversations("b").all, []);
  saved.remove("s1");
  assert.deepEqual(listed(), [["s2", "two"]]);
  localStorage.setItem("vta-conversations:a", "broken");
  assert.deepEqual(listed(), []);
});
