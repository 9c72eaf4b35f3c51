import type { NativeOptions, NativeSession } from './binding.ts';
import type { FitEvent } from './event.ts';
import { native } from './native.ts';
import type { ParsedOptions } from './options.ts';
import { attempt } from './outcome.ts';
import { keepSwept } from './sweep.ts';

/** What the wrapped tools of one map share: the store of their originals and how they are fitted. */
export interface Toolset {
  readonly session: NativeSession;
  /** Options of every fit. */
  readonly native: NativeOptions;
  readonly onFit: ((event: FitEvent) => unknown) | undefined;
  /** Empties the store at once; what comes later fails with `CLOSED`. Twice is fine. */
  readonly close: () => void;
}

/** A toolset of its own, with a store unless there is to be none. */
export function openToolset({ budget, notice, store, onFit }: ParsedOptions, recoveryTool: string | undefined): Toolset {
  const { Session } = native();
  const session = attempt(() => new Session(store === false ? null : store));
  const stopSweeping = keepSwept(session);
  return {
    session,
    native: { budget, notice, recoveryTool },
    onFit,
    close() {
      stopSweeping();
      session.close();
    },
  };
}
