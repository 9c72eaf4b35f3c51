import type { NativeOptions, NativeSession } from './binding.ts';
import { native } from './native.ts';
import type { ParsedOptions } from './options.ts';
import { type Originals, isHostStore, originalsIn, originalsInMemory } from './originals.ts';
import { attempt } from './outcome.ts';
import { keepSwept } from './sweep.ts';

/** What the wrapped tools of one map share: the store of their originals and how they are fitted. */
export interface Toolset {
  readonly session: NativeSession;
  readonly originals: Originals;
  readonly options: ParsedOptions;
  /** The addon's options for the results of a tool; `undefined` for one whose results pass. */
  readonly optionsOf: (tool: string) => NativeOptions | undefined;
  /** Empties the store at once; what comes later fails with `CLOSED`. Twice is fine. */
  readonly close: () => void;
}

/** A toolset of its own, with a store unless there is to be none. */
export function openToolset(options: ParsedOptions, recoveryTool: string | undefined): Toolset {
  const { budget, perTool, mode, notice, store } = options;
  const { Session } = native();
  const session = attempt(() =>
    isHostStore(store) ? new Session(null, { secret: store.secret, namespace: store.namespace }) : new Session(store || null),
  );
  const originals = isHostStore(store) ? originalsIn(store, session) : originalsInMemory(session);
  const stopSweeping = keepSwept(session);
  return {
    session,
    originals,
    options,
    optionsOf(tool) {
      const { skip = false, ...rules } = perTool(tool);
      return skip ? undefined : { budget, mode, notice, recoveryTool, toolName: tool, ...rules };
    },
    close() {
      stopSweeping();
      originals.close();
    },
  };
}
