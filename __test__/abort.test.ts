import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { fit, shrinkfitTools } from '../host/index.ts';
import { findSignal, onAbort } from '../host/signal.ts';
import { failureOf } from './support/errors.ts';
import { log } from './support/samples.ts';

const long = log(300);
const tool: { execute: (...args: unknown[]) => Promise<string> } = { execute: async () => long };
const { tools } = shrinkfitTools({ probe: tool }, { shrinkfit: 1000 });

describe('an abort signal', () => {
  const { signal } = new AbortController();
  it.each<[string, unknown[]]>([
    ['AI SDK and Mastra', [{}, { toolCallId: 'x', abortSignal: signal }]],
    ['LangChain', [{}, undefined, { signal }]],
    ['OpenAI Agents', [{}, { context: {} }, { signal }]],
    ['MCP SDK v2', [{}, { mcpReq: { id: 1, signal } }]],
    ['just-bash', [['arg'], { fs: {}, signal }]],
  ])('is found where %s puts it', (_, args) => {
    expect(findSignal(args)).toBe(signal);
  });

  it.each<[string, unknown[]]>([
    ['in the input, which belongs to the tool', [{ signal }]],
    ['in something of that name that is none', [{}, { signal: 'SIGTERM', abortSignal: {} }]],
    ['where there are no arguments', []],
  ])('is not seen %s', (_, args) => {
    expect(findSignal(args)).toBe(undefined);
  });

  it('that has fired before fails the call, says that the tool has run, and has the name hosts look for', async () => {
    const failure = await failureOf(() => tools.probe.execute({}, { abortSignal: AbortSignal.abort() }));
    expect(failure).toMatchObject({ code: 'ABORTED', name: 'AbortError' });
    expect(failure.message).toMatch(/has run/);
  });

  it('takes a waiting call out of the queue, and no other', async () => {
    const busy = Array.from({ length: 20 }, (_, n) => tools.probe.execute({ n }));
    const controller = new AbortController();
    const waiting = failureOf(() => tools.probe.execute({}, { abortSignal: controller.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await waiting.then(
      ({ code }) => expect(code).toBe('ABORTED'),
      // It may have been done already: then it must have succeeded.
      (thrown: unknown) => expect((thrown as Error).message).toBe('the call did not fail'),
    );
    expect(await Promise.all(busy)).toHaveLength(20);
  });

  it('shared by many calls at once has one listener for all of them, which Node does not take for a leak', async () => {
    const { signal } = new AbortController();
    const calls = Array.from({ length: 40 }, (_, n) => tools.probe.execute({ n }, { abortSignal: signal }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await Promise.all(calls);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('shared by many tells all that still want to know', () => {
    const controller = new AbortController();
    const told: string[] = [];
    const [first] = ['first', 'second', 'third'].map((name) => onAbort(controller.signal, () => told.push(name)));
    first?.();
    controller.abort();
    expect(told).toEqual(['second', 'third']);
  });

  it('that never fires changes nothing, and keeps no listener', async () => {
    const listeners = new Set<unknown>();
    const fake = {
      aborted: false,
      addEventListener: (_: string, listener: unknown) => listeners.add(listener),
      removeEventListener: (_: string, listener: unknown) => listeners.delete(listener),
    };
    expect(await tools.probe.execute({}, { signal: fake })).toBe(await tools.probe.execute({}));
    expect(listeners.size).toBe(0);
  });

  it('is an option of fit', async () => {
    expect(await failureOf(() => fit(long, { budget: 1000, signal: AbortSignal.abort() }))).toMatchObject({ code: 'ABORTED' });
  });
});
