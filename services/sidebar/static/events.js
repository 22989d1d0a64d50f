// Server-sent events read from a fetch body (EventSource cannot POST).

/**
 * Yield `{type, data}` for each complete event; `data` is parsed JSON. Comments (heartbeats) are skipped and
 * an event cut off by the end of the stream is dropped. Throws SyntaxError when data is not JSON.
 */
/** @param {ReadableStream<Uint8Array>} body @returns {AsyncGenerator<{ type: string, data: any }, void>} */
export async function* readEvents(body) {
  const reader = body.pipeThrough(/** @type {ReadableWritablePair<string, Uint8Array>} */ (new TextDecoderStream())).getReader();
  let buffer = "";
  /** @type {{ type: string, data: string[] }} */
  let event = { type: "message", data: [] };
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      // A lone "\r" at the end may be the first half of "\r\n": it waits for the next chunk.
      const lines = (buffer + value).split(/\r\n|\n|\r(?!$)/);
      buffer = lines.pop() ?? "";
      for (const line of lines) {
        if (line) {
          addField(event, line);
        } else {
          if (event.data.length) yield { type: event.type, data: JSON.parse(event.data.join("\n")) };
          event = { type: "message", data: [] };
        }
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** @param {{ type: string, data: string[] }} event @param {string} line */
function addField(event, line) {
  const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
  if (name === "event") event.type = value;
  if (name === "data") event.data.push(value);
}
