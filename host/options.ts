import type { NativeBudget, NativeLimits } from './binding.ts';
import { type Budget, parseBudget } from './budget.ts';
import { checkKeys, invalidOption, oneOf, positiveInteger } from './check.ts';
import { SnugfitError } from './errors.ts';
import type { FitEvent } from './event.ts';

/** Options of {@link shrinkfitTools}. */
export interface ShrinkfitOptions {
  /** The budget of every result. Without it results pass as if snugfit were not there. */
  shrinkfit?: Budget | undefined;
  /**
   * Where the notice of a plain string stands: `inline` (last key, last element, last line), or `envelope` (one JSON document whatever comes;
   * objects as inline).
   * @default 'inline'
   */
  notice?: 'inline' | 'envelope' | undefined;
  /** Limits of the store of originals; `false`: nothing is kept, and no recovery tool is added. */
  store?: StoreLimits | false | undefined;
  /** Told about every result that was over the budget, for logs and meters. */
  onFit?: ((event: FitEvent) => unknown) | undefined;
}

/** What the store may hold; least recently used originals go first. */
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

/** Options that were checked. */
export interface ParsedOptions {
  budget: NativeBudget;
  notice: 'inline' | 'envelope';
  store: NativeLimits | false;
  onFit: ShrinkfitOptions['onFit'];
}

const KNOWN = ['shrinkfit', 'notice', 'store', 'onFit'];
const LATER = [
  'perTool',
  'mode',
  'structured',
  'errors',
  'multimodal',
  'relevance',
  'target',
  'redact',
  'onInternalError',
  'recoveryBudget',
];
const LIMITS = { entries: 'originals', bytes: 'bytes', ttlMs: 'milliseconds' } as const;

/** Checks options; `undefined` without a budget. */
export function parseOptions(options: unknown): ParsedOptions | undefined {
  checkKeys('options', options, KNOWN, LATER);
  const { shrinkfit, notice = 'inline', store = {}, onFit } = options as ShrinkfitOptions;
  if (onFit !== undefined && typeof onFit !== 'function') throw invalidOption('onFit', onFit, 'a function');
  const parsed = { notice: oneOf('notice', notice, ['inline', 'envelope'] as const), store: parseStore(store), onFit };
  return shrinkfit === undefined ? undefined : { budget: parseBudget('shrinkfit', shrinkfit), ...parsed };
}

function parseStore(store: unknown): NativeLimits | false {
  if (store === false) return false;
  if (typeof store !== 'object' || store === null || Array.isArray(store))
    throw invalidOption('store', store, 'an object with any of entries, bytes, ttlMs, or false');
  if ('get' in store || 'set' in store)
    throw new SnugfitError('INVALID_OPTION', 'store: stores of your own come in a later version of snugfit; give limits, or false.');
  checkKeys('store', store, Object.keys(LIMITS));
  const limits: NativeLimits = {};
  for (const name of Object.keys(LIMITS) as (keyof typeof LIMITS)[]) {
    const value = (store as StoreLimits)[name];
    if (value !== undefined) limits[name] = positiveInteger(`store.${name}`, value, LIMITS[name]);
  }
  return limits;
}
