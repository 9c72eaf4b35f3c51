/** What a call takes beside the arguments of its tool. */
export interface CallOptions {
  /** Aborts the call, and the tool with it. */
  signal?: AbortSignalLike;
  /** Milliseconds after which the call is aborted. */
  timeoutMs?: number;
}

/** An `AbortSignal`, whatever libraries a program is checked with. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** What a preview says of itself. */
export interface Notice {
  complete: false;
  message: string;
  /** The id by which the original is read. */
  response_id?: string;
  /** The file that the original is in, where it is in one. */
  original_response_file?: string;
  /** The cursor of the next page, where the preview is a page. */
  next_cursor?: string;
  report?: { [counter: string]: unknown };
  /** The largest cuts. */
  omitted?: Array<{
    path?: string;
    lines?: string;
    items?: number;
    chars?: number;
  }>;
}

/** A call that failed; of a tool's own failure the message is the tool's. */
export class ToolError extends Error {
  /** The tool that was called. */
  readonly tool: string;
  /** Such as CLOSED, TIMEOUT, ABORTED, INVALID_INPUT, INVALID_ANSWER, PREVIEW, REQUEST_TOO_LARGE; none for a tool's own failure. */
  readonly code: string | undefined;

  constructor(tool: string, message: string, code?: string) {
    super(message);
    this.name = code === "ABORTED" ? "AbortError" : "ToolError";
    this.tool = tool;
    this.code = code;
  }
}

/** A result that is only a preview, where all of it was asked for. */
export class PreviewError extends ToolError {
  /** What is missing, and the id by which it is read. */
  readonly notice: Notice;
  /** The preview. */
  readonly preview: string;

  constructor(tool: string, notice: Notice, preview: string) {
    super(tool, `the result is only a preview: ${notice.message}`, "PREVIEW");
    this.name = "PreviewError";
    this.notice = notice;
    this.preview = preview;
  }
}

/** Calls a tool; `given` are its arguments in one object, or those of `positional` and then, if it has any, the others. */
async function _call(
  tool: string,
  positional: string[],
  others: boolean,
  given: unknown[],
  format?: "json",
): Promise<string> {
  const [input, options] = _arguments(tool, positional, others, given);
  let body: string;
  try {
    body = JSON.stringify({ tool, input, format }, _finite);
  } catch (error) {
    const message = `${tool} was not run: its arguments have no JSON form: ${String(error)}`;
    throw new ToolError(tool, message, "INVALID_INPUT");
  }
  const { status, text } = await _post(tool, body, options);
  let answer: {
    result?: unknown;
    error?: unknown;
    code?: string;
    notice?: Notice;
    preview?: string;
  };
  try {
    answer = JSON.parse(text);
  } catch {
    throw new ToolError(tool, _closed, "CLOSED");
  }
  if (typeof answer.result === "string") return answer.result;
  // Somebody else listens there by now, or nobody will any more.
  if (status === 401 || status === 503)
    throw new ToolError(tool, _closed, "CLOSED");
  const { error, code, notice, preview = "" } = answer;
  if (notice !== undefined) throw new PreviewError(tool, notice, preview);
  throw new ToolError(tool, String(error), code);
}

/** JSON has no such numbers, and would write `null` for them. */
function _finite(name: string, value: unknown): unknown {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  throw new RangeError(`${JSON.stringify(name)} is ${value}`);
}

/** The typed face of a tool: its result as a value, never a preview. */
function _json(
  tool: string,
  positional: string[],
  others: boolean,
): (...given: unknown[]) => Promise<never> {
  return async (...given) => {
    const text = await _call(tool, positional, others, given, "json");
    try {
      return JSON.parse(text) as never;
    } catch {
      const message = `the result is no JSON: ${text.slice(0, 200)}`;
      throw new ToolError(tool, message, "INVALID_ANSWER");
    }
  };
}

function _arguments(
  tool: string,
  positional: string[],
  others: boolean,
  given: unknown[],
): [object, CallOptions] {
  const [first = {}] = given;
  const isObject =
    typeof first === "object" && first !== null && !Array.isArray(first);
  if (isObject && (positional.length === 0 || given[0] !== undefined))
    return [first, (given[1] ?? {}) as CallOptions];
  const missing = positional.find((_, at) => given[at] === undefined);
  if (positional.length === 0 || missing !== undefined) {
    const what =
      missing === undefined
        ? "the arguments must be one object"
        : `the argument ${JSON.stringify(missing)} is missing`;
    throw new ToolError(tool, `${tool} was not run: ${what}`, "INVALID_INPUT");
  }
  const count = positional.length;
  const named = positional.map((name, at) => [name, given[at]]);
  const rest = others ? Object.entries(Object(given[count])) : [];
  const options = given[others ? count + 1 : count] ?? {};
  return [_object([...rest, ...named]), options as CallOptions];
}

/** An object of fields, whatever they are called. */
function _object(fields: unknown[][]): object {
  const object = {};
  for (const [name, value] of fields)
    Object.defineProperty(object, String(name), { value, enumerable: true });
  return object;
}

async function _post(
  tool: string,
  body: string,
  { signal, timeoutMs }: CallOptions,
): Promise<{ status: number; text: string }> {
  // By names that no type checker follows: the program may have no types of Node.
  const [http, secrets] = await Promise.all(
    ["node:http", _secrets].map((module) => import(module)),
  ).catch(() => {
    throw new ToolError(tool, _closed, "CLOSED");
  });
  const { setTimeout, clearTimeout } = globalThis as unknown as {
    setTimeout: (call: () => void, ms: number) => unknown;
    clearTimeout: (timer: unknown) => void;
  };
  return new Promise((resolve, reject) => {
    let timer: unknown;
    const abort = () =>
      fail("the call was aborted; the tool may have run", "ABORTED");
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    const fail = (message: string, code: string) => {
      finish();
      reject(new ToolError(tool, message, code));
      request.destroy();
    };
    const headers = {
      authorization: `Bearer ${secrets.token}`,
      "content-type": "application/json",
    };
    const request = http.request(
      `${secrets.url}/exec`,
      { method: "POST", headers, agent: new http.Agent() },
      (response: any) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => (text += part));
        response.on("error", () => fail(_ended, "CLOSED"));
        response.on("end", () => {
          finish();
          resolve({ status: response.statusCode, text });
        });
      },
    );
    request.on("error", ({ code }: { code?: string }) =>
      fail(code === "ECONNREFUSED" ? _closed : _ended, "CLOSED"),
    );
    if (timeoutMs !== undefined)
      timer = setTimeout(
        () =>
          fail(
            `no answer within ${timeoutMs} ms; the tool may have run`,
            "TIMEOUT",
          ),
        // Node takes no longer time.
        Math.min(timeoutMs, 2 ** 31 - 1),
      );
    signal?.addEventListener("abort", abort);
    if (signal?.aborted === true) abort();
    else request.end(body);
  });
}

const _secrets = "./@secrets@";
const _closed =
  "no answer from the session, which is closed or was started elsewhere; its host has to start it again";
const _ended = "the session ended during the call; the tool may have run";
