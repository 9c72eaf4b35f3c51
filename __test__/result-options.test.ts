import { describe, expect, it } from 'vitest';
import { type FitEvent, type ShrinkfitOptions, type ShrinkfitTools, type WithRecovery, shrinkfitTools } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { charsOf, envelopeNotice, idOf } from './support/notice.ts';
import { issues, log } from './support/samples.ts';

const BUDGET = 2000;
const long = log(300);
const text = (value: string) => ({ type: 'text', text: value });
const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };

function wrap<Result>(execute: () => Result, options: Partial<ShrinkfitOptions>) {
  const events: FitEvent[] = [];
  const { tools } = shrinkfitTools({ probe: { execute } }, { shrinkfit: BUDGET, onFit: (event) => void events.push(event), ...options });
  const { probe, compressor_recover_response } = tools as ShrinkfitTools<WithRecovery<{ probe: { execute: () => Result } }>>['tools'];
  return { run: probe.execute, recover: compressor_recover_response.execute, events };
}

describe('structured: "auto"', () => {
  const run = async (envelope: object, more: Partial<ShrinkfitOptions> = {}) => {
    const { run, recover } = wrap(async () => envelope, { structured: 'auto', ...more });
    return { output: (await run()) as { content: { type: string; text: string }[]; structuredContent?: unknown }, recover };
  };

  it('leaves out structured content that repeats the text; the original keeps it', async () => {
    const envelope = { content: [text(JSON.stringify(issues(200), null, 2))], structuredContent: issues(200) };
    const { output, recover } = await run(envelope);
    expect(output).not.toHaveProperty('structuredContent');
    expect(charsOf(output.content[0]!.text)).toBeLessThanOrEqual(BUDGET);
    expect(await recover({ response_id: envelopeNotice(output).response_id! })).toBe(JSON.stringify(envelope));
  });

  it('leaves out a lone result that is the text', async () => {
    const { output } = await run({ content: [text(long)], structuredContent: { result: long } });
    expect(output).not.toHaveProperty('structuredContent');
  });

  it('fits structured content that says more than a short text', async () => {
    const envelope = { content: [text('200 issues')], structuredContent: issues(200) };
    const { output, recover } = await run(envelope);
    expect(output.content).toEqual(envelope.content);
    const { structuredContent } = output as { structuredContent: { total: number; truncation: { response_id: string } } };
    expect(structuredContent.total).toBe(200);
    expect(charsOf('200 issues') + charsOf(JSON.stringify(structuredContent))).toBeLessThanOrEqual(BUDGET);
    expect(await recover({ response_id: structuredContent.truncation.response_id })).toBe(JSON.stringify(envelope));
  });

  it('shares the budget between a text and structured content of its own', async () => {
    const { output } = await run({ content: [text(long)], structuredContent: issues(200) });
    const size = output.content.reduce((sum, block) => sum + charsOf(block.text), 0) + charsOf(JSON.stringify(output.structuredContent));
    expect(size).toBeLessThanOrEqual(BUDGET);
  });

  it('leaves what is within the budget as it is, text and structured content counted once', async () => {
    const envelope = { content: [text(JSON.stringify(issues(7)))], structuredContent: issues(7) };
    expect(charsOf(envelope.content[0]!.text)).toBeGreaterThan(BUDGET / 2);
    expect((await run(envelope)).output).toBe(envelope);
  });

  it('is off by default', async () => {
    const envelope = { content: [text('200 issues')], structuredContent: issues(200) };
    expect((await run(envelope, { structured: undefined })).output).toBe(envelope);
  });
});

describe('multimodal: "fit"', () => {
  it('fits the texts beside media, which stay', async () => {
    const { run } = wrap(async () => ({ content: [text(long), image] }), { multimodal: 'fit' });
    const output = await run();
    expect(output.content[1]).toBe(image);
    expect(charsOf((output.content[0] as { text: string }).text)).toBeLessThanOrEqual(BUDGET);
    expect(envelopeNotice(output as { content: { type: string; text?: string }[] }).complete).toBe(false);
  });
});

describe('errors: "fit"', () => {
  const trace = `ECONNRESET: db-7 closed the connection\n${log(300)}\ncaused by: timeout after 30 s`;

  it('shortens a long error envelope, which stays an error', async () => {
    const { run, recover } = wrap(async () => ({ content: [text(trace)], isError: true }), { errors: 'fit' });
    const output = await run();
    expect(output.isError).toBe(true);
    expect(output.content.reduce((sum, block) => sum + charsOf(block.text), 0)).toBeLessThanOrEqual(BUDGET);
    expect(output.content[0]!.text).toContain('ECONNRESET: db-7 closed the connection');
    expect(output.content[0]!.text).toContain('caused by: timeout after 30 s');
    expect(await recover({ response_id: envelopeNotice(output).response_id! })).toContain('request 17 served');
  });

  class QueryError extends TypeError {
    override name = 'QueryError';
    code = 'E_QUERY';
  }
  const fault = new QueryError(trace);

  it.each<[string, () => unknown]>([
    ['a rejection', () => Promise.reject(fault)],
    [
      'a synchronous throw, which becomes a rejection',
      () => {
        throw fault;
      },
    ],
  ])('shortens the message of %s; class, fields and cause stay', async (_, execute) => {
    const { run, recover } = wrap(execute, { errors: 'fit' });
    const thrown = await Promise.resolve(run()).then(
      () => undefined,
      (reason: unknown) => reason as QueryError,
    );
    expect(thrown).toBeInstanceOf(QueryError);
    expect(thrown).toMatchObject({ name: 'QueryError', code: 'E_QUERY', cause: fault });
    expect(charsOf(thrown!.message)).toBeLessThanOrEqual(BUDGET);
    expect(await recover({ response_id: idOf(thrown!.message) })).toBe(trace);
  });

  it('leaves short errors, aborts and what is no error as they are', async () => {
    for (const reason of [new Error('no such user'), Object.assign(new Error(trace), { name: 'AbortError' }), undefined, { code: 7 }]) {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- tools do
      const { run } = wrap(() => Promise.reject(reason), { errors: 'fit' });
      expect(
        await run().then(
          () => 'no',
          (thrown: unknown) => ({ thrown }),
        ),
      ).toEqual({ thrown: reason });
    }
  });

  it('shortens what a streaming tool fails with', async () => {
    const { run } = wrap(
      async function* () {
        yield 'loading';
        throw fault;
      },
      { errors: 'fit' },
    );
    const seen: unknown[] = [];
    const thrown = await (async () => {
      for await (const value of run()) seen.push(value);
    })().catch((reason: unknown) => reason as Error);
    expect(seen).toEqual(['loading']);
    expect(charsOf(thrown!.message)).toBeLessThanOrEqual(BUDGET);
  });
});

