import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { problemWords } from "../../services/sidebar/static/problems.js";
import { TEXTS, formatTime, textsFor } from "../../services/sidebar/static/texts.js";

globalThis.document = { baseURI: "http://course.example/" };
const { placeOf } = await import("../../services/sidebar/static/sources.js");

const places = JSON.parse(readFileSync(new URL("../data/places.json", import.meta.url), "utf8"));

const names = (table, prefix = "") =>
  Object.entries(table).flatMap(([name, text]) =>
    typeof text === "object" ? names(text, `${prefix}${name}.`) : [`${prefix}${name} ${typeof text}`],
  );

test("both languages have every text", () => {
  assert.deepEqual(names(TEXTS.zh), names(TEXTS.en));
  assert.ok(names(TEXTS.en).length > 80);
});

test("Chinese is for every kind of Chinese, English for everything else", () => {
  const chosen = ["zh", "zh-Hant-TW", "ZH-cn", "en", "de", "", null, undefined].map((tag) => textsFor(tag) === TEXTS.zh);
  assert.deepEqual(chosen, [true, true, true, false, false, false, false, false]);
});

for (const language of ["zh", "en"]) {
  for (const place of places) {
    test(`a place is said as the server says it: ${JSON.stringify(place.locator)} in ${language}`, () => {
      const video = place.locator.video ? `${place.locator.video} · ` : "";
      assert.equal(placeOf({ locator: place.locator, document: null }, TEXTS[language]), video + place[language]);
    });
  }

  test(`a problem is told by its code alone in ${language}`, () => {
    const texts = TEXTS[language];
    const server = { title: "SERVER TITLE", detail: "server detail" };
    for (const code of [...Object.keys(texts.problems), "a_code_of_tomorrow"]) {
      const { title, hint } = problemWords({ ...server, code, retryAfter: 49 }, texts.failed, texts);
      assert.ok(title && hint);
      assert.ok(hint.endsWith(texts.retryAfter(49)));
      assert.doesNotMatch(title + hint, /server/i);
    }
  });
}

test("a time is never negative and hours are apart from minutes", () => {
  assert.deepEqual([-1, 0, 59.9, 3599, 3600, "x"].map(formatTime), ["00:00", "00:00", "00:59", "59:59", "1:00:00", "00:00"]);
});
