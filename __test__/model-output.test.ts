import { describe, expect, it } from 'vitest';
import { type OriginalStore, shrinkfitTools } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { charsOf, idOf } from './support/notice.ts';
import { issues, log } from './support/samples.ts';

const BUDGET = 2000;
const long = log(300);
const image = { type: 'media', data: 'iVBORw0KGgo=', mediaType: 'image/png' };

interface ModelTool {
  execute: () => Promise<unknown>;
  toModelOutput?: (given: unknown) => unknown;
}

function wrap(tool: Partial<ModelTool>, options: object = {}) {
  const map: Record<string, ModelTool> = { probe: { execute: async () => long, ...tool } };
  const { tools } = shrinkfitTools(map, { shrinkfit: BUDGET, target: 'model', ...options });
  const probe = tools.probe!;
  return {
    run: probe.execute,
    /** As the AI SDK from version 6 asks. */
    ask6: async (output: unknown) => (await probe.toModelOutput!({ toolCallId: 'call-1', input: { q: 1 }, output })) as Shown,
    /** As version 5 asks, which does not wait. */
    ask5: (output: unknown) => probe.toModelOutput!(output) as Shown | Promise<Shown>,
    recover: (id: string) => tools.compressor_recover_response.execute({ response_id: id }),
  };
}

interface Shown {
  type: string;
  value: unknown;
}

describe('target: "model"', () => {
  it('leaves the result whole and fits what the model sees', async () => {
    const { run, ask6, ask5, recover } = wrap({});
    const result = await run();
    expect(result).toBe(long);
    for (const shown of [await ask6(result), ask5(result) as Shown]) {
      expect(shown.type).toBe('text');
      expect(charsOf(shown.value as string)).toBeLessThanOrEqual(BUDGET);
      expect(await recover(idOf(shown.value as string))).toBe(long);
    }
  });

  it.each<[string, unknown, Shown]>([
    ['a short text', 'short', { type: 'text', value: 'short' }],
    ['a small object', { a: 1 }, { type: 'json', value: { a: 1 } }],
    ['nothing', undefined, { type: 'json', value: null }],
  ])('shows %s as the AI SDK does', async (_, output, expected) => {
    const { ask6, ask5 } = wrap({});
    expect(await ask6(output)).toEqual(expected);
    expect(ask5(output)).toEqual(expected);
  });

  it('shows a large object as a text that is JSON', async () => {
    const { ask6 } = wrap({});
    const shown = await ask6(issues(200));
    expect(shown.type).toBe('text');
    expect(JSON.parse(shown.value as string)).toMatchObject({ total: 200 });
  });

  it('fits what a toModelOutput of the tool’s own gives', async () => {
    const { ask6, ask5 } = wrap({ toModelOutput: () => ({ type: 'content', value: [{ type: 'text', text: long }], by: 'the tool' }) });
    for (const shown of [await ask6('x'), ask5('x') as Shown]) {
      expect(shown).toMatchObject({ type: 'content', by: 'the tool' });
      const parts = shown.value as { text: string }[];
      expect(parts.reduce((sum, part) => sum + charsOf(part.text), 0)).toBeLessThanOrEqual(BUDGET);
    }
  });

  it('waits for one that is a promise', async () => {
    const { ask6, ask5 } = wrap({ toModelOutput: async () => ({ type: 'json', value: issues(200) }) });
    expect((await ask6('x')).type).toBe('text');
    expect((await ask5('x')).type).toBe('text');
  });

  it('leaves media alone with their texts, unless told otherwise', async () => {
    const output = { type: 'content', value: [{ type: 'text', text: long }, image] };
    expect(await wrap({ toModelOutput: () => output }).ask6('x')).toBe(output);
    const fitted = await wrap({ toModelOutput: () => output }, { multimodal: 'fit' }).ask6('x');
    expect((fitted.value as unknown[])[1]).toBe(image);
    expect(charsOf(((fitted.value as unknown[])[0] as { text: string }).text)).toBeLessThanOrEqual(BUDGET);
  });

  it.each(['error-text', 'execution-denied', 'something new'])('leaves %s as it is', async (type) => {
    const output = { type, value: long };
    expect(await wrap({ toModelOutput: () => output }).ask6('x')).toBe(output);
  });

  it('shortens errors where that is asked for', async () => {
    const shown = await wrap({ toModelOutput: () => ({ type: 'error-text', value: long }) }, { errors: 'fit' }).ask6('x');
    expect(shown.type).toBe('error-text');
    expect(charsOf(shown.value as string)).toBeLessThanOrEqual(BUDGET);
  });

  it('counts as wrapped', async () => {
    const { tools } = shrinkfitTools({ probe: { execute: async () => long } }, { shrinkfit: BUDGET, target: 'model' });
    expect(await failureOf(() => shrinkfitTools(tools, { shrinkfit: BUDGET }))).toMatchObject({ code: 'ALREADY_WRAPPED' });
  });

  it('with a store of the host’s fits where the host waits, and passes where it does not', async () => {
    const kept = new Map<string, string>();
    const store: OriginalStore = {
      get: (id) => kept.get(id),
      set: (id, original) => kept.set(id, original),
      delete: (id) => kept.delete(id),
      clear: () => kept.clear(),
    };
    const { ask6, ask5, recover } = wrap({}, { store });
    expect(await recover(idOf((await ask6(long)).value as string))).toBe(long);
    expect(ask5(long)).toEqual({ type: 'text', value: long });
  });
});
