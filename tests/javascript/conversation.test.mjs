import assert from "node:assert/strict";
import test from "node:test";

import { Problem } from "../../services/sidebar/static/client.js";
import { Conversation } from "../../services/sidebar/static/conversation.js";

const done = { type: "done", data: { session_id: "s", text: "a stack" } };
const begin = { type: "start", data: { session_id: "begun", turn_id: "t" } };

/** A conversation with a server that plays one script, a list of events and failures, for each request. */
function open(scripts, session = null) {
  const log = { sent: [], shown: [], waits: [], outcomes: [] };
  const client = {
    async *ask({ signal, ...request }) {
      log.sent.push({ ...request });
      for (const step of scripts.shift()) {
        if (step instanceof Error) throw step;
        yield step;
      }
    },
  };
  const memory = { session, forget: () => (memory.session = null) };
  const turn = {
    start: () => log.outcomes.push("started"),
    stop: (retry) => Object.assign(log, { retry }) && log.outcomes.push("stopped"),
    fail: (problem, retry) => Object.assign(log, { retry }) && log.outcomes.push(problem.code),
  };
  const conversation = new Conversation(client, memory, {
    began: () => {},
    show: (_, event) => log.shown.push(event.type === "written" ? event.data.html : event.type),
    ended: () => log.outcomes.push("ended"),
    pause: async (ms) => log.waits.push(ms),
  });
  return { conversation, memory, turn, log };
}

test("an answer is shown in order, and its session is gone on with", async () => {
  const delta = { type: "delta", data: { text: "*" } };
  const html = (keep, html) => ({ type: "html", data: { keep, html } });
  const { conversation, memory, turn, log } = open([[begin, delta, html(0, "<p>a</p>"), delta, html(4, " stack</p>"), done]]);
  const asking = conversation.ask(turn, "What?", { mode: "hint" });
  assert.equal(conversation.isBusy, true);
  await asking;
  assert.equal(conversation.isBusy, false);
  assert.deepEqual(log.shown, ["start", "<p>a stack</p>", "done"]);
  assert.equal(memory.session, "s");
  assert.deepEqual(log.outcomes, ["started", "ended"]);
});

test("after a lost connection the very same request is repeated, whatever was begun since", async () => {
  const { conversation, turn, log } = open([[begin, new Problem({ code: "network" })], [done]]);
  await conversation.ask(turn, "What?", { position: { video: "a.mp4", second: 1 } });
  await log.retry();
  assert.deepEqual(log.sent[1], log.sent[0]);
  assert.equal(log.sent[1].session, null);
});

test("after a refusal the same question is a new request", async () => {
  const { conversation, turn, log } = open([[new Problem({ code: "limit_exceeded", status: 429 })], [done]], "s");
  await conversation.ask(turn, "What?");
  await log.retry();
  const [first, second] = log.sent;
  assert.notEqual(second.key, first.key);
  assert.deepEqual({ ...second, key: "" }, { ...first, key: "" });
});

test("a session that the server does not know is given up, the question is not", async () => {
  const { conversation, memory, turn, log } = open([[new Problem({ code: "not_found", status: 404 })], [begin, done]], "lost");
  await conversation.ask(turn, "What?");
  assert.deepEqual(log.sent.map(({ session }) => session), ["lost", null]);
  assert.notEqual(log.sent[0].key, log.sent[1].key);
  assert.equal(memory.session, "s");
});

test("a course that is not there is a failure, not an endless search", async () => {
  const lost = () => [new Problem({ code: "not_found", status: 404 })];
  const { conversation, turn, log } = open([lost(), lost()], "lost");
  await conversation.ask(turn, "What?");
  assert.deepEqual(log.outcomes, ["started", "not_found", "ended"]);
});

test("a request that is still at work is waited for, and then made anew: its server may be dead", async () => {
  const busy = () => [new Problem({ code: "request_in_progress", status: 409, retryAfter: 1 })];
  const { conversation, turn, log } = open([busy(), busy(), busy(), busy(), [done]]);
  await conversation.ask(turn, "What?");
  assert.deepEqual(log.waits, [1000, 1000, 1000]);
  assert.equal(new Set(log.sent.map(({ key }) => key)).size, 2);
  assert.deepEqual(log.outcomes, ["started", "ended"]);
});

test("a stopped answer can be asked for again", async () => {
  const { conversation, turn, log } = open([[begin, done], [done]]);
  const asking = conversation.ask(turn, "What?");
  conversation.stop();
  await asking;
  assert.deepEqual(log.outcomes, ["started", "stopped", "ended"]);
  await log.retry();
  assert.equal(log.shown.at(-1), "done");
});
