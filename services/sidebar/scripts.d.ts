// What the sidebar's scripts pass among each other; `Api` is generated from the OpenAPI document (tests/openapi_types.py).

declare namespace Sidebar {
  /** Every text of the sidebar in one language. */
  type Texts = typeof import("./static/texts.js").zh;

  type Properties = { testid?: string; on?: Record<string, (event: any) => void> } & Record<string, unknown>;
  type Child = Node | string | null | undefined;

  /** A citation, or a place without number and perhaps without passage. */
  type Place = Partial<Pick<Api.CitationOut, "locator" | "document" | "url" | "source" | "title" | "pair_id">>;
  type Passage = Place &
    Pick<Api.CitationOut, "title" | "source"> &
    Partial<Pick<Api.CitationOut, "n" | "passage" | "passage_html">> & { said?: string };

  /** The page around the sidebar; `read` says whether it goes there. */
  type Around = {
    pages: string | null;
    read(to: { href: string | null; said: string; video?: string | null; show: boolean }): boolean;
    seek(to: { video: string; start_s: number; show: boolean }): void;
  };

  /** What the server knows of an earlier turn. */
  type Kept = Partial<Pick<Api.TurnOut, "rating" | "ta_question">>;
  type Feedback = Api.FeedbackIn;
  type TaAnswer = Api.TaAnswerOut;
  type Failure = { code: string; title?: string; detail?: string; status?: number; retryAfter?: number | null };
  type Visitor = { token: string | null; renew(): Promise<string | null> };
  type Position = Api.PositionIn;
  type Request = { question: string; session: string | null; position?: Position; mode?: Api.Mode; key: string };
  type Event =
    | { type: "start"; data: { turn_id: string; session_id: string } }
    | { type: "trace"; data: Api.TraceStep }
    | { type: "sources"; data: Api.CitationOut[] }
    | { type: "delta"; data: { text: string } }
    | { type: "html"; data: { keep: number; html: string } }
    | { type: "citations"; data: Api.CitationOut[] }
    | { type: "concepts"; data: Api.ConceptOut[] }
    | { type: "done"; data: Api.AnswerOut };
  /** What a turn is told: for the deltas and their HTML, all HTML that has been written. */
  type Shown = Exclude<Event, { type: "delta" | "html" }> | { type: "written"; data: { html: string } };

  type Client = import("./static/client.js").DialogueClient;
  type Memory = import("./static/memory.js").SessionMemory;
  type Open = (passage: Passage, opener: HTMLElement) => void;
  type Actions = {
    ask(question: string): void;
    edit(question: string): void;
    keepFocus(): void;
    open: Open;
    client: Client;
    memory: Memory;
  };

  /** Where an answer is shown as it comes; `retry` asks again. */
  type Turn = {
    start(): void;
    stop(retry: () => void): void;
    fail(problem: Failure, retry: () => void): void;
  };
  type Hooks<T> = {
    began(turn: T): unknown;
    show(turn: T, event: Shown): unknown;
    ended(turn: T): unknown;
    pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  };
}
