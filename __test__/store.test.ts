import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { shrinkfitTools } from '../host/index.ts';
import { native } from '../host/native.ts';
import { failureOf } from './support/errors.ts';
import { idOf, noticeOf } from './support/notice.ts';
import { log } from './support/samples.ts';

const original = (n: number) => `call ${n}\n${log(100)}`;

function open(options: object = {}) {
  const { tools, close } = shrinkfitTools(
    { probe: { execute: async ({ n }: { n: number }) => original(n) } },
    { shrinkfit: 1000, ...options },
  );
  return {
    call: async (n: number) => idOf(await tools.probe.execute({ n })),
    recover: (id: string) => tools.compressor_recover_response.execute({ response_id: id }),
    close,
    tools,
  };
}

describe('limits of the store', () => {
  it('keep 128 originals unless told otherwise; the one used longest ago goes first', async () => {
    const { call, recover } = open();
    const ids: string[] = [];
    for (let n = 0; n < 128; n++) ids.push(await call(n));
    expect(await recover(ids[0]!)).toBe(original(0));
    const more = await call(128);
    expect(await recover(ids[0]!)).toBe(original(0));
    expect(await recover(more)).toBe(original(128));
    const failure = await failureOf(() => recover(ids[1]!));
    expect(failure).toMatchObject({ code: 'RESPONSE_UNAVAILABLE' });
    expect(failure.message).toBe((await failureOf(() => recover('never-was'))).message);
  });

  it('hold at every step, by default and as given', async () => {
    for (const limits of [{}, { entries: 5 }, { bytes: 20_000 }]) {
      const session = new (native().Session)(limits);
      const { entries = 128, bytes = 64 * 1024 * 1024 } = limits as { entries?: number; bytes?: number };
      for (let n = 0; n < 150; n++) {
        await session.fit(original(n), { budget: { chars: 1000 } });
        const kept = session.stats();
        expect(kept.entries).toBeLessThanOrEqual(entries);
        expect(kept.bytes).toBeLessThanOrEqual(bytes);
        expect(kept.entries).toBeGreaterThan(0);
      }
      session.close();
      expect(session.stats()).toEqual({ entries: 0, bytes: 0 });
    }
  });

  it('fail a call whose original is larger than everything together', async () => {
    const { call } = open({ store: { bytes: 500 } });
    const failure = await failureOf(() => call(1));
    expect(failure).toMatchObject({ code: 'ORIGINAL_TOO_LARGE' });
    expect(failure.message).toMatch(/has run/);
    expect(failure.message).toMatch(/write/);
  });
});

describe('time', () => {
  afterEach(() => vi.useRealTimers());

  it('takes an original away, unless it is used', async () => {
    const { call, recover } = open({ store: { ttlMs: 400 } });
    const [used, unused] = [await call(1), await call(2)];
    for (let n = 0; n < 4; n++) {
      await sleep(150);
      await recover(used);
    }
    expect(await failureOf(() => recover(unused))).toMatchObject({ code: 'RESPONSE_UNAVAILABLE' });
    expect(await recover(used)).toBe(original(1));
  });

  it('frees what has expired within a minute, without a call', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    vi.resetModules();
    const [{ openToolset }, { parseOptions }] = await Promise.all([import('../host/toolset.ts'), import('../host/options.ts')]);
    const toolset = openToolset(parseOptions({ shrinkfit: 1000, store: { ttlMs: 1 } })!, undefined);
    await toolset.session.fit(original(1), toolset.optionsOf('probe')!);
    expect(toolset.session.stats().entries).toBe(1);
    await sleep(20);
    vi.advanceTimersByTime(60_000);
    expect(toolset.session.stats()).toEqual({ entries: 0, bytes: 0 });
    toolset.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('close', () => {
  it('empties the store; recoveries and fits that come later fail', async () => {
    const { call, recover, close } = open();
    const id = await call(1);
    close();
    close();
    expect(await failureOf(() => recover(id))).toMatchObject({ code: 'CLOSED' });
    expect(await failureOf(() => call(2))).toMatchObject({ code: 'CLOSED' });
  });

  it('fails a preview that finishes after it', async () => {
    const { call, close } = open();
    const failure = failureOf(() => call(1));
    await Promise.resolve();
    close();
    expect(await failure).toMatchObject({ code: 'CLOSED' });
  });

  it('lets results within the budget pass', async () => {
    const { tools, close } = shrinkfitTools({ probe: { execute: async () => 'short' } }, { shrinkfit: 1000 });
    close();
    expect(await tools.probe.execute()).toBe('short');
  });

  it('leaves other toolsets alone', async () => {
    const [first, second] = [open(), open()];
    const id = await second.call(1);
    first.close();
    expect(await second.recover(id)).toBe(original(1));
  });

  it('comes by itself at the end of a scope', async () => {
    const { tools, [Symbol.dispose]: dispose } = shrinkfitTools({}, { shrinkfit: 1000 });
    dispose();
    expect(await failureOf(() => tools.compressor_recover_response.execute({ response_id: 'x' }))).toMatchObject({ code: 'CLOSED' });
    const other = shrinkfitTools({}, { shrinkfit: 1000 });
    await other[Symbol.asyncDispose]();
    expect(await failureOf(() => other.tools.compressor_recover_response.execute({ response_id: 'x' }))).toMatchObject({ code: 'CLOSED' });
  });
});

describe('no store', () => {
  it('keeps nothing, and the notice promises nothing', async () => {
    const { tools, close } = shrinkfitTools({ probe: { execute: async () => log(300) } }, { shrinkfit: 1000, store: false });
    const preview = await tools.probe.execute();
    expect(noticeOf(preview).response_id).toBeUndefined();
    expect(preview).not.toContain('compressor_recover_response');
    close();
    expect(await failureOf(() => tools.probe.execute())).toMatchObject({ code: 'CLOSED' });
  });
});
