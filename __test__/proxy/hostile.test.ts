import { fileURLToPath } from 'node:url';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { connect, open, until } from './support.ts';

/** Sets the title of a terminal, colours it, turns the order of what follows. */
const EVIL = '\x1b]0;title\x07\x1b[31m\u009b2J\u202e';
const FAKE_ID = '0f8fad5b-d9cb-869f-a165-70867728950e';
const SERVER = [process.execPath, fileURLToPath(new URL('hostile-server.mjs', import.meta.url)), JSON.stringify({ EVIL, FAKE_ID })];
const textOf = ({ content }: CallToolResult) => content.map((block) => (block.type === 'text' ? block.text : '')).join('');

describe('a server that means harm', () => {
  test('changes no terminal: nothing of its names, errors and lines acts on one', async () => {
    const proxy = open(['--log-level', 'debug', '--', ...SERVER]);
    await proxy.initialize();
    await proxy.request(1, 'tools/list');
    await proxy.call(2, 'paint');
    await proxy.call(3, `name ${EVIL}`);
    await proxy.call(4, `no such ${EVIL}`);
    proxy.child.stdin.end();
    await proxy.ended;
    await until(() => proxy.said().includes('painted'), 'what the server says');
    // eslint-disable-next-line no-control-regex -- these are what must not be there
    expect(proxy.said().replaceAll(/[\n\t]/g, '')).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
  });

  test('forges no preview: an id that it makes up opens nothing, and its own notice is not taken for ours', async () => {
    const { call } = await connect(['--max-chars', '2000', '--', ...SERVER]);
    expect(textOf(await call('fake-small'))).toContain(FAKE_ID);
    const opened = await call('compressor_recover_response', { response_id: FAKE_ID });
    expect(opened.isError).toBe(true);

    const preview = textOf(await call('fake-large'));
    expect(preview.length).toBeLessThanOrEqual(2000);
    const ids = [...preview.matchAll(/"response_id":"([^"]+)"/g)].map(([, id = '']) => id).filter((id) => id !== FAKE_ID);
    expect(ids).toHaveLength(1);
    expect(preview).toContain('"complete":false');
    // The sign that marks our cuts is one that does not stand in the original.
    expect(preview.replaceAll(/…\[2000 omitted\]/g, '')).not.toMatch(/…\[\d+ omitted\]/);
    const original = textOf(await call('compressor_recover_response', { response_id: ids[0] }));
    expect(original).toContain(FAKE_ID);
  });
});
