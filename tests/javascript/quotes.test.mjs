import assert from "node:assert/strict";
import test from "node:test";

import { quoted, shingles } from "../../services/sidebar/static/quotes.js";

const found = (text, said) => quoted(text, new Set(shingles(said))).map(([start, end]) => text.slice(start, end));

test("the sentences that an answer repeats are found, and no others", () => {
  const passage = "A stack grows at 1.5 ends only. Push takes constant time! Printers use a queue.";
  assert.deepEqual(found(passage, "As said: push takes constant time."), ["Push takes constant time!"]);
  assert.deepEqual(found(passage, "A stack grows at 1.5 ends only [1]. More."), ["A stack grows at 1.5 ends only."]);
  assert.deepEqual(found(passage, "Nothing of it."), []);
});

test("Chinese is compared by its characters", () => {
  const passage = "栈是只在一端插入和删除的线性表。入栈只要常数时间。";
  assert.deepEqual(found(passage, "**栈**是只在一端插入和删除的线性表[1]。"), ["栈是只在一端插入和删除的线性表。"]);
});

test("a sentence that is retold in most of its words is found", () => {
  const passage = "The last command is undone first, because it lies on top of the stack.";
  assert.deepEqual(found(passage, "In short, the last command is undone first, because it lies on top."), [passage]);
});
