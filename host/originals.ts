import type { NativeBudget, NativeLimits, NativeSelector, NativeSession, RecoverOutcome } from './binding.ts';
import { checkKeys, invalidOption, oneOf, positiveInteger, text } from './check.ts';
import { SnugfitError, messageOf } from './errors.ts';
import { native } from './native.ts';
import { settle } from './outcome.ts';

// Where originals are kept: in the addon's memory, or in a store of the host's.

/** What the store in memory may hold; least recently used originals go first. */
export interface StoreLimits {
  /**
   * Originals.
   * @default 128
   */
  entries?: number | undefined;
  /**
   * Bytes of originals and keys.
   * @default 67108864
   */
  bytes?: number | undefined;
  /**
   * Milliseconds for which an original is kept after its last use.
   * @default 300000
   */
  ttlMs?: number | undefined;
}

/**
 * A store of the host's, for originals that more than one process should find. Its methods may answer at once or by a promise.
 *
 * @example
 * ```ts
 * const files: OriginalStore = {
 *   get: (id) => readFile(join(folder, id), 'utf8').catch(() => undefined),
 *   set: (id, original) => writeFile(join(folder, id), original),
 *   delete: (id) => rm(join(folder, id), { force: true }),
 *   clear: () => rm(folder, { recursive: true, force: true }),
 * };
 * ```
 */
export interface OriginalStore {
  /** The original of an id, as it was set; `undefined` or `null` where there is none. A read should renew it. */
  get: (id: string) => string | null | undefined | PromiseLike<string | null | undefined>;
  /** Keeps an original. The preview that names the id goes out once this is done. */
  set: (id: string, original: string) => unknown;
  /** Forgets one original. */
  delete: (id: string) => unknown;
  /** Forgets all originals; called by `close()` unless there is a `secret`. */
  clear: () => unknown;
  /**
   * Makes ids that are the same in every process that has it, so that one finds what another kept. Originals then outlive `close()`. Without
   * one, ids are the toolset's own.
   */
  secret?: string | undefined;
  /** Ids of one namespace mean nothing in another. */
  namespace?: string | undefined;
  /**
   * When `set` fails: `error` fails the call rather than promise a recovery; `passthrough` hands out the complete result.
   * @default 'error'
   */
  onFailure?: 'error' | 'passthrough' | undefined;
}

/** The originals of one toolset. */
export interface Originals {
  /** Keeping one takes time of its own, after the fit. */
  readonly late: boolean;
  /** Keeps what a preview is about to name. */
  keep: (id: string, original: () => string) => Promise<void>;
  recover: (id: string) => Promise<string>;
  /** A part of an original, within the budget. */
  read: (id: string, selector: NativeSelector, budget: NativeBudget) => Promise<string>;
  close: () => void;
}

const LIMITS = { entries: 'originals', bytes: 'bytes', ttlMs: 'milliseconds' } as const;
const METHODS = ['get', 'set', 'delete', 'clear'] as const;
/** Ids have this form, however a model writes them; nothing else is ever asked of a store. */
const ID = /^\s*\{?([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})\}?\s*$/;

/** Checks the option `store`. */
export function parseStore(store: unknown): NativeLimits | OriginalStore | false {
  if (store === false) return false;
  if (typeof store !== 'object' || store === null || Array.isArray(store))
    throw invalidOption('store', store, `an object with any of ${Object.keys(LIMITS).join(', ')}, a store of your own, or false`);
  if (METHODS.some((name) => name in store)) return checkStore(store as OriginalStore);
  checkKeys('store', store, Object.keys(LIMITS));
  const limits: NativeLimits = {};
  for (const name of Object.keys(LIMITS) as (keyof typeof LIMITS)[]) {
    const value = (store as StoreLimits)[name];
    if (value !== undefined) limits[name] = positiveInteger(`store.${name}`, value, LIMITS[name]);
  }
  return limits;
}

function checkStore(store: OriginalStore): OriginalStore {
  for (const name of METHODS) {
    if (typeof store[name] !== 'function')
      throw invalidOption(`store.${name}`, store[name], 'a function, as get, set, delete and clear are');
  }
  if (store.secret !== undefined && text('store.secret', store.secret) === '')
    throw new SnugfitError('INVALID_OPTION', 'store.secret must not be empty: whoever knows it can make ids.');
  if (store.namespace !== undefined) text('store.namespace', store.namespace);
  if (store.onFailure !== undefined) oneOf('store.onFailure', store.onFailure, ['error', 'passthrough']);
  return store;
}

export function isHostStore(store: NativeLimits | OriginalStore | false): store is OriginalStore {
  return store !== false && 'get' in store;
}

/** Originals in the addon's memory: kept there within each fit. */
export function originalsInMemory(session: NativeSession): Originals {
  return {
    late: false,
    keep: () => Promise.resolve(),
    recover: (id) => recoverNatively(session, id),
    read: (id, selector, budget) => textOf(() => session.read(id, selector, budget)),
    close: () => session.close(),
  };
}

/** Originals in a store of the host's. */
export function originalsIn(store: OriginalStore, session: NativeSession): Originals {
  let closed = false;
  async function recover(id: string): Promise<string> {
    const parts = ID.exec(id.toLowerCase())?.slice(1);
    const found = closed || !parts ? undefined : await attempt(() => store.get(parts.join('-')), 'could not look for an original');
    if (found == null) return recoverNatively(session, id);
    if (typeof found === 'string') return found;
    throw new SnugfitError('STORE_FAILED', `the store gave ${typeof found} for an original; it must give the string that it was given.`);
  }
  return {
    late: true,
    async keep(id, original) {
      await attempt(() => store.set(id, original()), 'could not keep an original');
      if (!closed) return;
      // It may have come in behind the clearing.
      await attempt(() => store.delete(id), 'could not forget an original');
      await recoverNatively(session, id);
    },
    recover,
    async read(id, selector, budget) {
      const original = await recover(id);
      return textOf(() => native().read(original, selector, budget));
    },
    close() {
      if (closed) return;
      closed = true;
      session.close();
      if (store.secret !== undefined) return;
      attempt(() => store.clear(), 'could not be cleared').catch((error: unknown) => process.emitWarning(messageOf(error)));
    },
  };
}

/** Of a session that keeps nothing itself: the error that says why there is no such original. */
function recoverNatively(session: NativeSession, id: string): Promise<string> {
  return textOf(() => session.recover(id));
}

async function textOf(call: () => Promise<RecoverOutcome>): Promise<string> {
  const { text: found } = await settle(call);
  if (found === undefined) throw new SnugfitError('INTERNAL', 'snugfit failed: the addon gave no text');
  return found;
}

async function attempt<T>(call: () => T, what: string): Promise<Awaited<T>> {
  try {
    return await call();
  } catch (thrown) {
    if (thrown instanceof SnugfitError) throw thrown;
    throw new SnugfitError('STORE_FAILED', `the store ${what}: ${messageOf(thrown)}. A tool that was called has run`, { cause: thrown });
  }
}
