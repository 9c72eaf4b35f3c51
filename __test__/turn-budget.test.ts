import { describe, expect, it } from 'vitest';
import { type TurnBudgetOptions, compressTools, createTurnBudget, shrinkfitTools } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { charsOf } from './support/notice.ts';
import { issues, log, random } from './support/samples.ts';

/** Results that come back when the test says so. */
function held(results: unknown[]) {
  const release: (() => void)[] = [];
  const tools = Object.fromEntries(
    results.map((result, at) => [
      `tool_${at}`,
      {
        inputSchema: { type: 'object' },
        execute: () => new Promise<unknown>((resolve) => (release[at] = () => resolve(result))),
      },
    ]),
  );
  return { tools, release };
}

/** What each of several calls at once gives, when they come back in an order. */
async function inOrder(results: unknown[], order: number[], options: TurnBudgetOptions): Promise<string[]> {
  const { tools, release } = held(results);
  const wrapped = shrinkfitTools(tools, { shrinkfit: 1_000_000, turnBudget: createTurnBudget(options), store: { entries: 1000 } }).tools;
  const calls = results.map((_, at) => wrapped[`tool_${at}`]!.execute());
  for (const at of order) {
    release[at]!();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return (await Promise.all(calls)).map((result) => (typeof result === 'string' ? result : JSON.stringify(result)));
}

const withoutIds = (texts: string[]) => texts.map((text) => text.replaceAll(/[0-9a-f-]{36}/g, 'ID'));
const large = (lines = 3000) => log(lines);
/** Reads a stream to its end. */
async function drained(stream: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const value of stream) last = value;
  return last;
}

/** A tool that gives this at once. */
const giving = (result: unknown) => ({ inputSchema: { type: 'object' }, execute: (): unknown => result });

