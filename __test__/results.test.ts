import { describe, expect, it } from 'vitest';
import { type FitEvent, shrinkfitTools } from '../host/index.ts';
import { charsOf, envelopeNotice, idOf, noticeOf } from './support/notice.ts';
import { issues, log } from './support/samples.ts';

const BUDGET = 2000;

/** What a wrapped tool gives for `result`, and what `onFit` heard. */
async function run(result: unknown, options = {}) {
  const events: FitEvent[] = [];
  const { tools } = shrinkfitTools(
    { probe: { execute: async () => result } },
    { shrinkfit: BUDGET, onFit: (event) => events.push(event), ...options },
  );
  return { output: await tools.probe.execute(), events, recover: tools.compressor_recover_response.execute };
}

const text = (value: string, more = {}) => ({ type: 'text', text: value, ...more });
const media = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };
const long = log(300);

class Widget {
  #secret = 'x'.repeat(5000);
  get secret() {
    return this.#secret;
  }
}

describe('within the budget, or none of our business: the very same value comes back', () => {
  it.each<[string, unknown]>([
    ['a short string', 'short'],
    ['a string of exactly the budget', 'x'.repeat(BUDGET)],
    ['a string of exactly the budget in pairs of surrogates', '😀'.repeat(BUDGET)],
    ['an object', { a: 1 }],
    ['a lone result', { result: { a: 1 } }],
    ['an array', [1, 2, 3]],
    ['null', null],
    ['a number', 7],
    ['undefined', undefined],
    ['a function', () => long],
    ['a symbol', Symbol('x')],
    ['an instance whose data is private', new Widget()],
    ['an error that is returned', new Error(long)],
    ['a lone result that JSON cannot hold', { result: undefined }],
    ['an envelope', { content: [text('short')], _meta: { trace: 1 } }],
    ['an error envelope', { content: [text(long)], isError: true }],
    ['an envelope with an image', { content: [text(long), media] }],
    ['an envelope with audio', { content: [text(long), { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' }] }],
    ['an envelope with an embedded resource', { content: [text(long), { type: 'resource', resource: { uri: 'file:///a', text: long } }] }],
    ['a structured-only result', { content: [], structuredContent: issues(200) }],
    ['a short text beside large structured content', { content: [text('short')], structuredContent: issues(200) }],
    ['an answer to bad input, as Mastra gives it', { error: true, message: long, validationErrors: { fields: {} } }],
  ])('%s', async (_, result) => {
    const { output, events } = await run(result);
    expect(output).toBe(result);
    expect(events).toEqual([]);
  });
});

describe('over the budget: a fitted string comes back', () => {
  it.each<[string, unknown, string]>([
    ['a text', long, long],
    ['a JSON string', JSON.stringify(issues(200)), JSON.stringify(issues(200))],
    ['an object', issues(200), JSON.stringify(issues(200))],
    ['an array', issues(200).issues, JSON.stringify(issues(200).issues)],
    ['a lone result that is a text', { result: long }, long],
    ['a lone result that is an object', { result: issues(200) }, JSON.stringify(issues(200))],
    ['a result beside other keys', { result: long, ok: true }, JSON.stringify({ result: long, ok: true })],
    [
      'a rich-text document, which is no envelope',
      { type: 'doc', content: issues(200).issues.map((issue) => ({ type: 'paragraph', issue })) },
      '',
    ],
    ['a content array without typed blocks', { content: [text('short'), { value: long }] }, ''],
    ['a value with toJSON', { toJSON: () => issues(200) }, JSON.stringify(issues(200))],
    [
      'an object that holds collections',
      { list: new Set(issues(200).issues), map: new Map([['k', new Map([[1, new Date(0)]])]]), floats: Float64Array.of(0.5, 1), re: /a/g },
      JSON.stringify({ list: issues(200).issues, map: { k: [[1, new Date(0)]] }, floats: [0.5, 1], re: '/a/g' }),
    ],
    ['a map', new Map([['issues', issues(200).issues]]), JSON.stringify({ issues: issues(200).issues })],
    [
      'an error inside of a result',
      { log: long, cause: new TypeError('no') },
      JSON.stringify({ log: long, cause: { name: 'TypeError', message: 'no' } }),
    ],
    ['a string with lone surrogates', `\ud800${long}\udc00`, `\ud800${long}\udc00`],
  ])('%s', async (_, result, original) => {
    const { output, events, recover } = await run(result);
    expect(output).toBeTypeOf('string');
    expect(charsOf(output as string)).toBeLessThanOrEqual(BUDGET);
    expect(noticeOf(output as string)).toMatchObject({ complete: false, report: { pruned: true, fits: true } });
    expect(await recover({ response_id: idOf(output as string) })).toBe(original || JSON.stringify(result));
    expect(events).toMatchObject([
      { tool: 'probe', outcome: 'fitted', after: charsOf(output as string), responseId: idOf(output as string) },
    ]);
  });

  it('a JSON object stays one, with the notice as its last key', async () => {
    const { output } = await run(issues(200));
    const preview = JSON.parse(output as string) as Record<string, unknown>;
    expect(Object.keys(preview).at(-1)).toBe('truncation');
    expect(preview).toMatchObject({ total: 200, nextPageToken: 'opaque-token' });
  });

  it('a JSON array stays one, with the notice as its last element', async () => {
    const { output } = await run(issues(200).issues);
    expect((JSON.parse(output as string) as unknown[]).at(-1)).toHaveProperty('truncation.response_id');
  });

  it('a text ends with the notice, on a line of its own', async () => {
    const { output } = await run(long);
    const [notice, empty] = (output as string).split('\n').reverse();
    expect(JSON.parse(notice!)).toHaveProperty('truncation.response_id');
    expect(empty).toBe('');
  });

  it.each([
    ['an array', issues(200).issues],
    ['a text', long],
  ])('notice "envelope" makes %s one JSON document', async (_, result) => {
    const { output, recover } = await run(result, { notice: 'envelope' });
    expect(charsOf(output as string)).toBeLessThanOrEqual(BUDGET);
    const document = JSON.parse(output as string) as {
      content: { type: string; text: string }[];
      _meta: { truncation: { response_id: string } };
    };
    expect(document.content.map(({ type }) => type)).toEqual(['text', 'text']);
    const original = typeof result === 'string' ? result : JSON.stringify(result);
    expect(await recover({ response_id: document._meta.truncation.response_id })).toBe(original);
  });

  it('notice "envelope" leaves objects inline', async () => {
    const { output } = await run(issues(200), { notice: 'envelope' });
    expect(JSON.parse(output as string)).toHaveProperty('truncation');
  });

  it('a truncation of its own is never touched', async () => {
    const { output } = await run({ truncation: { by: 'the tool' }, ...issues(200) });
    const document = JSON.parse(output as string) as { content: { text: string }[] };
    expect(JSON.parse(document.content[0]!.text)).toMatchObject({ truncation: { by: 'the tool' } });
  });
});

describe('over the budget: an envelope comes back', () => {
  const link = { type: 'resource_link', uri: 'file:///a', name: 'a' };
  const annotated = text(JSON.stringify(issues(200)), { annotations: { audience: ['user'] }, _meta: { block: 1 } });

  it('only texts change; annotations, other blocks, structured content and _meta stay', async () => {
    const envelope = { content: [annotated, link], structuredContent: issues(3), _meta: { trace: 'abc' }, extra: [1] };
    const { output, recover } = await run(envelope);
    const fitted = output as typeof envelope;
    const [block, ...others] = fitted.content;
    expect(block).toEqual({ ...annotated, text: (block as typeof annotated).text });
    expect(others).toEqual([link]);
    expect(others[0]).toBe(link);
    expect(fitted).toMatchObject({ structuredContent: envelope.structuredContent, _meta: { trace: 'abc' }, extra: [1] });
    expect(fitted.structuredContent).toBe(envelope.structuredContent);
    expect(charsOf((block as typeof annotated).text)).toBeLessThanOrEqual(BUDGET);
    expect(await recover({ response_id: envelopeNotice(fitted).response_id! })).toBe(JSON.stringify(envelope));
  });

  it('texts share the budget, the notice block included', async () => {
    const envelope = { content: [text(long), text(JSON.stringify(issues(50).issues)), text('short')] };
    const { output, recover } = await run(envelope);
    const fitted = output as typeof envelope & { _meta: { truncation: unknown } };
    expect(fitted.content.reduce((sum, block) => sum + charsOf(block.text), 0)).toBeLessThanOrEqual(BUDGET);
    expect(fitted._meta.truncation).toEqual(envelopeNotice(fitted));
    expect(await recover({ response_id: envelopeNotice(fitted).response_id! })).toBe(JSON.stringify(envelope));
  });

  it('is not mutated', async () => {
    const envelope = { content: [text(long)] };
    const before = structuredClone(envelope);
    await run(envelope);
    expect(envelope).toEqual(before);
  });

  it('a _meta.truncation of its own is never touched', async () => {
    const { output } = await run({ content: [text(long)], _meta: { truncation: 'the tool’s own' } });
    expect(output).toMatchObject({ _meta: { truncation: 'the tool’s own' } });
  });
});

describe('what cannot be written as JSON passes unchanged, and onFit says why', () => {
  const cycle: Record<string, unknown> = { long };
  cycle.self = cycle;
  it.each<[string, unknown]>([
    ['a cycle', cycle],
    ['a BigInt', { n: 1n, long }],
    [
      'a toJSON that throws',
      {
        toJSON: () => {
          throw new Error('no');
        },
        long,
      },
    ],
    ['an envelope with a BigInt', { content: [text(long)], structuredContent: { n: 1n } }],
  ])('%s', async (_, result) => {
    const { output, events } = await run(result);
    expect(output).toBe(result);
    expect(events).toMatchObject([{ tool: 'probe', outcome: 'passed', error: { code: 'INVALID_INPUT' } }]);
  });
});

describe('a result that carries our notice already', () => {
  it.each<[string, unknown]>([
    ['an object', issues(200)],
    ['an array', issues(200).issues],
    ['a text', long],
    ['an envelope', { content: [text(long), text(long)] }],
  ])('%s passes an outer wrapper untouched', async (_, result) => {
    const { output: preview } = await run(result);
    const { output, events } = await run(preview);
    expect(output).toBe(preview);
    expect(events).toEqual([]);
  });
});

describe('budgets in other units', () => {
  it.each([
    [{ bytes: 2000 }, (preview: string) => Buffer.byteLength(preview)],
    [{ lines: 20, chars: 4000 }, (preview: string) => preview.split('\n').length],
  ])('%j holds', async (shrinkfit, measure) => {
    const { output } = await run(log(3000).replaceAll('served', 'geöffnet 漢字'), { shrinkfit });
    expect(measure(output as string)).toBeLessThanOrEqual(Object.values(shrinkfit)[0]!);
    expect(charsOf(output as string)).toBeLessThanOrEqual((shrinkfit as { chars?: number }).chars ?? Infinity);
    idOf(output as string);
  });
});
