// The official conformance suite. `.ci/run` installs it, and Node 22, which it wants; without them this is skipped, and says so.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { NODE_22, PAGE, SUITE, WAYS, page, run } from '../../scripts/conformance.mjs';

test('servers do through the proxy as they do directly, and docs/conformance.md says how', { timeout: 600_000 }, async ({ skip }) => {
  for (const needed of [NODE_22, SUITE]) if (!existsSync(needed)) skip(`${needed} is not installed`);
  const outcomes = new Map<string, Awaited<ReturnType<typeof run>>>();
  for (const way of Object.keys(WAYS)) outcomes.set(way, await run(way));
  expect(page(outcomes)).toBe(await readFile(PAGE, 'utf8'));

  const passed = (way: string) => [...outcomes.get(way)!].filter(([, { passed }]) => passed).map(([scenario]) => scenario);
  const all = [...outcomes.get('direct')!.keys()];
  expect(all.filter((scenario) => !passed('direct').includes(scenario))).toEqual(['server-sse-polling']);
  expect(passed('stdio')).toEqual(all);
  expect(passed('http')).toEqual(all);
  expect(passed('everything proxied')).toEqual(expect.arrayContaining(passed('everything')));
});
