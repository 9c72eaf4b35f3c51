import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, lines, portOf } from './observing.ts';
import { open, scripted, several } from './support.ts';

describe('the audit', () => {
  test('says who called what, by the claims of the token and never the token', async () => {
    const path = join(await folder(), 'audit.ndjson');
    const claims = {
      sub: 'me',
      iss: 'https://id.example',
      aud: ['a', 'b'],
      scope: 'read write',
      client_id: 'app',
      email: 'me@example.org',
    };
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${encode({ alg: 'none' })}.${encode(claims)}.c2lnbmF0dXJl`;
    const http = { enabled: true, port: 0, auth: { bearer: [token] } };
    const proxy = open(
      several({ one: scripted() }, { inbound: { stdio: false, http }, observability: { audit: { enabled: true, path } } }),
    );
    const base = await portOf(proxy, '/mcp');
    const post = (id: number, name: string) =>
      fetch(`${base}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${token}` },
        body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } }),
      }).then((response) => response.text());
    await post(1, 'echo');
    await post(2, 'fail');
    await post(3, 'nothing-of-the-kind');
    proxy.child.kill('SIGTERM');
    await proxy.ended;
    const { email, ...told } = claims;
    const audit = lines(path);
    expect(audit.map(({ event, call, name, tool, outcome }) => [event, call, name ?? tool, outcome])).toEqual([
      ['call', 1, 'echo', undefined],
      ['end', 1, 'echo', 'ok'],
      ['call', 2, 'fail', undefined],
      ['end', 2, 'fail', 'error'],
      ['call', 3, 'nothing-of-the-kind', undefined],
      ['end', 3, expect.anything(), 'error'],
    ]);
    expect(audit[0]).toMatchObject(told);
    const text = readFileSync(path, 'utf8');
    for (const never of [token, 'c2lnbmF0dXJl', email]) expect(text).not.toContain(never);
  });
});
