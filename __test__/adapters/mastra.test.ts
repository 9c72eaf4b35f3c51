import { Agent } from '@mastra/core/agent';
import { Tool, createTool } from '@mastra/core/tools';
import { MockLanguageModelV3 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { shrinkfitTools as shrinkfitMastra, toMastraTools } from '../../host/adapters/mastra.ts';
import { shrinkfitTools } from '../../host/index.ts';
import { charsOf, idOf } from '../support/notice.ts';
import { log } from '../support/samples.ts';

const BUDGET = 2000;
const long = log(300);
const search = createTool({
  id: 'search',
  description: 'Searches.',
  inputSchema: z.object({ q: z.string() }),
  execute: async ({ q }) => `${q}\n${long}`,
});

/** Runs an agent whose model searches, then recovers; gives what the model was shown of both. */
async function loop(tools: object) {
  const shown: string[][] = [];
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const results = prompt.flatMap(({ role, content }) =>
        role === 'tool'
          ? content.flatMap((part) => (part.type === 'tool-result' ? [String((part.output as { value: unknown }).value)] : []))
          : [],
      );
      shown.push(results);
      const step = next(results);
      const content = step
        ? { type: 'tool-call', toolCallId: `call-${shown.length}`, toolName: step.name, input: JSON.stringify(step.args) }
        : { type: 'text', text: 'done' };
      const reason = step ? 'tool-calls' : 'stop';
      return { content: [content], finishReason: { unified: reason, raw: reason }, usage, warnings: [] } as never;
    },
  });
  const agent = new Agent({ id: 'support', name: 'Support', instructions: 'Help.', model: model, tools: tools as never });
  const result = await agent.generate('find it', { maxSteps: 5 });
  expect(result.text).toBe('done');
  return shown.at(-1)!;
}

function next([preview, original]: string[]): { name: string; args: object } | undefined {
  if (preview === undefined) return { name: 'search', args: { q: 'crash' } };
  if (original === undefined) return { name: 'compressor_recover_response', args: { response_id: idOf(preview) } };
  return undefined;
}

describe('Mastra', () => {
  it.each([
    ['of snugfit', shrinkfitTools],
    ['of snugfit/mastra', shrinkfitMastra],
  ])('a model calls a tool, sees the preview, calls the recovery tool and gets the original: shrinkfitTools %s', async (_, shrinkfit) => {
    const { tools } = shrinkfit({ search }, { shrinkfit: BUDGET });
    const [preview, original] = await loop(tools);
    expect(charsOf(preview!)).toBeLessThanOrEqual(BUDGET);
    expect(original).toBe(`crash\n${long}`);
  });

  it('tools stay instances of its class, with their schemas', () => {
    const { tools } = shrinkfitMastra({ search }, { shrinkfit: BUDGET });
    expect(tools.search).toBeInstanceOf(Tool);
    expect(tools.search.inputSchema).toBe(search.inputSchema);
    expect(tools.compressor_recover_response.id).toBe('compressor_recover_response');
    expect(() => shrinkfitMastra(tools, { shrinkfit: BUDGET })).toThrow(expect.objectContaining({ code: 'ALREADY_WRAPPED' }));
  });

  it('answers to bad input pass as they are', async () => {
    const { tools } = shrinkfitTools({ search }, { shrinkfit: 20 });
    expect(await tools.search.execute!({ q: 7 } as never, {} as never)).toMatchObject({
      error: true,
      validationErrors: expect.anything() as object,
    });
  });

  it('bare tools with JSON Schema become tools of its class, the recovery tool included', async () => {
    const inputSchema = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] };
    const map = { search: { description: 'Searches.', inputSchema, execute: async ({ q }: { q: string }) => `${q}\n${long}` } };
    const { tools } = shrinkfitTools(map, { shrinkfit: BUDGET });
    const [preview, original] = await loop(toMastraTools(tools));
    expect(charsOf(preview!)).toBeLessThanOrEqual(BUDGET);
    expect(original).toBe(`crash\n${long}`);
  });
});
