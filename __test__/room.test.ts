import { describe, expect, it } from 'vitest';
import { ROOM, withRoom } from '../host/room.ts';

const HALF = ROOM / 2;

/** Work of so many bytes that notes when it begins, and goes on when it is told to. */
function start(name: string, bytes: number, begun: string[], signal?: AbortSignal) {
  let end!: (failure?: Error) => void;
  const told = new Promise<void>((resolve, reject) => (end = (failure) => (failure ? reject(failure) : resolve())));
  const outcome = withRoom(bytes, signal, async () => {
    begun.push(name);
    await told;
    return name;
  });
  return { end, outcome };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('large texts on their way in', () => {
  it('wait in order for room, and none overtakes another', async () => {
    const begun: string[] = [];
    const [first, second, third, fourth] = ['first', 'second', 'third', 'fourth'].map((name) => start(name, HALF, begun));
    await turn();
    expect(begun).toEqual(['first', 'second']);
    second!.end();
    expect(await second!.outcome).toBe('second');
    await turn();
    expect(begun).toEqual(['first', 'second', 'third']);
    first!.end();
    third!.end();
    await turn();
    fourth!.end();
    expect(await Promise.all([first, third, fourth].map((work) => work!.outcome))).toEqual(['first', 'third', 'fourth']);
  });

  it('that are larger than all room go alone, and what comes later waits behind them', async () => {
    const begun: string[] = [];
    const small = start('small', HALF, begun);
    const large = start('large', 3 * ROOM, begun);
    const late = start('late', HALF, begun);
    await turn();
    expect(begun).toEqual(['small']);
    small.end();
    await turn();
    expect(begun).toEqual(['small', 'large']);
    large.end();
    await turn();
    expect(begun).toEqual(['small', 'large', 'late']);
    late.end();
    await Promise.all([small, large, late].map((work) => work.outcome));
  });

  it('do not keep small ones waiting', async () => {
    const begun: string[] = [];
    const full = start('full', ROOM, begun);
    const waiting = start('waiting', ROOM, begun);
    const small = start('small', 1000, begun);
    await turn();
    expect(begun.sort()).toEqual(['full', 'small']);
    for (const work of [full, waiting, small]) work.end();
    await Promise.all([full, waiting, small].map((work) => work.outcome));
  });

  it('give their room back when they fail, and leave the queue when they are aborted', async () => {
    const begun: string[] = [];
    const controller = new AbortController();
    const broken = start('broken', ROOM, begun);
    const aborted = start('aborted', ROOM, begun, controller.signal);
    const never = start('never', ROOM, begun, AbortSignal.abort());
    const last = start('last', ROOM, begun);
    const ended = Promise.allSettled([broken, aborted, never].map((work) => work.outcome));
    await turn();
    controller.abort();
    broken.end(new Error('broken'));
    const failure = (code: string) => ({
      status: 'rejected',
      reason: expect.objectContaining({ code }) as unknown,
    });
    expect(await ended).toEqual([{ status: 'rejected', reason: new Error('broken') }, failure('ABORTED'), failure('ABORTED')]);
    await turn();
    expect(begun).toEqual(['broken', 'last']);
    last.end();
    expect(await last.outcome).toBe('last');
  });
});
