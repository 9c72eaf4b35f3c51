import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type * as Snugfit from '../host/index.ts';
import { idOf } from './support/notice.ts';
import { failureOf } from './support/errors.ts';
import { log } from './support/samples.ts';

/** An addon that panics where a test asks for it; `npm test` builds it. */
const ADDON = fileURLToPath(new URL('../target/snugfit.test-panic.node', import.meta.url));
const PANIC = '__snugfit_test_panic__';
const long = log(300);

let snugfit: typeof Snugfit;

beforeAll(async () => {
  if (!existsSync(ADDON)) throw new Error(`${ADDON} is missing: run the tests with \`npm test\`, which builds it`);
  vi.stubEnv('SNUGFIT_NATIVE', ADDON);
  vi.resetModules();
  snugfit = await import('../host/index.ts');
});

function open() {
  const events: Snugfit.FitEvent[] = [];
  const map = { [PANIC]: { execute: async (): Promise<unknown> => long }, healthy: { execute: async () => long } };
  const { tools } = snugfit.shrinkfitTools(map, { shrinkfit: 2000, onFit: (event) => void events.push(event) });
  return { tools, events };
}

describe('a panic in the engine', () => {
  it('costs the host no result: the original passes, and onFit hears of the fault', async () => {
    const { tools, events } = open();
    expect(await tools[PANIC].execute()).toBe(long);
    expect(events).toMatchObject([{ tool: PANIC, outcome: 'passed', error: { code: 'INTERNAL' } }]);
    expect(events[0]!.error!.message).not.toContain('worker-7');
  });

  it('passes an envelope by the same reference', async () => {
    const envelope = { content: [{ type: 'text', text: long }] };
    const { tools } = snugfit.shrinkfitTools({ [PANIC]: { execute: async () => envelope } }, { shrinkfit: 2000 });
    expect(await tools[PANIC].execute()).toBe(envelope);
  });

  it('harms no other call: those before, beside and after it work, and so does recovery', async () => {
    const { tools } = open();
    const before = idOf(await tools.healthy.execute());
    const outputs = await Promise.all(Array.from({ length: 200 }, (_, n) => (n % 2 ? tools[PANIC].execute() : tools.healthy.execute())));
    outputs.forEach((output, n) => (n % 2 ? expect(output).toBe(long) : expect(idOf(output as string)).toBe(before)));
    expect(idOf(await tools.healthy.execute())).toBe(before);
    expect(await tools.compressor_recover_response.execute({ response_id: before })).toBe(long);
  });

  it('is an error where there is no original to pass: in fit and fitSync', async () => {
    const options = { budget: 1000, toolName: PANIC };
    expect(await failureOf(() => snugfit.fit(long, options))).toMatchObject({ code: 'INTERNAL' });
    expect(await failureOf(() => snugfit.fitSync(long, options))).toMatchObject({ code: 'INTERNAL' });
    expect((await snugfit.fit(long, { budget: 1000 })).report.pruned).toBe(true);
  });
});
