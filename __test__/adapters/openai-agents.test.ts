import { Agent, type FunctionTool, type Model, type ModelRequest, type ModelResponse, Runner, tool, Usage } from '@openai/agents';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { shrinkfitTools, toOpenAIAgentsTools } from '../../host/adapters/openai-agents.ts';
import { shrinkfitTools as shrinkfitMap } from '../../host/index.ts';
import { failureOf } from '../support/errors.ts';
import { charsOf, idOf } from '../support/notice.ts';
import { log } from '../support/samples.ts';

const BUDGET = 2000;
const long = log(300);
const search = tool({
  name: 'search',
  description: 'Searches.',
  parameters: z.object({ q: z.string() }),
  execute: async ({ q }) => `${q}\n${long}`,
});

/** A model that calls what `next` says for what it has seen, and ends with `done`. */
function script(next: (outputs: string[]) => { name: string; args: object } | undefined) {
  const seen: string[][] = [];
  const model: Model = {
    async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
      const outputs = (input as { type?: string; output?: { text?: string } | string }[])
        .filter(({ type }) => type === 'function_call_result')
        .map(({ output }) => (typeof output === 'string' ? output : (output?.text ?? '')));
      seen.push(outputs);
      const call = next(outputs);
      const output = call
        ? {
            type: 'function_call',
            callId: `call-${seen.length}`,
            name: call.name,
            arguments: JSON.stringify(call.args),
            status: 'completed',
          }
        : { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] };
      return { usage: new Usage(), output: [output] as ModelResponse['output'] };
    },
    getStreamedResponse() {
      throw new Error('not here');
    },
  };
  return { model, seen };
}

const runner = (model: Model) => new Runner({ modelProvider: { getModel: () => model }, tracingDisabled: true });

describe('OpenAI Agents', () => {
  it('a model calls a tool, sees the preview, calls the recovery tool and gets the original', async () => {
    const { tools } = shrinkfitTools([search], { shrinkfit: BUDGET });
    const { model, seen } = script(([preview, original]) => {
      if (preview === undefined) return { name: 'search', args: { q: 'crash' } };
      if (original === undefined) return { name: 'compressor_recover_response', args: { response_id: idOf(preview) } };
      return undefined;
    });
    const result = await runner(model).run(new Agent({ name: 'Support', tools: [...tools] }), 'find it');
    expect(result.finalOutput).toBe('done');
    const [preview, original] = seen.at(-1)!;
    expect(charsOf(preview!)).toBeLessThanOrEqual(BUDGET);
    expect(original).toBe(`crash\n${long}`);
  });

  it('keeps approval: the call is interrupted, and fitted once it is approved', async () => {
    const careful = tool({
      name: 'careful',
      description: '',
      parameters: z.object({ q: z.string() }),
      needsApproval: async (_context, { q }) => q === 'danger',
      execute: async () => long,
    });
    const { tools } = shrinkfitTools([careful], { shrinkfit: BUDGET });
    const { model, seen } = script(([preview]) => (preview === undefined ? { name: 'careful', args: { q: 'danger' } } : undefined));
    const agent = new Agent({ name: 'Support', tools: [...tools] });
    const first = await runner(model).run(agent, 'go');
    expect(first.interruptions).toHaveLength(1);
    first.state.approve(first.interruptions[0]!);
    await runner(model).run(agent, first.state);
    expect(charsOf(seen.at(-1)![0]!)).toBeLessThanOrEqual(BUDGET);
  });

  it('keeps every field of a tool, and lets tools that run elsewhere pass', () => {
    const hosted = { type: 'hosted_tool', name: 'web_search', providerData: {} } as never as FunctionTool;
    const { tools } = shrinkfitTools([search, hosted], { shrinkfit: BUDGET });
    expect(tools[1]).toBe(hosted);
    const { invoke: _one, ...before } = search;
    const { invoke: _other, ...after } = tools[0];
    expect(after).toEqual(before);
  });

  it('leaves images alone', async () => {
    const image = { type: 'image', image: { data: 'iVBORw0KGgo='.repeat(900), mediaType: 'image/png' } };
    const photo = tool({ name: 'photo', description: '', parameters: z.object({}), execute: async () => image });
    const { tools } = shrinkfitTools([photo], { shrinkfit: BUDGET });
    expect(await tools[0].invoke({} as never, '{}')).toEqual(image);
  });

  it('refuses to wrap twice', async () => {
    const { tools } = shrinkfitTools([search], { shrinkfit: BUDGET });
    expect(await failureOf(() => shrinkfitTools([...tools], { shrinkfit: BUDGET }))).toMatchObject({ code: 'ALREADY_WRAPPED' });
  });

  it('makes tools of a map, its recovery tool included; failures are told to the model', async () => {
    const inputSchema = z.object({ n: z.number() });
    const map = {
      'bare.tool': {
        description: 'Bare.',
        inputSchema,
        execute: async ({ n }: { n: number }) => {
          if (n < 0) throw new Error('too small');
          return `${n} ${long}`;
        },
      },
    };
    const [bare, recovery] = toOpenAIAgentsTools(shrinkfitMap(map, { shrinkfit: BUDGET }).tools);
    expect([bare!.name, recovery!.name]).toEqual(['bare_tool', 'compressor_recover_response']);
    const run = (one: FunctionTool, input: unknown) => one.invoke({} as never, typeof input === 'string' ? input : JSON.stringify(input));
    const preview = (await run(bare!, { n: 7 })) as string;
    expect(await run(recovery!, { response_id: idOf(preview) })).toBe(`7 ${long}`);
    expect(await run(bare!, { n: -1 })).toContain('too small');
    expect(await run(bare!, { n: 'x' })).toContain('bare.tool was not run');
    expect(await run(bare!, '{')).toContain('error occurred');
  });

  it('has types that keep the array’s own', () => {
    const { tools } = shrinkfitTools([search], { shrinkfit: BUDGET });
    expectTypeOf(tools[0]).toEqualTypeOf<typeof search>();
    expectTypeOf(new Agent({ name: 'x', tools: [...tools] })).toExtend<Agent>();
  });
});
