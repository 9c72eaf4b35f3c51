// The contract of bridges, which the npm package and the proxy keep alike.
import { request } from 'node:http';

export interface Answer {
  status: number;
  body: string;
}

export interface Request {
  method?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** `null`: none. */
  token?: string | null;
}

/** A bridge's address and token. */
export interface Place {
  url: string;
  token: string;
}

/** A request with whatever headers; `fetch` would not let a test forge some of them. */
export function send(place: Place, path: string, { method = 'POST', body = '', headers = {}, token = place.token }: Request = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const sent = request(`${place.url}${path}`, {
      method,
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }));
    });
    sent.end(body);
  });
}

/** Who is not let in, and with which status. */
export const REFUSED: [string, number, Request][] = [
  ['no token', 401, { token: null }],
  ['a wrong token', 401, { token: 'x'.repeat(43) }],
  ['an empty token', 401, { token: '' }],
  ['a token in another scheme', 401, { headers: { authorization: 'Basic abc' } }],
  ['a foreign Host', 403, { headers: { host: 'evil.example' } }],
  ['a Host that begins like loopback', 403, { headers: { host: '127.0.0.1.evil.example' } }],
  ['a Host that ends like loopback', 403, { headers: { host: 'evil.localhost' } }],
  ['an Origin', 403, { headers: { origin: 'http://127.0.0.1' } }],
  ['a null Origin', 403, { headers: { origin: 'null' } }],
];

/** What is answered without a tool being run: what it is, route, request, status, what the answer says. */
export const MISTAKEN: [string, string, Request, number, string][] = [
  ['no JSON', '/exec', { body: '{' }, 400, 'INVALID_INPUT'],
  ['no tool', '/exec', { body: '{"input":{}}' }, 400, 'INVALID_INPUT'],
  ['a tool that is not there', '/exec', { body: '{"tool":"nope"}' }, 404, 'UNKNOWN_TOOL'],
  ['another method', '/exec', { method: 'GET' }, 404, 'there are POST'],
  ['another route', '/other', {}, 404, 'there are POST'],
  ['a command that is not there', '/cli', { body: 'arg=nope' }, 200, 'there is no command'],
  ['a body over the limit', '/exec', { body: Buffer.alloc(65 * 2 ** 20, 'x') }, 413, 'REQUEST_TOO_LARGE'],
];
