import assert from "node:assert/strict";
import test from "node:test";

import { GrowingHtml } from "../../services/sidebar/static/growing.js";

test("changes that come close together are shown once, as all that there is", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const shown = [];
  const growing = new GrowingHtml((html) => shown.push(html));
  growing.change({ keep: 0, html: "<p>A <strong>st</strong></p>" });
  growing.change({ keep: 15, html: "ack</strong></p>" });
  assert.deepEqual(shown, []);
  context.mock.timers.tick(50);
  growing.change({ keep: 31, html: "<p>😀</p>" });
  context.mock.timers.tick(50);
  growing.change({ keep: 36, html: " 栈</p>" });
  context.mock.timers.tick(50);
  assert.deepEqual(shown, [
    "<p>A <strong>stack</strong></p>",
    "<p>A <strong>stack</strong></p><p>😀</p>",
    "<p>A <strong>stack</strong></p><p>😀 栈</p>",
  ]);
});

test("what is flushed is shown at once and not again", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const shown = [];
  const growing = new GrowingHtml((html) => shown.push(html));
  growing.flush();
  growing.change({ keep: 0, html: "<p>a</p>" });
  growing.flush();
  growing.flush();
  context.mock.timers.tick(50);
  assert.deepEqual(shown, ["<p>a</p>"]);
});
