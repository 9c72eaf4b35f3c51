import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RedisOptions, type RedisStore, redisStore } from '../host/redis.ts';
import { type FitEvent, shrinkfitTools } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { idOf } from './support/notice.ts';
import { RedisServer, missing } from './support/redis-server.ts';
import { log } from './support/samples.ts';

const long = log(300);
const secret = 'a long random secret';

describe.skipIf(missing)(`a store in a real Redis${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let server: RedisServer;
  const stores: RedisStore[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterEach(async () => {
    await Promise.allSettled(stores.splice(0).map((store) => store.disconnect()));
    await server.ask('FLUSHALL');
  });
  afterAll(() => server.kill());

  /** A toolset of a process of its own, as far as Redis can tell. */
  async function open(options: Partial<RedisOptions> = {}) {
    const store = await redisStore({ url: server.url, namespace: 'team-a', secret, timeoutMs: 500, ...options });
    stores.push(store);
    const events: FitEvent[] = [];
    const { tools, close } = shrinkfitTools(
      { probe: { execute: async (result: string) => result } },
      { shrinkfit: 1000, store, onFit: (event) => void events.push(event) },
    );
    return {
      store,
      events,
      close,
      run: (result = long) => tools.probe.execute(result),
      recover: (id: string) => tools.compressor_recover_response.execute({ response_id: id }),
      read: (id: string, lines: string) => tools.compressor_recover_response.execute({ response_id: id, lines }),
    };
  }

  it('has the original before the preview goes out; a replica finds it, whole and by part', async () => {
    const [one, replica] = [await open(), await open()];
    const id = idOf(await one.run());
    expect(await replica.recover(id)).toBe(long);
    expect(await replica.read(id, '3')).toContain(long.split('\n')[2]!);
    expect(idOf(await replica.run())).toBe(id);
  });

  it('keeps it compressed, under its namespace, for as long as it is used', async () => {
    const { run, recover } = await open({ ttl: 300 });
    const key = `snugfit:team-a:${idOf(await run())}`;
    expect(await server.ask('KEYS', '*')).toEqual([key]);
    expect(await server.ask('STRLEN', key)).toBeLessThan(long.length / 3);
    await server.ask('EXPIRE', key, '10');
    await recover(key.slice(-36));
    expect(await server.ask('TTL', key)).toBeGreaterThan(290);
  });

  it('gives back any string, lone surrogates included', async () => {
    const { run, recover } = await open();
    for (const original of [`\ud83d${'é👧 '.repeat(2000)}`, '\0'.repeat(3000)])
      expect(await recover(idOf(await run(original)))).toBe(original);
  });

  it('means nothing in another namespace, which clearing does not touch', async () => {
    const [mine, other] = [await open(), await open({ namespace: 'team-*' })];
    const id = idOf(await mine.run());
    expect(await failureOf(() => other.recover(id))).toMatchObject({ code: 'RESPONSE_UNAVAILABLE' });
    idOf(await other.run());
    await other.store.clear();
    expect(await server.ask('KEYS', '*')).toEqual([`snugfit:team-a:${id}`]);
  });

  it('outlives the toolset', async () => {
    const [one, replica] = [await open(), await open()];
    const id = idOf(await one.run());
    one.close();
    expect(await failureOf(() => one.recover(id))).toMatchObject({ code: 'CLOSED' });
    expect(await replica.recover(id)).toBe(long);
  });

  it('says what it says of an unknown id where the server had to evict one', async () => {
    const { run, recover } = await open();
    const ids: string[] = [];
    const noise = (n: number) =>
      Array.from({ length: 20_000 }, (_, at) => ((at * 2_654_435_761 + n * 97) % 2 ** 31).toString(36)).join(' ');
    const used = /used_memory:(\d+)/.exec(String(await server.ask('INFO', 'memory')))?.[1];
    await server.ask('CONFIG', 'SET', 'maxmemory', String(Number(used) + 500_000), 'maxmemory-policy', 'allkeys-lru');
    try {
      for (let n = 0; n < 12; n++) ids.push(idOf(await run(noise(n))));
      expect(await recover(ids.at(-1)!)).toBe(noise(11));
      const [evicted, unknown] = [
        await failureOf(() => recover(ids[0]!)),
        await failureOf(() => recover(ids[0]!.replace(/.{4}$/, '0000'))),
      ];
      expect(evicted).toMatchObject({ code: 'RESPONSE_UNAVAILABLE', message: unknown.message });
    } finally {
      await server.ask('CONFIG', 'SET', 'maxmemory', '0');
    }
  });

  it('fails a call whose original is larger than an entry may be', async () => {
    const { run } = await open({ maxBytesPerEntry: 5000 });
    const failure = await failureOf(() => run());
    expect(failure).toMatchObject({ code: 'ORIGINAL_TOO_LARGE' });
    expect(failure.message).toContain('do not blindly repeat a call that writes');
  });

  it('that stands still fails the call in time, rather than promise a recovery', async () => {
    const [strict, lenient] = [await open(), await open({ onFailure: 'passthrough' })];
    server.freeze();
    try {
      const failure = await failureOf(() => strict.run());
      expect(failure).toMatchObject({ code: 'STORE_FAILED' });
      expect(failure.message).toContain('no answer within 500 ms');
      expect(await lenient.run()).toBe(long);
      expect(lenient.events).toMatchObject([{ outcome: 'passed', error: { code: 'STORE_FAILED' } }]);
    } finally {
      server.thaw();
    }
  });

  it('that is killed in mid-call fails it; after a restart all goes on, without what was kept', async () => {
    const { run, recover } = await open();
    const id = idOf(await run());
    server.freeze();
    const cut = failureOf(() => run(`${long} `));
    await server.kill();
    expect(await cut).toMatchObject({ code: 'STORE_FAILED' });
    expect(await failureOf(() => recover(id))).toMatchObject({ code: 'STORE_FAILED' });
    await server.restart();
    await expect.poll(() => run().then(idOf, () => undefined), { timeout: 10_000 }).toBe(id);
    expect(await recover(id)).toBe(long);
    expect(await server.ask('DBSIZE')).toBe(1);
  });
});

describe('redisStore', () => {
  it('says at once that no server is there', async () => {
    const failure = await failureOf(() => redisStore({ url: 'redis://127.0.0.1:1', secret, timeoutMs: 500 }));
    expect(failure).toMatchObject({ code: 'STORE_FAILED' });
    expect(failure.message).toContain('Redis could not be reached');
  });

  it.each<[object, string]>([
    [{}, 'secret must be'],
    [{ secret: '' }, 'secret must be'],
    [{ secret, ttl: 0 }, 'ttl must be'],
    [{ secret, onFailure: 'ignore' }, 'onFailure must be'],
    [{ secret, host: 'x' }, 'host'],
  ])('refuses %j', async (options, message) => {
    const failure = await failureOf(() => redisStore(options));
    expect(failure).toMatchObject({ code: 'INVALID_OPTION' });
    expect(failure.message).toContain(message);
  });
});
