import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { shrinkfitTools } from '../host/index.ts';
import type { NativeSession } from '../host/binding.ts';
import { native } from '../host/native.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

describe('a toolset that nobody holds any more', () => {
  it('goes, and its store with it', async () => {
    const session = await sessionOfDroppedToolset();
    for (let tries = 0; tries < 50 && session.deref() !== undefined; tries++) {
      await sleep(10);
      gc();
    }
    expect(session.deref()).toBe(undefined);
  });
});

/** The session behind a toolset that has fitted a result and then was dropped. */
async function sessionOfDroppedToolset(): Promise<WeakRef<object>> {
  const prototype = native().Session.prototype as NativeSession;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is applied to each session below
  const { fit } = prototype;
  let session: WeakRef<object> | undefined;
  prototype.fit = function (...args) {
    session = new WeakRef(this);
    return fit.apply(this, args);
  };
  const { tools } = shrinkfitTools({ probe: { execute: async () => 'some words '.repeat(900) } }, { shrinkfit: 1000 });
  await tools.probe.execute();
  prototype.fit = fit;
  return session!;
}
