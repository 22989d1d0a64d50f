import assert from "node:assert/strict";
import test from "node:test";

import { Gathering } from "../../services/sidebar/static/gathering.js";

test("words that come close together are written once, in order", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const written = [];
  const words = new Gathering((text) => written.push(text));
  words.add("a ");
  words.add("stack");
  assert.deepEqual(written, []);
  context.mock.timers.tick(50);
  words.add(" is");
  context.mock.timers.tick(50);
  assert.deepEqual(written, ["a stack", " is"]);
});

test("flushed words are written at once and not again", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const written = [];
  const words = new Gathering((text) => written.push(text));
  words.add("a");
  words.flush();
  words.flush();
  context.mock.timers.tick(50);
  assert.deepEqual(written, ["a"]);
});
