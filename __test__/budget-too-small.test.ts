import { describe, expect, it } from 'vitest';
import { type FitEvent, shrinkfitTools } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { charsOf, idOf } from './support/notice.ts';
import { issues, log } from './support/samples.ts';

function open(shrinkfit: number, result: unknown) {
  const events: FitEvent[] = [];
  const { tools } = shrinkfitTools({ probe: { execute: async () => result } }, { shrinkfit, onFit: (event) => events.push(event) });
  return { call: () => tools.probe.execute(), events };
}

const samples: [string, unknown][] = [
  ['an object', issues(100)],
  ['an array', issues(100).issues],
  ['a text', log(100)],
];

describe('a budget that cannot hold preview and notice', () => {
  it.each(samples)('fails a call that gives %s, saying that the tool has run and what would do', async (_, result) => {
    const { call, events } = open(20, result);
    const failure = await failureOf(call);
    expect(failure).toMatchObject({ code: 'BUDGET_TOO_SMALL' });
    expect(failure.message).toMatch(/has run/);
    expect(failure.message).toContain(String(failure.needed));
    expect(events).toMatchObject([{ tool: 'probe', outcome: 'failed', error: failure }]);
    const preview = (await open(failure.needed!, result).call()) as string;
    expect(charsOf(preview)).toBeLessThanOrEqual(failure.needed!);
    idOf(preview);
  });

  it.each(samples)('is rare: 350 characters do for %s', async (_, result) => {
    const preview = (await open(350, result).call()) as string;
    expect(charsOf(preview)).toBeLessThanOrEqual(350);
    idOf(preview);
  });
});
