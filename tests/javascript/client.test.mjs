import assert from "node:assert/strict";
import { createServer } from "node:http";
import test, { after, before } from "node:test";

import { DialogueClient, newKey } from "../../services/sidebar/static/client.js";

/** A server that answers each request by the next of `replies`, and keeps what it was sent. */
const replies = [];
const requests = [];
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (piece) => (body += piece));
  request.on("end", () => {
    requests.push({ method: request.method, url: request.url, headers: request.headers, body: body && JSON.parse(body) });
    const { status = 200, headers = {}, content = {} } = replies.shift();
    const text = typeof content === "string" ? content : JSON.stringify(content);
    response.writeHead(status, { "Content-Type": "application/json", Connection: "close", ...headers }).end(text);
  });
});

before(async () => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  globalThis.document = { baseURI: `http://127.0.0.1:${server.address().port}/` };
});
after(() => server.close());

function play(...next) {
  replies.splice(0, replies.length, ...next);
  requests.length = 0;
}

async function all(events) {
  const read = [];
  for await (const event of events) read.push(event);
  return read;
}

const question = { question: "What?", session: null, key: "k" };
const stream = { headers: { "Content-Type": "text/event-stream" } };

test("an answer comes as its events up to the last", async () => {
  play({ ...stream, content: 'event: delta\ndata: {"text":"a"}\n\nevent: done\ndata: {"text":"a"}\n\n' });
  const events = await all(new DialogueClient("/", "a course").ask(question));
  assert.deepEqual(events.map(({ type }) => type), ["delta", "done"]);
  assert.equal(requests[0].url, "/v1/courses/a%20course/dialogue");
  assert.equal(requests[0].headers["idempotency-key"], "k");
  assert.deepEqual(requests[0].body, { question: "What?", session_id: null, stream: true });
});

test("a replayed answer comes whole", async () => {
  play({ content: { text: "a" } });
  assert.deepEqual(await all(new DialogueClient("/", "c").ask(question)), [{ type: "done", data: { text: "a" } }]);
});

test("a stream that is cut, refused or ended by an error is a problem with its code", async () => {
  const problem = { code: "limit_exceeded", title: "t", detail: "d" };
  const refused = { status: 429, headers: { "Content-Type": "application/problem+json", "Retry-After": "49" }, content: problem };
  play(
    { ...stream, content: 'event: delta\ndata: {"text":"a"}\n\n' },
    refused,
    { ...stream, content: `event: error\ndata: ${JSON.stringify(problem)}\n\n` },
  );
  const client = new DialogueClient("/", "c");
  await assert.rejects(all(client.ask(question)), { code: "network" });
  await assert.rejects(all(client.ask(question)), { code: "limit_exceeded", status: 429, retryAfter: 49 });
  await assert.rejects(all(client.ask(question)), { code: "limit_exceeded" });
});

test("an unknown session has no history, another failure is one", async () => {
  play({ status: 404 }, { status: 503, content: { code: "not_ready" } }, { content: { turns: [] } });
  const client = new DialogueClient("/", "c");
  assert.equal(await client.history("s"), null);
  await assert.rejects(client.history("s"), { code: "not_ready" });
  assert.deepEqual(await client.history("s"), []);
});

test("a token that has expired is renewed once, and the request repeated", async () => {
  play({ status: 401 }, { content: { answers: [] } }, { status: 401, content: { code: "unauthorized" } });
  const visitor = { token: "old", renew: async () => (visitor.token = visitor.token === "old" ? "new" : null) };
  const client = new DialogueClient("/", "c", visitor);
  assert.deepEqual(await client.taAnswers("s"), []);
  assert.deepEqual(requests.map(({ headers }) => headers.authorization), ["Bearer old", "Bearer new"]);
  await assert.rejects(client.taAnswers("s"), { code: "unauthorized" });
});

test("keys do not repeat", () => {
  assert.equal(new Set(Array.from({ length: 100 }, newKey)).size, 100);
});
