/**
 * A store of originals in Redis or Valkey, for hosts that run as several processes.
 *
 * @packageDocumentation
 */
import { deflateRaw, inflateRaw } from 'node:zlib';
import { promisify, toUSVString } from 'node:util';
import { importPeer } from './adapters/peer.ts';
import { checkKeys, invalidOption, oneOf, positiveInteger, text } from './check.ts';
import { SnugfitError } from './errors.ts';
import type { OriginalStore } from './originals.ts';

/** Options of {@link redisStore}. */
export interface RedisOptions {
  /**
   * Where the server is: `redis://`, or `rediss://` for TLS.
   * @default 'redis://localhost:6379'
   */
  url?: string | undefined;
  /**
   * Keeps what is stored apart from others on the same server: a name for a team, a tenant, an application.
   * @default 'default'
   */
  namespace?: string | undefined;
  /**
   * What ids are made with; the same in all processes that share originals, and long and random. Required, here or as the environment
   * variable `SNUGFIT_STORE_SECRET`.
   */
  secret?: string | undefined;
  /**
   * Seconds for which an original is kept after its last use.
   * @default 300
   */
  ttl?: number | undefined;
  /**
   * Larger originals fail their call with `ORIGINAL_TOO_LARGE`: bytes, before compression.
   * @default 67108864
   */
  maxBytesPerEntry?: number | undefined;
  /**
   * When Redis does not answer: `error` fails the call rather than promise a recovery; `passthrough` hands out the complete result.
   * @default 'error'
   */
  onFailure?: 'error' | 'passthrough' | undefined;
  /**
   * Milliseconds after which a call to Redis has failed.
   * @default 2000
   */
  timeoutMs?: number | undefined;
}

/** A store in Redis, and the end of its connection. */
export interface RedisStore extends OriginalStore {
  /** Closes the connection. What is kept stays until it expires. */
  disconnect: () => Promise<void>;
}

const KNOWN = ['url', 'namespace', 'secret', 'ttl', 'maxBytesPerEntry', 'onFailure', 'timeoutMs'];
const compress = promisify(deflateRaw);
const decompress = promisify(inflateRaw);

/**
 * Connects to Redis and gives a store for `shrinkfitTools`. Originals outlive the toolset: they go when they have not been used for `ttl`
 * seconds, or when the server needs their memory.
 *
 * Rejects with `INVALID_OPTION`, `PEER_MISSING` without the package `redis`, or `STORE_FAILED` if the server cannot be reached.
 *
 * @example
 * ```ts
 * const store = await redisStore({ url: 'redis://cache:6379', namespace: 'support', secret: process.env.STORE_SECRET });
 * const { tools, close } = shrinkfitTools({ search }, { shrinkfit: 6000, store });
 * ```
 */
export async function redisStore(options: RedisOptions = {}): Promise<RedisStore> {
  const { url, namespace, secret, ttl, maxBytesPerEntry, onFailure, timeoutMs } = checked(options);
  const redis = await importPeer('redis', 'snugfit/redis', () => import('redis'));
  const client = redis
    .createClient({ url, disableOfflineQueue: true, socket: { connectTimeout: timeoutMs } })
    .withTypeMapping({ [redis.RESP_TYPES.BLOB_STRING]: Buffer });
  // Without a listener a lost connection would end the process; each call that it costs fails by itself.
  client.on('error', () => undefined);
  const inTime = async <T>(call: Promise<T>): Promise<T> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      return await Promise.race([call, late]);
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    await inTime(client.connect());
  } catch (thrown) {
    client.destroy();
    throw new SnugfitError('STORE_FAILED', `Redis could not be reached: ${thrown instanceof Error ? thrown.message : String(thrown)}`, {
      cause: thrown,
    });
  }
  const prefix = `snugfit:${namespace}:`;
  return {
    secret,
    namespace,
    onFailure,
    async set(id, original) {
      const bytes = Buffer.byteLength(original);
      if (bytes > maxBytesPerEntry) {
        throw new SnugfitError(
          'ORIGINAL_TOO_LARGE',
          `the complete result has ${bytes} bytes, more than the ${maxBytesPerEntry} that may be kept for recovery, so no preview was made. ` +
            'The tool has run: do not blindly repeat a call that writes; one that reads can be repeated with narrower arguments',
        );
      }
      await inTime(client.set(prefix + id, await pack(original), { expiration: { type: 'EX', value: ttl } }));
    },
    async get(id) {
      const kept = await inTime(client.getEx(prefix + id, { type: 'EX', value: ttl }));
      return kept === null ? undefined : unpack(kept);
    },
    delete: (id) => inTime(client.del(prefix + id)),
    async clear() {
      const cursors = client.scanIterator({ MATCH: `${prefix.replaceAll(/[*?[\]\\]/g, String.raw`\$&`)}*`, COUNT: 500 });
      for await (const keys of cursors) if (keys.length > 0) await inTime(client.unlink(keys));
    },
    disconnect: () => client.close(),
  };
}

/** UTF-8, or UTF-16 where lone surrogates have no UTF-8; the first byte says which. */
async function pack(original: string): Promise<Buffer> {
  const encoding = toUSVString(original) === original ? 'utf8' : 'utf16le';
  return Buffer.concat([Buffer.of(encoding === 'utf8' ? 0 : 1), await compress(Buffer.from(original, encoding))]);
}

async function unpack(kept: Buffer): Promise<string> {
  return (await decompress(kept.subarray(1))).toString(kept[0] === 1 ? 'utf16le' : 'utf8');
}

function checked(options: RedisOptions) {
  checkKeys('options', options, KNOWN);
  const { url = 'redis://localhost:6379', namespace = 'default', secret = process.env.SNUGFIT_STORE_SECRET } = options;
  const { ttl = 300, maxBytesPerEntry = 64 << 20, onFailure = 'error', timeoutMs = 2000 } = options;
  if (secret === undefined || secret === '')
    throw invalidOption('secret', secret, 'a long random string, the same in all processes that share originals (or SNUGFIT_STORE_SECRET)');
  return {
    url: text('url', url),
    namespace: text('namespace', namespace),
    secret: text('secret', secret),
    ttl: positiveInteger('ttl', ttl, 'seconds'),
    maxBytesPerEntry: positiveInteger('maxBytesPerEntry', maxBytesPerEntry, 'bytes'),
    onFailure: oneOf('onFailure', onFailure, ['error', 'passthrough']),
    timeoutMs: positiveInteger('timeoutMs', timeoutMs, 'milliseconds'),
  };
}
