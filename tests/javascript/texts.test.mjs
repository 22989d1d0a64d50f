import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { problemWords } from "../../services/sidebar/static/problems.js";
import { TEXTS, documentName, formatTime, textsFor } from "../../services/sidebar/static/texts.js";

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
      const citation = { locator: place.locator, document: null, title: "A", source: "material" };
      assert.equal(placeOf(citation, TEXTS[language]), place[language]);
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
      if (language === "zh") assert.doesNotMatch(title + hint, /[a-z]/i);
    }
  });
}

test("a time is never negative and hours are apart from minutes", () => {
  assert.deepEqual([-1, 0, 59.9, 3599, 3600, "x"].map(formatTime), ["00:00", "00:00", "00:59", "59:59", "1:00:00", "00:00"]);
});

test("a file is called what a teacher would call it, as the server says it", () => {
  const said = (path, language) => documentName(path, TEXTS[language]);
  assert.equal(said("subtitles/04-walking-downhill.srt", "en"), "Lecture 4, Walking downhill");
  assert.equal(said("1.10 Stacks.md", "en"), "Stacks");
  assert.equal(said("04-栈.vtt", "zh"), "第 4 讲 栈");
  assert.equal(said("lecture_12.srt", "en"), "Lecture 12");
  assert.equal(said("04-notes_on-trees.txt", "en"), "Notes on trees");
  assert.equal(said("course.tar.gz", "en"), "Course");
  assert.equal(said("42.pdf", "en"), "42");
});

test("an FAQ entry is named by its question alone", () => {
  const place = { locator: {}, document: "faq.csv", source: "faq", title: "Q?" };
  assert.equal(placeOf(place, TEXTS.en), "");
});
