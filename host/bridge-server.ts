import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SnugfitError, messageOf } from './errors.ts';

/** What a bridge allows. */
export interface BridgeLimits {
  /**
   * Bytes of a request's body.
   * @default 67108864
   */
  bodyBytes?: number | undefined;
  /**
   * Bytes of an answer.
   * @default 67108864
   */
  answerBytes?: number | undefined;
  /**
   * Milliseconds that a client may take to send its request, or to take a part of the answer.
   * @default 30000
   */
  clientMs?: number | undefined;
  /**
   * Milliseconds that running calls get to finish when the bridge closes.
   * @default 2000
   */
  closeMs?: number | undefined;
}

/** A request that came in whole and was let in. */
export interface BridgeRequest {
  /** `POST /exec`, for one. */
  route: string;
  body: string;
  /** Aborts when the client goes away, or the bridge closes for good. */
  signal: AbortSignal;
}

/** What goes back. */
export interface BridgeAnswer {
  status: number;
  type: string;
  body: string;
}

/** A server on loopback that answers who has its token. */
export interface BridgeServer {
  /** Such as `http://127.0.0.1:40123`. */
  url: string;
  /** 256 random bits. */
  token: string;
  /** Refuses new requests, lets running ones finish for a moment, then ends them. */
  close: () => Promise<void>;
}

const MEBIBYTE = 2 ** 20;
const DEFAULTS = { bodyBytes: 64 * MEBIBYTE, answerBytes: 64 * MEBIBYTE, clientMs: 30_000, closeMs: 2000 };
/** More connections at a time than this are refused by the system's queue or at once. */
const MOST_CONNECTIONS = 4096;
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

/** Starts a server on a random port of 127.0.0.1. It does not keep the process alive, except while a request is under way. */
export async function listen(handle: (request: BridgeRequest) => Promise<BridgeAnswer>, limits: BridgeLimits = {}): Promise<BridgeServer> {
  const { bodyBytes, answerBytes, clientMs, closeMs } = { ...DEFAULTS, ...withoutUndefined(limits) };
  const token = randomBytes(32).toString('base64url');
  const expected = digest(`Bearer ${token}`);
  const running = new Map<Promise<void>, AbortController>();
  let closed: Promise<void> | undefined;

  const server = createServer(
    { requestTimeout: clientMs, headersTimeout: Math.min(clientMs, 10_000), connectionsCheckingInterval: Math.min(clientMs, 1000) },
    (request, response) => {
      const abort = new AbortController();
      response.on('close', () => response.writableFinished || abort.abort());
      const work = answer(request, response, abort.signal).catch(() => void response.destroy());
      running.set(work, abort);
      void work.finally(() => running.delete(work));
    },
  );
  server.maxConnections = MOST_CONNECTIONS;
  server.on('clientError', (_, socket) => socket.destroy());

  async function answer(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const refusal = refuse(request);
    if (refusal !== undefined) {
      send(response, refusal, request);
      return;
    }
    const { bytes, body } = await read(request, bodyBytes);
    const result =
      bytes > bodyBytes
        ? failure(
            413,
            `nothing was run: the request has ${bytes} bytes, and the bridge takes ${bodyBytes} (limits.bodyBytes); send less at a time`,
            'REQUEST_TOO_LARGE',
          )
        : await handle({ route: routeOf(request), body, signal });
    if (signal.aborted) return;
    const size = Buffer.byteLength(result.body);
    const tooLarge = `the tool has run, but its answer has ${size} bytes, and the bridge gives ${answerBytes} (limits.answerBytes); ask for less at a time`;
    send(response, size <= answerBytes ? result : failure(500, tooLarge, 'ANSWER_TOO_LARGE'), request);
  }

  /** Why a request is not let in; decided before its body is read. */
  function refuse(request: IncomingMessage): BridgeAnswer | undefined {
    const { host = '', origin, authorization = '' } = request.headers;
    if (!LOOPBACK.test(host)) return failure(403, 'the Host must be loopback');
    if (origin !== undefined) return failure(403, 'requests of web pages (with an Origin) are refused');
    if (request.method === 'GET' && request.url === '/health') return { status: 200, type: 'application/json', body: '{"ok":true}' };
    if (!timingSafeEqual(digest(authorization), expected)) return failure(401, 'the bearer token is missing or wrong');
    if (closed !== undefined) return failure(503, 'the session is closed');
    return undefined;
  }

  function send(response: ServerResponse, { status, type, body }: BridgeAnswer, request: IncomingMessage): void {
    // A client that takes nothing of its answer for so long is gone.
    response.setTimeout(clientMs, () => response.destroy());
    // What a refused client still sends is not waited for.
    response.on('finish', () => request.complete || request.destroy());
    response.writeHead(status, {
      'content-type': `${type}; charset=utf-8`,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
      'cache-control': 'no-store',
    });
    response.end(body);
  }

  async function shut(): Promise<void> {
    server.close();
    const timer = new AbortController();
    await Promise.race([Promise.allSettled(running.keys()), delay(closeMs, timer.signal)]);
    timer.abort();
    for (const abort of running.values()) abort.abort();
    server.closeAllConnections();
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new SnugfitError('BRIDGE_FAILED', `the bridge cannot listen: ${messageOf(error)}`, { cause: error })),
    );
    server.listen({ host: '127.0.0.1', port: 0, backlog: 1024 }, resolve);
  });
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, token, close: () => (closed ??= shut()) };
}

function routeOf({ method = '', url = '' }: IncomingMessage): string {
  return `${method} ${url.split('?')[0] ?? ''}`;
}

/** An answer that says what was wrong. */
export function failure(status: number, message: string, code?: string): BridgeAnswer {
  return { status, type: 'application/json', body: JSON.stringify({ error: message, ...(code !== undefined && { code }) }) };
}

/**
 * The body as text, none where it is larger than allowed. Such a one is read to its end all the same, and dropped: a client that still sends
 * would not see the answer. The time for a request is limited.
 */
async function read(request: IncomingMessage, most: number): Promise<{ bytes: number; body: string }> {
  const parts: Buffer[] = [];
  const keeps = Number(request.headers['content-length'] ?? 0) <= most;
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (!keeps || bytes > most) parts.length = 0;
    else parts.push(part);
  }
  return { bytes, body: Buffer.concat(parts).toString() };
}

/** Digests are of one length, whatever they are made of, so that their comparison takes the same time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function withoutUndefined<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
