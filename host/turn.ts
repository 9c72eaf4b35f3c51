import { AsyncLocalStorage } from 'node:async_hooks';
import type { NativeBudget, NativeShare, NativeTurn } from './binding.ts';
import { checkKeys, invalidOption, positiveInteger } from './check.ts';
import { SnugfitError } from './errors.ts';
import { native } from './native.ts';
import { type AbortSignalLike, onAbort } from './signal.ts';
import { isThenable } from './value.ts';

/** One allowance for the results of a turn: the calls that a model makes at once. Made by {@link createTurnBudget}. */
export interface TurnBudget {
  /**
   * Begins a new turn with the whole allowance. Calls that have begun stay in theirs. With the number of calls to come, each has its part
   * from the start, however early others come back.
   */
  next(calls?: number): void;
}

/** What the results of a turn may take together. */
export type TurnBudgetOptions = {
  /**
   * How long a result waits for others, in milliseconds, where its share depends on them. `0`: never; a large result that comes early then
   * gets an equal part, and what small ones leave goes to those that come later.
   * @default 10000
   */
  waitMs?: number | undefined;
} & (
  | {
      /** Unicode characters. */
      chars: number;
    }
  | {
      /** Tokens, as the budget of each result counts them. */
      tokens: number;
    }
);

const WAIT_MS = 10_000;
/** Longer texts than this for each unit of the allowance are not worth counting. */
const MOST_COUNTED = 16;

/**
 * One allowance that the results of a turn share fairly, whatever the order in which they come back: a small result passes whole, and what
 * it leaves goes to the larger ones in equal parts. Its own budget holds for each result as well.
 *
 * Throws `INVALID_OPTION` or `NATIVE_MISSING`.
 *
 * @example
 * ```ts
 * const turnBudget = createTurnBudget({ tokens: 20_000 });
 * const { tools } = shrinkfitTools({ search, fetch }, { shrinkfit: { tokens: 20_000 }, turnBudget });
 * await generateText({ model, tools, prompt, onStepFinish: () => turnBudget.next() });
 * ```
 */
export function createTurnBudget(options: TurnBudgetOptions): TurnBudget {
  checkKeys('options', options, ['chars', 'tokens', 'waitMs']);
  const { chars, tokens, waitMs = WAIT_MS } = options as { chars?: unknown; tokens?: unknown; waitMs?: unknown };
  if ((chars === undefined) === (tokens === undefined))
    throw new SnugfitError('INVALID_OPTION', 'options must name one of chars and tokens, such as { tokens: 20000 }.');
  if (typeof waitMs !== 'number' || !(waitMs >= 0 && waitMs <= MOST_MS))
    throw invalidOption('waitMs', waitMs, `milliseconds from 0 to ${MOST_MS}`);
  const unit = tokens === undefined ? 'chars' : 'tokens';
  const total = positiveInteger(unit, tokens ?? chars, unit === 'chars' ? 'characters' : 'tokens');
  return new Turns({ unit, total, waitMs });
}

/** What a timer takes. */
const MOST_MS = 2_147_483_647;

interface Allowance {
  unit: 'chars' | 'tokens';
  total: number;
  waitMs: number;
}

/** Turns, one after the other. */
export class Turns implements TurnBudget {
  readonly #allowance: Allowance;
  #open: OpenTurn;

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
    this.#open = new OpenTurn(allowance, 0);
  }

  next(calls = 0): void {
    this.#open = new OpenTurn(this.#allowance, calls === 0 ? 0 : positiveInteger('calls', calls, 'calls'));
  }

  /** A place for a call, which is in the turn that is open now. */
  seat(): Seat {
    return new Seat(this.#open, this);
  }
}

/** The calls that run now, as far as they are in turns: who is called by one of them must not wait for it. */
const callers = new AsyncLocalStorage<Seat>();

class OpenTurn {
  readonly native: NativeTurn;
  readonly waiting = new Map<number, (share: number) => void>();

  constructor(
    readonly allowance: Allowance,
    calls: number,
  ) {
    this.native = new (native().Turn)(allowance.total, allowance.unit === 'tokens', calls);
  }

