// Failures in the student's words, chosen by the server's stable code: its own sentences are for engineers.

/** A headline and what to do about it; `fallback` is the headline where the code has none. */
/** @param {Sidebar.Failure} problem @param {string} fallback @param {Sidebar.Texts} texts */
export function problemWords(problem, fallback, texts) {
  const known = texts.problems[problem.code];
  const wait = problem.retryAfter ? texts.retryAfter(problem.retryAfter) : "";
  return { title: known?.title ?? fallback, hint: [known?.hint ?? texts.problemHint, wait].filter(Boolean).join(" ") };
}
