import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FitEvent, shrinkfitTools } from '../host/index.ts';
import { charsOf } from './support/notice.ts';
import { log } from './support/samples.ts';

const long = log(300);

describe('onFit', () => {
  const warn = vi.spyOn(process, 'emitWarning');
  beforeEach(() => {
    warn.mockImplementation(() => undefined);
  });
  afterEach(() => {
    warn.mockReset();
  });

  it('hears the sizes, the report, the id and the time of what was fitted', async () => {
    const events: FitEvent[] = [];
    const { tools } = shrinkfitTools(
      { probe: { execute: async () => long } },
      { shrinkfit: 2000, onFit: (event) => void events.push(event) },
    );
    const preview = await tools.probe.execute();
    expect(events).toEqual([
      {
        tool: 'probe',
        outcome: 'fitted',
        before: charsOf(long),
        after: charsOf(preview),
        ms: expect.any(Number) as number,
        report: expect.objectContaining({ inputChars: charsOf(long), pruned: true, budget: 2000 }) as object,
        responseId: expect.any(String) as string,
      },
    ]);
    expect(events[0]!.ms).toBeGreaterThan(0);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('that %s costs no result, and becomes a warning', async (_, onFit) => {
    const { tools } = shrinkfitTools({ probe: { execute: async () => long } }, { shrinkfit: 2000, onFit });
    expect(await tools.probe.execute()).toContain('truncation');
    await new Promise((resolve) => setImmediate(resolve));
    expect(warn).toHaveBeenCalledWith('onFit failed: Error: disk full', { code: 'SNUGFIT_ON_FIT' });
  });
});