  tell(shares: NativeShare[]): void {
    for (const { call, share } of shares) this.waiting.get(call)?.(share);
  }
}

/** The place of a call in its turn. */
export class Seat {
  readonly #turn: OpenTurn;
  readonly #turns: Turns;
  readonly #isNested: boolean;
  #call: number | undefined;
  #isStream = false;

  constructor(turn: OpenTurn, turns: Turns) {
    this.#turn = turn;
    this.#turns = turns;
    const caller = callers.getStore();
    this.#isNested = caller !== undefined && caller.#turns === turns;
    // What is to come of the caller counts before what it calls.
    if (this.#isNested) caller?.join();
  }

  /** From here on others wait for the call; what nobody starts, such as a stream that is not read, holds up no one. */
  join(): number {
    return (this.#call ??= this.#turn.native.join());
  }

  /** The result is a stream: the call is over, and left, where that ends. */
  streams(): void {
    this.#isStream = true;
  }

  run<T>(work: () => T): T {
    return callers.run(this, work);
  }

  /** A stream whose steps are the call's, whoever asks for them. */
  steps<T, R>(source: AsyncIterable<T, R>): AsyncIterable<T, R> {
    return {
      [Symbol.asyncIterator]: () => {
        const iterator = this.run(() => source[Symbol.asyncIterator]());
        return {
          next: () => this.run(() => iterator.next()),
          return: async (value) => (await this.run(() => iterator.return?.(value))) ?? { done: true, value: (await value) as R },
          throw: async (thrown) => {
            const given = await this.run(() => iterator.throw?.(thrown));
            if (given !== undefined) return given;
            await this.run(() => iterator.return?.());
            throw thrown;
          },
        };
      },
    };
  }

  /** The budget of a result of these texts, once it is certain or the result has waited long enough. */
  claim(texts: (string | Uint8Array)[], own: NativeBudget, signal: AbortSignalLike | undefined): NativeBudget | Promise<NativeBudget> {
    const { native, waiting, allowance } = this.#turn;
    const call = this.join();
    const { unit, total } = allowance;
    const units = texts.reduce((sum, { length }) => sum + length, 0);
    const shares = native.claim(call, units > total * MOST_COUNTED ? null : texts, own);
    const certain = shares.find((share) => share.call === call)?.share;
    this.#turn.tell(shares);
    const within = (share: number) => ({ ...own, [unit]: Math.min(own[unit] ?? Infinity, share) });
    const now = () => native.now(call) ?? total;
    if (certain !== undefined) return within(certain);
    if (this.#isNested || allowance.waitMs === 0 || signal?.aborted) return within(now());
    return new Promise((resolve) => {
      const settle = (share: number) => {
        clearTimeout(timer);
        release?.();
        waiting.delete(call);
        resolve(within(share));
      };
      const giveUp = () => settle(now());
      const timer = setTimeout(giveUp, allowance.waitMs);
      const release = signal && onAbort(signal, giveUp);
      waiting.set(call, settle);
    });
  }

  /** The call is over; nothing if its result has had its share. */
  leave(): void {
    this.#turn.tell(this.#turn.native.leave(this.join()));
  }

  /** The call has given its result. */
  returned(): void {
    if (!this.#isStream) this.leave();
  }
}

/** Runs a call in its turn. One that gives a stream, which it has to say, joins when that is read, and leaves when it ends. */
export function seated(turns: Turns | undefined, run: (seat: Seat | undefined) => unknown): unknown {
  if (turns === undefined) return run(undefined);
  const seat = turns.seat();
  let returned: unknown;
  try {
    returned = seat.run(() => run(seat));
  } catch (thrown) {
    seat.leave();
    throw thrown;
  }
  if (isThenable(returned)) {
    seat.join();
    return Promise.resolve(returned).finally(() => seat.returned());
  }
  seat.returned();
  return returned;
}

/** Checks the option. */
export function parseTurnBudget(turnBudget: unknown): Turns | undefined {
  if (turnBudget === undefined || turnBudget instanceof Turns) return turnBudget;
  throw invalidOption('turnBudget', turnBudget, 'what createTurnBudget gives');
}
