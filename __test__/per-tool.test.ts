import { describe, expect, it } from 'vitest';
import { shrinkfitTools } from '../host/index.ts';
import { charsOf, idOf, noticeOf } from './support/notice.ts';
import { issues, log } from './support/samples.ts';

const long = log(300);
const tool = { execute: async () => long };

describe('perTool', () => {
  it('gives tools whose names match budgets of their own, later patterns before earlier ones', async () => {
    const { tools } = shrinkfitTools(
      { search_issues: tool, search_code: tool, read: tool },
      { shrinkfit: 2000, perTool: { 'search_*': { shrinkfit: 1000 }, search_code: { shrinkfit: { chars: 600 } } } },
    );
    const sizes = await Promise.all(
      [tools.search_issues, tools.search_code, tools.read].map(async ({ execute }) => charsOf(await execute())),
    );
    expect(sizes[0]).toBeLessThanOrEqual(1000);
    expect(sizes[1]).toBeLessThanOrEqual(600);
    expect(sizes[2]).toBeGreaterThan(1000);
  });

  it('skips tools, which stay the very same', async () => {
    const { tools } = shrinkfitTools({ download: tool, search: tool }, { shrinkfit: 2000, perTool: { download: { skip: true } } });
    expect(tools.download).toBe(tool);
    idOf(await tools.search.execute());
  });

  it('says what must survive in the results of a tool', async () => {
    const protect = ['/issues/*/body'];
    const map = { a: { execute: async () => issues(60) }, b: { execute: async () => issues(60) } };
    const { tools } = shrinkfitTools<Record<string, { execute: () => Promise<unknown> }>>(map, {
      shrinkfit: 3000,
      perTool: { a: { protect } },
    });
    const bodies = (preview: unknown) => String(preview).match(/open the file and wait\. open the file and wait\./g)?.length ?? 0;
    expect(bodies(await tools.a!.execute())).toBeGreaterThan(bodies(await tools.b!.execute()));
  });

  it.each([
    ['*', 'anything', true],
    ['search', 'search', true],
    ['search', 'search_2', false],
    ['s?arch*', 'search_all', true],
    ['*_all', 'search_all_all', true],
    ['*_all', 'search_all_', false],
    ['a*b*c', 'a_b_b_c', true],
    ['a*b*c', 'a_c', false],
    ['github.search', 'githubXsearch', false],
    ['', 'x', false],
    ['a'.repeat(30), 'a'.repeat(30), true],
    [`${'*a'.repeat(20)}*b`, 'a'.repeat(60), false],
  ])('%j on %j: %s', (pattern, name, matches) => {
    const { tools } = shrinkfitTools<Record<string, object>>({ [name]: tool }, { shrinkfit: 2000, perTool: { [pattern]: { skip: true } } });
    expect(tools[name] === tool).toBe(matches);
  });
});

describe('relevance', () => {
  it('adds words that say what the agent is after', async () => {
    const seen: unknown[] = [];
    const relevance = (call: { tool: string; input: unknown }) => {
      seen.push(call);
      return 'needle-4711';
    };
    const lines = Array.from({ length: 2000 }, (_, n) => (n === 1234 ? 'the needle-4711 is here' : `straw number ${n} of the stack`));
    const map = { find: { execute: async (_input: { q: string }) => lines.join('\n') } };
    const { tools } = shrinkfitTools(map, { shrinkfit: 1000, relevance });
    expect(await tools.find.execute({ q: 'stack' })).toContain('the needle-4711 is here');
    expect(seen).toEqual([{ tool: 'find', input: { q: 'stack' } }]);
  });

  it('that fails costs no result, and becomes a warning', async () => {
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    const { tools } = shrinkfitTools(
      { probe: tool },
      {
        shrinkfit: 1000,
        relevance: () => {
          throw new Error('no such task');
        },
      },
    );
    expect(noticeOf(await tools.probe.execute()).complete).toBe(false);
    expect((await warned).message).toBe('relevance failed: no such task');
  });
});