describe('redact', () => {
  const secret = 'sk-4711-very-secret';
  const leaky = `${long}\nkey ${secret}\n${long}`;
  const redact = (given: string) => given.replaceAll(/sk-[\w-]+/g, '[key]');

  it('takes secrets out of preview and original', async () => {
    const { run, recover } = wrap(async () => leaky, { redact });
    const output = await run();
    expect(output).not.toContain(secret);
    expect(await recover({ response_id: idOf(output) })).toBe(redact(leaky));
  });

  it('takes them out of every text of an envelope', async () => {
    const envelope = { content: [text(leaky), { type: 'resource_link', uri: `https://a/?k=${secret}` }], structuredContent: { secret } };
    const { run, recover } = wrap(async () => envelope, { redact });
    const output = await run();
    expect(JSON.stringify(output)).not.toContain(secret);
    expect(output.structuredContent).toEqual({ secret: '[key]' });
    const original = await recover({ response_id: envelopeNotice(output).response_id! });
    expect(original).toBe(redact(JSON.stringify(envelope)));
  });

  it('may make a result fit: then the redacted result itself comes back', async () => {
    const { run } = wrap(async () => 'x'.repeat(9000), { redact: () => 'nothing left' });
    expect(await run()).toBe('nothing left');
  });

  it.each<[string, (given: string) => string]>([
    [
      'throws',
      () => {
        throw new Error('no rules');
      },
    ],
    ['gives no string', () => undefined as unknown as string],
  ])('that %s fails the call: nothing goes out unredacted', async (_, broken) => {
    for (const result of [leaky, { content: [text(leaky)] }]) {
      const { run } = wrap(async (): Promise<unknown> => result, { redact: broken });
      const failure = await failureOf(run);
      expect(failure.code).toBe('INVALID_OPTION');
      expect(failure.message).toMatch(/^redact failed/);
    }
  });
});

describe('bytes', () => {
  it('are text if they are UTF-8', async () => {
    for (const bytes of [Buffer.from(long), new TextEncoder().encode(long)]) {
      const { run, recover } = wrap(async (): Promise<unknown> => bytes, {});
      const output = (await run()) as string;
      expect(charsOf(output)).toBeLessThanOrEqual(BUDGET);
      expect(await recover({ response_id: idOf(output) })).toBe(long);
    }
  });

  it('pass as they are if they fit, or are no text', async () => {
    for (const bytes of [Buffer.from('short'), Buffer.alloc(9000, 0xff), Buffer.from('ü'.repeat(BUDGET))]) {
      const { run, events } = wrap(async () => bytes, {});
      expect(await run()).toBe(bytes);
      expect(events).toEqual([]);
    }
  });
});

describe('large strings, which cross in pieces', () => {
  it.each([
    ['in one byte a character', `${'a line of plain text\n'.repeat(150_000)}end`],
    ['of pairs of surrogates that pieces may split', `x${'😀'.repeat(1_200_000)}`],
  ])('%s come back whole', async (_, original) => {
    const { run, recover } = wrap(async () => original, {});
    expect((await recover({ response_id: idOf(await run()) })) === original).toBe(true);
  });

  it('in an envelope come back as JSON.stringify writes them', async () => {
    const texts = ['"quoted"\u0000\ud800 line\n'.repeat(90_000), `${'\u2028\\\t'.repeat(10)}🙂`];
    const envelope = { content: texts.map(text), structuredContent: { a: [1, 2] }, _meta: { b: 'ü' } };
    const { run, recover } = wrap(async () => envelope, {});
    expect((await recover({ response_id: envelopeNotice(await run()).response_id! })) === JSON.stringify(envelope)).toBe(true);
  });

  it('stop crossing when the call is aborted', async () => {
    const controller = new AbortController();
    const map = { probe: { execute: async (_input: object, _options: object) => 'x'.repeat(9_000_000) } };
    const { tools } = shrinkfitTools(map, { shrinkfit: BUDGET });
    const failure = failureOf(() => tools.probe.execute({}, { abortSignal: controller.signal }));
    setImmediate(() => controller.abort());
    expect(await failure).toMatchObject({ code: 'ABORTED', name: 'AbortError' });
  });
});

describe('an envelope with a toJSON', () => {
  it('is kept as that writes it', async () => {
    const envelope = { content: [text(long)], toJSON: () => ({ content: [text('written otherwise')] }) };
    const { run, recover } = wrap(async () => envelope, {});
    expect(await recover({ response_id: envelopeNotice(await run()).response_id! })).toBe(JSON.stringify(envelope));
  });
});