describe('one allowance for the results of a turn', () => {
  it('is shared fairly, whatever the order in which results come back', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const next = random(seed);
      const results = Array.from(
        { length: 2 + Math.floor(next() * 5) },
        (_, n) =>
          [log(1 + Math.floor(10 ** (next() * 3.5))), issues(1 + Math.floor(next() * 200)), `${n} of some words`][Math.floor(next() * 3)]!,
      );
      const chars = 3000 + Math.floor(next() * 20_000);
      const order = results.map((_, at) => at);
      const shuffled = order.toSorted(() => next() - 0.5);
      const texts = await inOrder(results, shuffled, { chars });
      const sizes = texts.map(charsOf);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(chars);
      expect(withoutIds(await inOrder(results, order, { chars }))).toEqual(withoutIds(texts));

      // What is cut has more than what is whole, and no more than an equal part of what the whole ones leave.
      const wholes = results.map((result) => charsOf(typeof result === 'string' ? result : JSON.stringify(result)));
      const cut = sizes.filter((size, at) => size !== wholes[at]);
      const whole = sizes.filter((size, at) => size === wholes[at]);
      const part = (chars - whole.reduce((sum, size) => sum + size, 0)) / cut.length;
      for (const size of cut) expect(size).toBeLessThanOrEqual(part);
      if (cut.length > 0) for (const size of whole) expect(size).toBeLessThanOrEqual(part);
      else expect(sizes).toEqual(wholes);
    }
  });

  it('is shared fairly among results that are there at once, however long hosts take to call', async () => {
    const turnBudget = createTurnBudget({ chars: 9000 });
    const { tools } = shrinkfitTools(
      { sync: giving(large()), async: giving(Promise.resolve(large())) },
      { shrinkfit: 100_000, turnBudget },
    );
    // As frameworks run the calls of a step: each in a function of its own, a few steps before it is begun.
    const begin = async (name: 'sync' | 'async') => {
      await Promise.resolve();
      return (await tools[name].execute()) as string;
    };
    const sizes = (await Promise.all([begin('sync'), begin('async'), begin('sync')])).map(charsOf);
    for (const size of sizes) {
      expect(size).toBeLessThanOrEqual(3000);
      expect(size).toBeGreaterThan(2000);
    }
  });

  it('counts tokens as the budget of the results does', async () => {
    const turnBudget = createTurnBudget({ tokens: 1000 });
    const bytes = Buffer.from(large());
    const { tools } = shrinkfitTools({ a: giving(large()), b: giving(bytes) }, { shrinkfit: { tokens: 100_000 }, turnBudget });
    const texts = (await Promise.all([tools.a.execute(), tools.b.execute()])) as (string | Uint8Array)[];
    // By the estimate, a third of the bytes.
    const sizes = texts.map((text) => Buffer.byteLength(text));
    for (const size of sizes) expect(size).toBeLessThanOrEqual(3000);
    expect(Math.max(...sizes)).toBeGreaterThan(1000);
  });

  it('leaves each result its own budget, and to the others what that does not take', async () => {
    const turnBudget = createTurnBudget({ chars: 10_000 });
    const options = { shrinkfit: 100_000, perTool: { small: { shrinkfit: 1000 } }, turnBudget };
    const { tools } = shrinkfitTools({ small: giving(Promise.resolve(large())), big: giving(Promise.resolve(large())) }, options);
    const [small, big] = (await Promise.all([tools.small.execute(), tools.big.execute()])) as string[];
    expect(charsOf(small!)).toBeLessThanOrEqual(1000);
    expect(charsOf(big!)).toBeGreaterThan(7000);
    expect(charsOf(big!)).toBeLessThanOrEqual(9000);
  });

  it('gives what comes late what is left, and room for a notice where nothing is', async () => {
    const turnBudget = createTurnBudget({ chars: 5000 });
    const { tools } = shrinkfitTools({ a: giving(large()) }, { shrinkfit: 100_000, turnBudget });
    const sizes: number[] = [];
    for (let call = 0; call < 3; call++) sizes.push(charsOf((await tools.a.execute()) as string));
    expect(sizes[0]).toBeGreaterThan(4000);
    for (const size of sizes.slice(1)) expect(size).toBeLessThanOrEqual(5000 - sizes[0]! + 350);

    turnBudget.next();
    expect(charsOf((await tools.a.execute()) as string), 'a new turn').toBe(sizes[0]);
    turnBudget.next(2);
    const first = tools.a.execute() as Promise<string>;
    const whoIsThere = await Promise.race([first, new Promise((resolve) => setImmediate(resolve, 'nobody'))]);
    expect(whoIsThere, 'half is for the call that was announced').toBe('nobody');
    for (const text of await Promise.all([first, tools.a.execute() as Promise<string>])) {
      expect(charsOf(text)).toBeLessThanOrEqual(2500);
      expect(charsOf(text)).toBeGreaterThan(1500);
    }
  });

  it('gives an equal part at once to a result that is not to wait', async () => {
    const results = [large(), 'small', large()];
    const [first, , last] = (await inOrder(results, [0, 1, 2], { chars: 9000, waitMs: 0 })).map(charsOf);
    expect(first).toBeLessThanOrEqual(3000);
    expect(last).toBeGreaterThan(4000);
  });

  it('does not wait for calls that fail, are aborted, give nothing that counts, or call each other', async () => {
    const turnBudget = createTurnBudget({ chars: 6000, waitMs: 2_000_000 });
    const abort = new AbortController();
    const { tools } = shrinkfitTools(
      {
        big: giving(large()),
        fails: { execute: () => Promise.reject(new Error('no')) },
        throws: {
          execute: (): unknown => {
            throw new Error('no');
          },
        },
        image: giving({ content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] }),
        hangs: { execute: () => new Promise(() => undefined) },
        calls: { execute: async (): Promise<unknown> => `inner: ${charsOf((await tools.big.execute()) as string)}` },
      },
      { shrinkfit: 100_000, turnBudget },
    );
    const rejected = tools.fails.execute().catch(() => 'failed');
    expect(tools.throws.execute).toThrow('no');
    const calls = [tools.big.execute(), tools.image.execute(), tools.calls.execute()];
    const [big, , inner] = (await Promise.all(calls)) as string[];
    expect(await rejected).toBe('failed');
    expect(charsOf(big!)).toBeGreaterThan(1500);
    expect(inner).toMatch(/^inner: [1-3]\d\d\d$/);

    turnBudget.next();
    void tools.hangs.execute();
    const waits = (tools.big.execute as (...args: unknown[]) => Promise<unknown>)({}, { abortSignal: abort.signal });
    abort.abort();
    expect((await failureOf(() => waits)).code).toBe('ABORTED');
  });

  it('does not wait for streams that nobody reads, that end in what is no text, or that call others', async () => {
    const turnBudget = createTurnBudget({ chars: 6000, waitMs: 2_000_000 });
    const streaming = (last: () => unknown) => ({
      async *execute(): AsyncGenerator {
        yield 'preliminary';
        yield await last();
      },
    });
    const callBig = async (): Promise<string> => (await tools.big.execute()) as string;
    const { tools } = shrinkfitTools(
      {
        big: giving(Promise.resolve(large())),
        cyclic: streaming(() => {
          const value: Record<string, unknown> = {};
          return Object.assign(value, { value });
        }),
        calls: streaming(async () => `inner: ${charsOf(await callBig())}`),
      },
      { shrinkfit: 100_000, turnBudget },
    );
    tools.cyclic.execute();
    await tools.cyclic.execute().return(undefined);
    const ended = drained(tools.cyclic.execute());
    expect(charsOf(await callBig())).toBeGreaterThan(1500);
    expect(await ended).toHaveProperty('value');

    turnBudget.next();
    expect(await drained(tools.calls.execute())).toMatch(/^inner: [1-3]\d\d\d$/);
  });

  it('does not wait for streams that were left or failed while they were read', async () => {
    const turnBudget = createTurnBudget({ chars: 6000, waitMs: 2_000_000 });
    const { tools } = shrinkfitTools(
      {
        big: giving(Promise.resolve(large())),
        stream: {
          async *execute(): AsyncGenerator {
            yield await Promise.resolve('some words');
            yield 'more words';
            throw new Error('no');
          },
        },
        broken: {
          execute: () => ({ [Symbol.asyncIterator]: (): AsyncIterator<unknown> => ({ next: () => Promise.reject(new Error('no')) }) }),
        },
        unread: { execute: () => ({ [Symbol.asyncIterator]: (): never => expect.fail('nobody reads it') }) },
      },
      { shrinkfit: 100_000, turnBudget },
    );
    const big = async () => charsOf((await tools.big.execute()) as string);
    const read = () => tools.stream.execute();
    const stays = read();
    await stays.next();
    const waits = big();
    expect(await Promise.race([waits, new Promise((resolve) => setImmediate(resolve, 'nobody'))])).toBe('nobody');
    await stays.return(undefined);
    expect(await waits).toBeGreaterThan(4000);

    for (const end of [
      async () => expect((await read().return(undefined)).done).toBe(true),
      async () => {
        const stream = read();
        await stream.next();
        await expect(stream.throw(new Error('thrown in'))).rejects.toThrow('thrown in');
      },
      async () => {
        const stream = read();
        await expect(drained(stream)).rejects.toThrow('no');
      },
      async () => expect((tools.broken.execute() as unknown as AsyncGenerator).next()).rejects.toThrow('no'),
      () => Promise.resolve(tools.unread.execute()),
    ]) {
      turnBudget.next();
      const [size] = await Promise.all([big(), end()]);
      expect(size).toBeGreaterThan(4000);
    }
  });

  it('holds for streams, errors and compressed surfaces, and over several maps', async () => {
    const turnBudget = createTurnBudget({ chars: 4000 });
    const streamed = shrinkfitTools(
      {
        stream: {
          async *execute() {
            await Promise.resolve();
            yield 'preliminary '.repeat(1000);
            yield large();
          },
        },
      },
      { shrinkfit: 100_000, turnBudget },
    );
    const failing = shrinkfitTools(
      { fails: { execute: () => Promise.reject(new Error(large())) } },
      { shrinkfit: 100_000, errors: 'fit', turnBudget },
    );
    const compressed = compressTools({ a: giving(large()) }, { shrinkfit: 100_000, turnBudget });
    const results = await Promise.all([
      drained(streamed.tools.stream.execute()),
      failing.tools.fails.execute().catch((error: unknown) => (error as Error).message),
      compressed.invoke_tool.execute({ tool_name: 'a' }) as Promise<string>,
    ]);
    const sizes = (results as string[]).map(charsOf);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(4000);
    for (const size of sizes) expect(size).toBeGreaterThan(600);
  });

  it('is an option like others: what makes no sense is told', async () => {
    const made = (options: object) => createTurnBudget(options as TurnBudgetOptions);
    const wrap = (options: object) => shrinkfitTools({}, { shrinkfit: 1000, ...options });
    for (const [call, message] of [
      [() => made({}), 'options must name one of chars and tokens'],
      [() => made({ chars: 1000, tokens: 1000 }), 'options must name one of chars and tokens'],
      [() => made({ chars: 1.5 }), 'chars'],
      [() => made({ chars: 1000, waitMs: -1 }), 'waitMs'],
      [() => made({ chars: 1000, wait: 5 }), 'wait'],
      [() => made({ chars: 1000 }).next(-1), 'calls'],
      [() => wrap({ turnBudget: 5000 }), 'what createTurnBudget gives'],
      [() => wrap({ turnBudget: made({ chars: 1000 }), target: 'model' }), "target: 'model'"],
    ] as const) {
      const failure = await failureOf(call);
      expect([failure.code, failure.message]).toEqual(['INVALID_OPTION', expect.stringContaining(message)]);
    }
  });
});
