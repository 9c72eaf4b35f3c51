import { describe, expect, it } from 'vitest';
import { fit, fitSync, shrinkfitTools } from '../host/index.ts';
import { issues, log } from './support/samples.ts';

const estimate = (text: string) => Math.ceil(Buffer.byteLength(text) / 3);

describe('a budget in tokens', () => {
  it.each(['estimate', 'o200k_base', 'cl100k_base'] as const)('of %s cuts what is over it and nothing else', async (encoding) => {
    const budget = { tokens: 1000, encoding };
    const { text, report } = await fit(issues(300), { budget });
    expect(report).toMatchObject({ budget: 1000, pruned: true });
    // What was within the budget once is left alone the second time.
    expect(fitSync(text, { budget })).toMatchObject({ text, report: { complete: true } });
    expect((await fit(text, { budget: { tokens: 700, encoding } })).report.pruned).toBe(true);
  });

  it('is a third of the bytes where no encoding is named', async () => {
    const { text } = await fit(log(2000), { budget: { tokens: 900 } });
    expect(estimate(text)).toBeLessThanOrEqual(900);
    expect(estimate(text)).toBeGreaterThan(810);
  });

  it('counts differently in each encoding', () => {
    const [o200k, cl100k] = (['o200k_base', 'cl100k_base'] as const).map(
      (encoding) => fitSync('漢字かな交じり文。'.repeat(500), { budget: { tokens: 1000, encoding } }).text,
    );
    expect(o200k?.length).toBeGreaterThan(cl100k?.length ?? Infinity);
  });

  it('holds together with other limits', async () => {
    const { text } = await fit(log(2000), { budget: { chars: 3000, lines: 20, tokens: 600, encoding: 'o200k_base' } });
    expect(text.length).toBeLessThanOrEqual(3000);
    expect(text.split('\n').length).toBeLessThanOrEqual(20);
  });

  it('says in its notice how many it has', async () => {
    const list = { execute: () => Promise.resolve(issues(300)) };
    const { tools } = shrinkfitTools({ list }, { shrinkfit: { tokens: 1500, encoding: 'o200k_base' } });
    expect(JSON.stringify(await tools.list.execute())).toContain('cut by snugfit to 1500 tokens');
  });

  it('that is too small names the tokens that do', async () => {
    const budget = { tokens: 5, encoding: 'o200k_base' } as const;
    await expect(fit(issues(300), { budget })).rejects.toMatchObject({ code: 'BUDGET_TOO_SMALL', message: /budget of 5 tokens/ });
  });

  it('stands hostile text', async () => {
    for (const text of ['A'.repeat(50_000), '漢'.repeat(50_000), ' '.repeat(1_000_000)]) {
      const fitted = await fit(text, { budget: { tokens: 500, encoding: 'o200k_base' } });
      expect(fitted.text.length).toBeLessThan(text.length);
    }
  });
});
