import assert from "node:assert/strict";
import test from "node:test";

import { readEvents } from "../../services/sidebar/static/events.js";

/** The events read from `content` when the network cuts it into pieces of `size` bytes. */
async function read(content, size) {
  const bytes = new TextEncoder().encode(content);
  const body = new ReadableStream({
    start(stream) {
      for (let at = 0; at < bytes.length; at += size) stream.enqueue(bytes.slice(at, at + size));
      stream.close();
    },
  });
  const events = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

for (const size of [1, 2, 3, 5, 1000]) {
  for (const lineEnd of ["\n", "\r\n", "\r"]) {
    test(`the same events are read in pieces of ${size} with ${JSON.stringify(lineEnd)}`, async () => {
      const lines = [": ping", "", "event: delta", 'data: {"text": "栈"}', "", "event:done", "data: [1,", "data:2]", ""];
      const content = [...lines, "event: done", "data: 3"].join(lineEnd);
      const expected = [
        { type: "delta", data: { text: "栈" } },
        { type: "done", data: [1, 2] },
      ];
      assert.deepEqual(await read(content, size), expected);
    });
  }
}

test("data that is no JSON is an error, not an event", async () => {
  await assert.rejects(read("data: {\n\n", 100), SyntaxError);
});
