import { describe, expect, it } from 'vitest';
import { shrinkfitTools } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { idOf } from './support/notice.ts';
import { issues, log } from './support/samples.ts';

const options = { shrinkfit: 2000 };
const recovery = (tools: object, name = 'compressor_recover_response') =>
  (tools as Record<string, { description: string; execute: (input: unknown) => Promise<string> }>)[name]!;

describe('the recovery tool', () => {
  it('never runs a tool again', async () => {
    let runs = 0;
    const { tools } = shrinkfitTools({ probe: { execute: async () => (runs++, log(300)) } }, options);
    const id = idOf(await tools.probe.execute().then(String));
    await recovery(tools).execute({ response_id: id });
    await failureOf(() => recovery(tools).execute({ response_id: id.replaceAll(/[0-9a-f]/g, '0') }));
    expect(runs).toBe(1);
  });

  it('gives the complete original, over any budget', async () => {
    const { tools } = shrinkfitTools({ probe: { execute: async () => issues(5000) as unknown } }, options);
    const id = idOf((await tools.probe.execute()) as string);
    expect(await recovery(tools).execute({ response_id: id })).toBe(JSON.stringify(issues(5000)));
  });

  it('gives the same id for the same original, so that previews are the same', async () => {
    const { tools } = shrinkfitTools({ probe: { execute: async () => log(300) } }, options);
    expect(await tools.probe.execute()).toBe(await tools.probe.execute());
  });

  it('knows nothing of another toolset’s ids', async () => {
    const first = shrinkfitTools({ probe: { execute: async () => log(300) } }, options);
    const second = shrinkfitTools({ probe: { execute: async () => log(300) } }, options);
    const id = idOf(await first.tools.probe.execute());
    expect(idOf(await second.tools.probe.execute())).not.toBe(id);
    expect(await failureOf(() => recovery(second.tools).execute({ response_id: id }))).toMatchObject({ code: 'RESPONSE_UNAVAILABLE' });
  });

  it('has one text for every id that is not there, which says what to do', async () => {
    const { tools } = shrinkfitTools({}, options);
    const messages = await Promise.all(
      ['nonsense', '00000000-0000-8000-8000-000000000000', '\ud800'].map((id) =>
        failureOf(() => recovery(tools).execute({ response_id: id })),
      ),
    );
    expect(new Set(messages.map(({ code, message }) => code + message)).size).toBe(1);
    expect(messages[0]).toMatchObject({ code: 'RESPONSE_UNAVAILABLE' });
    expect(messages[0]!.message).toMatch(/again/);
    expect(messages[0]!.message).toMatch(/write/);
  });

  it.each<[unknown, string]>([
    [undefined, 'the input must be an object'],
    ['an-id', 'the input must be an object'],
    [{}, 'response_id must be the id'],
    [{ response_id: 7 }, 'response_id must be the id'],
    [{ response_id: '' }, 'response_id must be the id'],
    [{ response_id: 'x', paht: '/a' }, '"paht" is no argument'],
    [{ response_id: 'x', path: 7 }, 'path must be a string'],
    [{ response_id: 'x', path: '/a', search: 'b' }, 'name one of path, search, lines, cursor, not path and search'],
    [{ response_id: 'x', search: 'b', context: '2' }, 'context must be a number'],
  ])('refuses %j', async (input, message) => {
    const failure = await failureOf(() => recovery(shrinkfitTools({}, options).tools).execute(input));
    expect(failure).toMatchObject({ code: 'INVALID_INPUT' });
    expect(failure.message).toContain(message);
  });

  it('is in every wrapped map, and in none without a store', () => {
    expect(Object.keys(shrinkfitTools({}, options).tools)).toEqual(['compressor_recover_response']);
    expect(Object.keys(shrinkfitTools({}, { ...options, store: false }).tools)).toEqual([]);
  });
});

describe('a host that has a tool of that name', () => {
  const own = { description: 'Recovers compressors after a fault.', execute: async () => log(300) };

  it('keeps it, fitted like any other; ours gets a suffix, and notices name it', async () => {
    const { tools } = shrinkfitTools({ compressor_recover_response: own, compressor_recover_response_2: own }, options);
    expect(Object.keys(tools)).toEqual(['compressor_recover_response', 'compressor_recover_response_2', 'compressor_recover_response_3']);
    const preview = await recovery(tools).execute({});
    expect(preview).toContain('compressor_recover_response_3');
    expect(await recovery(tools, 'compressor_recover_response_3').execute({ response_id: idOf(preview) })).toBe(log(300));
  });

  it('inherited names count as taken', () => {
    const tools = Object.create({ compressor_recover_response: own }) as object;
    expect(Object.keys(shrinkfitTools(tools, options).tools)).toEqual(['compressor_recover_response_2']);
  });
});

describe('a recovery tool that an outer wrapper meets', () => {
  const inner = shrinkfitTools({ probe: { execute: async () => log(300) } }, options);

  it('is left alone, so that originals come back whole', () => {
    const { compressor_recover_response: tool } = inner.tools;
    const { tools } = shrinkfitTools({ compressor_recover_response: tool, renamed: tool }, options);
    expect(recovery(tools)).toBe(tool);
    expect(recovery(tools, 'renamed')).toBe(tool);
    expect(Object.keys(tools)).toContain('compressor_recover_response_2');
  });

  it('is left alone when it comes from a proxy, with a prefix and without our mark', () => {
    const proxied = { description: inner.tools.compressor_recover_response.description, execute: async () => log(300) };
    const { tools } = shrinkfitTools({ mcp__files__compressor_recover_response: proxied }, options);
    expect(tools.mcp__files__compressor_recover_response).toBe(proxied);
  });
});
