import { describe, expect, it, vi } from 'vitest';
import { type FitEvent, type OriginalStore, shrinkfitTools } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { envelopeNotice, idOf } from './support/notice.ts';
import { log } from './support/samples.ts';

const long = log(300);

/** A store as hosts write them, over a map that several toolsets may share. */
function store(kept = new Map<string, string>(), more: Partial<OriginalStore> = {}): OriginalStore & { kept: Map<string, string> } {
  return {
    kept,
    get: async (id) => kept.get(id),
    set: async (id, original) => void kept.set(id, original),
    delete: async (id) => void kept.delete(id),
    clear: async () => kept.clear(),
    ...more,
  };
}

function open(given: OriginalStore, result: unknown = long) {
  const events: FitEvent[] = [];
  const { tools, close } = shrinkfitTools(
    { probe: { execute: async () => result } },
    { shrinkfit: 1000, store: given, onFit: (event) => void events.push(event) },
  );
  return {
    run: async () => (await tools.probe.execute()) as string,
    recover: (id: string) => tools.compressor_recover_response.execute({ response_id: id }),
    close,
    events,
  };
}

describe('a store of the host', () => {
  it('has the original before the preview goes out, and gives it back', async () => {
    const own = store();
    const { run, recover } = open(own);
    const id = idOf(await run());
    expect([...own.kept]).toEqual([[id, long]]);
    expect(await recover(id)).toBe(long);
    for (const written of [id.toUpperCase(), `{${id}}\n`, id.replaceAll('-', '')]) expect(await recover(written)).toBe(long);
  });

  it('keeps the whole of an envelope as JSON', async () => {
    const envelope = { content: [{ type: 'text', text: long }], _meta: { trace: 1 } };
    const own = store();
    const { run, recover } = open(own, envelope);
    const { response_id: id } = envelopeNotice((await run()) as unknown as typeof envelope);
    expect(await recover(id!)).toBe(JSON.stringify(envelope));
  });

  it('with a secret is shared: another process finds the original, by the same id, and close leaves it', async () => {
    const kept = new Map<string, string>();
    const options = { secret: 'a long random secret', namespace: 'team-a' };
    const [one, replica] = [open(store(kept, options)), open(store(kept, options))];
    const id = idOf(await one.run());
    one.close();
    expect(await replica.recover(id)).toBe(long);
    expect(idOf(await replica.run())).toBe(id);
    const other = open(store(kept, { ...options, namespace: 'team-b' }));
    expect(idOf(await other.run())).not.toBe(id);
  });

  it('without one is the toolset’s own: close clears it', async () => {
    const own = store();
    const { run, recover, close } = open(own);
    const id = idOf(await run());
    close();
    close();
    expect(await failureOf(() => recover(id))).toMatchObject({ code: 'CLOSED' });
    await vi.waitFor(() => expect(own.kept.size).toBe(0));
  });

  it('does not keep what comes in behind the closing', async () => {
    const own = store();
    let go: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (go = resolve));
    own.set = async (id, original) => {
      await waiting;
      own.kept.set(id, original);
    };
    const { run, close } = open(own);
    const failure = failureOf(run);
    await vi.waitFor(() => expect(own.kept.size).toBe(0));
    await new Promise((resolve) => setTimeout(resolve, 50));
    close();
    go();
    expect(await failure).toMatchObject({ code: 'CLOSED' });
    expect(own.kept.size).toBe(0);
  });

  it('says of an unknown id, and of what is no id, what the store in memory says', async () => {
    const asked: string[] = [];
    const { recover } = open(store(undefined, { get: (id) => void asked.push(id) }));
    const { recover: inMemory } = open({ entries: 5 } as unknown as OriginalStore);
    const unknown = '26112547-9166-8b2b-a340-a840e9fced06';
    for (const id of [unknown, 'key*', '../etc/passwd']) {
      const failure = await failureOf(() => recover(id));
      expect(failure.code).toBe('RESPONSE_UNAVAILABLE');
      expect(failure.message).toBe((await failureOf(() => inMemory(id))).message);
    }
    expect(asked).toEqual([unknown]);
  });

  it.each(['get', 'set'] as const)('whose %s fails, fails the call, and says so', async (method) => {
    const broken = () => Promise.reject(new Error('connection refused'));
    const own = store(undefined, { [method]: broken });
    const { run, recover } = open(own);
    const failure = await failureOf(() => (method === 'set' ? run() : run().then((preview) => recover(idOf(preview)))));
    expect(failure.code).toBe('STORE_FAILED');
    expect(failure.message).toContain('connection refused');
  });

  it('with onFailure "passthrough" hands out the complete result instead, and onFit hears of it', async () => {
    const own = store(undefined, { set: () => Promise.reject(new Error('connection refused')), onFailure: 'passthrough' });
    const { run, events } = open(own);
    expect(await run()).toBe(long);
    expect(events).toMatchObject([{ outcome: 'passed', error: { code: 'STORE_FAILED' } }]);
  });

  it('that gives something else than a string fails', async () => {
    const { run, recover } = open(store(undefined, { get: () => Buffer.from('x') as unknown as string }));
    const id = idOf(await run());
    expect(await failureOf(() => recover(id))).toMatchObject({ code: 'STORE_FAILED' });
  });
});
