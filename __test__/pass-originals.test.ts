import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { shrinkfitTools } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { idOf } from './support/notice.ts';
import { issues, log } from './support/samples.ts';

/** Tools that read something long, and one that writes what it is given. */
function toolset(options: object = {}) {
  const written: unknown[] = [];
  const tools = {
    read: { execute: async () => issues(300) as unknown },
    readText: { execute: async () => ({ content: [{ type: 'text', text: log(300) }] }) as unknown },
    write: {
      description: 'Writes a file.',
      inputSchema: z.object({ path: z.string(), content: z.string(), tags: z.array(z.string()).default([]) }),
      execute: async (input: unknown) => (written.push(input), 'written'),
    },
    stream: {
      async *execute(input: unknown) {
        written.push(input);
        yield 'begun';
        yield 'done';
      },
    },
  };
  const { tools: wrapped } = shrinkfitTools(tools, { shrinkfit: 2000, passOriginals: true, ...options });
  return { wrapped, written, run: (input: unknown) => wrapped.write.execute(input) };
}

describe('passOriginals', () => {
  it('puts an original, or a part of it, in the place of an argument', async () => {
    const { wrapped, written, run } = toolset();
    const id = idOf((await wrapped.read.execute()) as string);
    const text = (await wrapped.readText.execute()) as { content: { text: string }[] };
    const textId = /"response_id":"([^"]+)"/.exec(JSON.stringify(text).replaceAll('\\"', '"'))![1]!;

    expect(await run({ path: 'a', content: { $recover: { response_id: id, path: '/issues/7/body' } } })).toBe('written');
    await run({ path: 'b', content: { $recover: { response_id: textId } } });
    await run({ path: 'c', content: { $recover: { response_id: textId, lines: '2-3' } } });
    await run({
      path: 'd',
      content: { $recover: { response_id: id } },
      tags: [{ $recover: { response_id: id, path: '/issues/0/key' } }, 'x'],
    });
    expect(written).toEqual([
      { path: 'a', content: issues(300).issues[7]!.body, tags: [] },
      { path: 'b', content: log(300), tags: [] },
      { path: 'c', content: log(300).split('\n').slice(1, 3).join('\n'), tags: [] },
      { path: 'd', content: JSON.stringify(issues(300)), tags: ['PROJ-1', 'x'] },
    ]);
  });

  it('is told in one sentence, and lets references through the schema', async () => {
    const { wrapped } = toolset();
    expect(wrapped.write.description).toMatch(/^Writes a file\. In place of any argument value, \{"\$recover":.*in full\.$/);
    const { '~standard': standard } = wrapped.write.inputSchema as unknown as {
      '~standard': { validate: (value: unknown) => unknown; jsonSchema: { input: () => object } };
    };
    const reference = { path: 'a', content: { $recover: { response_id: 'x' } } };
    expect(await standard.validate(reference)).toEqual({ value: reference });
    expect(await standard.validate({ path: 7 })).toHaveProperty('issues');
    expect(standard.jsonSchema.input()).toHaveProperty('properties.content.type', 'string');
  });

  it('checks the input once the original is in its place', async () => {
    const { wrapped, written, run } = toolset();
    const id = idOf((await wrapped.read.execute()) as string);
    const failure = await failureOf(() => run({ path: 'a', content: { $recover: { response_id: id, path: '/issues/0' } } }));
    expect(failure).toMatchObject({ code: 'INVALID_INPUT' });
    expect(failure.message).toMatch(/^write was not run: content/);
    expect(written).toEqual([]);
  });

  it.each<[unknown, string]>([
    [{ response_id: '00000000-0000-8000-8000-000000000000' }, 'RESPONSE_UNAVAILABLE'],
    [{ response_id: 7 }, 'INVALID_INPUT'],
    [{ response_id: 'x', path: '/a', lines: '1' }, 'INVALID_INPUT'],
    ['an-id', 'INVALID_INPUT'],
  ])('runs nothing for %j', async ($recover, code) => {
    const { written, run } = toolset();
    expect(await failureOf(() => run({ path: 'a', content: { $recover } }))).toMatchObject({ code });
    expect(written).toEqual([]);
  });

  it('leaves all else alone: references inside strings, keys beside them, streams, and everything when it is off', async () => {
    const { wrapped, written, run } = toolset();
    const id = idOf((await wrapped.read.execute()) as string);
    const inside = JSON.stringify({ $recover: { response_id: id } });
    await run({ path: 'a', content: inside });
    expect(written).toEqual([{ path: 'a', content: inside }]);
    const seen = [];
    for await (const value of wrapped.stream.execute({ a: 1 })) seen.push(value);
    expect(seen).toEqual(['begun', 'done']);
    expect(await (wrapped.stream.execute({ a: { $recover: { response_id: id, path: '/total' } } }) as unknown as Promise<unknown>)).toBe(
      'done',
    );
    expect(written.at(-1)).toEqual({ a: 300 });

    const off = toolset({ passOriginals: false });
    expect(off.wrapped.write.description).toBe('Writes a file.');
    await off.run({ content: { $recover: { response_id: id } } });
    expect(off.written).toEqual([{ content: { $recover: { response_id: id } } }]);
  });
});
