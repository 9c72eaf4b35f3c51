import { describe, expect, it } from 'vitest';
import { type FitEvent, shrinkfitTools } from '../host/index.ts';
import { idOf } from './support/notice.ts';
import { issues, log } from './support/samples.ts';

const long = log(300);

function stream(execute: () => AsyncIterable<unknown>) {
  const events: FitEvent[] = [];
  const { tools } = shrinkfitTools({ probe: { execute } }, { shrinkfit: 2000, onFit: (event) => events.push(event) });
  return { returned: tools.probe.execute(), events };
}

async function collect(source: AsyncIterable<unknown>) {
  const values: unknown[] = [];
  try {
    for await (const value of source) values.push(value);
  } catch (thrown) {
    return { values, thrown };
  }
  return { values };
}

describe('a tool that streams', () => {
  it('is seen from its synchronous return, and still streams', () => {
    const { returned } = stream(async function* () {
      yield 1;
    });
    expect(returned[Symbol.asyncIterator]).toBeTypeOf('function');
  });

  it('has its last value fitted and no other', async () => {
    const preliminary = { loading: long };
    const final = issues(200);
    const { returned, events } = stream(async function* () {
      yield preliminary;
      yield long;
      yield final;
    });
    const { values } = await collect(returned);
    expect(values).toHaveLength(3);
    expect(values[0]).toBe(preliminary);
    expect(values[1]).toBe(long);
    idOf(values[2] as string);
    expect(events).toHaveLength(1);
  });

  it('passes values that fit at once, before the next one comes', async () => {
    const { returned } = stream(async function* () {
      yield { status: 'loading' };
      await new Promise(() => undefined);
    });
    expect(await returned[Symbol.asyncIterator]().next()).toEqual({ done: false, value: { status: 'loading' } });
  });

  it('passes a last value that fits by the same reference', async () => {
    const final = { rows: 3 };
    const { returned } = stream(async function* () {
      yield long;
      yield final;
    });
    const { values } = await collect(returned);
    expect(values).toEqual([long, final]);
    expect(values[1]).toBe(final);
  });

  it('may yield nothing', async () => {
    expect(
      await collect(
        stream(async function* () {
          yield* [];
        }).returned,
      ),
    ).toEqual({ values: [] });
  });

  it('may fail: what it had yielded comes first, unchanged, then the very error', async () => {
    const fault = new Error('connection lost');
    const { returned, events } = stream(async function* () {
      yield 'short';
      yield long;
      throw fault;
    });
    const { values, thrown } = await collect(returned);
    expect(values).toEqual(['short', long]);
    expect(thrown).toBe(fault);
    expect(events).toEqual([]);
  });

  it('is told when its reader stops early', async () => {
    let finished = false;
    const { returned } = stream(async function* () {
      try {
        yield 1;
        yield 2;
      } finally {
        finished = true;
      }
    });
    for await (const value of returned) if (value === 1) break;
    expect(finished).toBe(true);
  });

  it('is not started before it is read', () => {
    let started = false;
    stream(async function* () {
      started = true;
      yield 1;
    });
    expect(started).toBe(false);
  });
});
