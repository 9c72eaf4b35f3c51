import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { DynamicStructuredTool, StructuredTool, tool } from '@langchain/core/tools';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { shrinkfitTools, toLangChainTools } from '../../host/adapters/langchain.ts';
import { createTurnBudget, shrinkfitTools as shrinkfitMap } from '../../host/index.ts';
import { failureOf } from '../support/errors.ts';
import { charsOf, idOf } from '../support/notice.ts';
import { issues, log } from '../support/samples.ts';

const BUDGET = 2000;
const long = log(300);
const schema = z.object({ q: z.string() });
const search = tool(async ({ q }) => `${q}\n${long}`, { name: 'search', description: 'Searches.', schema });

function wrap(tools: Parameters<typeof shrinkfitTools>[0], options = {}) {
  return shrinkfitTools(tools, { shrinkfit: BUDGET, ...options });
}

/** What a model gets that calls a tool, as LangGraph's tool node calls it. */
async function call(given: { invoke: (input: never) => Promise<unknown> }, args: object): Promise<ToolMessage> {
  return (await given.invoke({ type: 'tool_call', id: 'call-1', name: 'x', args } as never)) as ToolMessage;
}

describe('LangChain', () => {
  it('a model calls a tool, sees the preview, calls the recovery tool and gets the original', async () => {
    const { tools } = wrap([search]);
    const messages: (AIMessage | ToolMessage)[] = [];
    const run = async (name: string, args: object) => {
      const [request] = new AIMessage({ content: '', tool_calls: [{ id: 'call-1', name, args }] }).tool_calls!;
      const message = await call(
        tools.find((one) => one.name === request!.name)!,
        request!.args,
      );
      messages.push(message);
      return message.content as string;
    };
    const preview = await run('search', { q: 'crash' });
    expect(charsOf(preview)).toBeLessThanOrEqual(BUDGET);
    expect(await run('compressor_recover_response', { response_id: idOf(preview) })).toBe(`crash\n${long}`);
    expect(messages.every((message) => message.type === 'tool')).toBe(true);
  });

  it('keeps instances what they are: class, fields, name, schema', () => {
    const [wrapped] = wrap([search]).tools;
    expect(wrapped).toBeInstanceOf(DynamicStructuredTool);
    expect(wrapped.name).toBe('search');
    expect(wrapped.schema).toBe(search.schema);
    expect(wrapped).not.toBe(search);
  });

  it('wraps classes of one’s own, private fields and all', async () => {
    class Counter extends StructuredTool {
      name = 'counter';
      description = 'Counts.';
      schema = schema;
      #calls = 0;
      protected async _call({ q }: { q: string }) {
        this.#calls++;
        return `${this.#calls} ${q} ${long}`;
      }
    }
    const { tools } = wrap([new Counter()]);
    expect((await tools[0].invoke({ q: 'a' })) as string).toMatch(/^1 a /);
    const second = (await tools[0].invoke({ q: 'b' })) as string;
    expect(second).toMatch(/^2 b /);
    expect(charsOf(second)).toBeLessThanOrEqual(BUDGET);
  });

  it('fits the content and leaves the artifact', async () => {
    const artifact = issues(200);
    const both = tool(async () => [long, artifact], { name: 'both', schema, responseFormat: 'content_and_artifact' });
    const message = await call(wrap([both]).tools[0], { q: 'x' });
    expect(charsOf(message.content as string)).toBeLessThanOrEqual(BUDGET);
    expect(message.artifact).toBe(artifact);
  });

  it('fits the texts of content blocks, and leaves them alone beside images', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const of = (content: object[]) => tool(async () => content as never, { name: 'blocks', schema });
    const fitted = (await call(wrap([of([{ type: 'text', text: long }])]).tools[0], { q: 'x' })).content as { text: string }[];
    expect(fitted.reduce((sum, { text }) => sum + charsOf(text), 0)).toBeLessThanOrEqual(BUDGET);
    const mixed = [{ type: 'text', text: long }, image];
    expect((await call(wrap([of(mixed)]).tools[0], { q: 'x' })).content).toEqual(mixed);
  });

  it('fits a message that a tool answers with', async () => {
    const answer = tool(async () => new ToolMessage({ content: long, tool_call_id: 'call-1', artifact: 7 }), { name: 'answer', schema });
    const message = await call(wrap([answer]).tools[0], { q: 'x' });
    expect(message).toBeInstanceOf(ToolMessage);
    expect(charsOf(message.content as string)).toBeLessThanOrEqual(BUDGET);
    expect(message.artifact).toBe(7);
  });

  it('leaves what a streaming tool yields alone and fits what it returns', async () => {
    const events: unknown[] = [];
    const streaming = tool(
      async function* () {
        yield { progress: 0.5 };
        return long;
      },
      { name: 'streaming', schema },
    );
    const [wrapped] = wrap([streaming as never]).tools;
    const callbacks = [{ handleToolEvent: (chunk: unknown) => void events.push(chunk) }];
    const result = (await wrapped.invoke({ q: 'x' }, { callbacks } as never)) as string;
    expect(charsOf(result)).toBeLessThanOrEqual(BUDGET);
    expect(events).toEqual([{ progress: 0.5 }]);
  });

  it('holds the allowance of a turn for what streaming tools return, whether they call others or fail', async () => {
    const turnBudget = createTurnBudget({ chars: 6000, waitMs: 2_000_000 });
    const options = { shrinkfit: 100_000, errors: 'fit' as const, turnBudget };
    const plain = tool(async () => long, { name: 'plain', schema });
    const [inner] = wrap([plain], options).tools;
    const streaming = (name: string, last: () => unknown) =>
      tool(
        async function* () {
          yield { progress: 0.5 };
          return (await last()) as string;
        },
        { name, schema },
      ) as never;
    const { tools } = wrap(
      [
        streaming('long', () => long),
        streaming('calls', async () => `${charsOf((await inner.invoke({ q: 'x' })) as string)} ${long}`),
        streaming('fails', () => Promise.reject(new Error(long))),
      ],
      options,
    );
    const texts = await Promise.all(
      [inner, ...tools.slice(0, 3)].map((one) =>
        (one.invoke({ q: 'x' } as never) as Promise<string>).catch((thrown: unknown) => (thrown as Error).message),
      ),
    );
    const sizes = texts.map(charsOf);
    for (const size of sizes) expect(size).toBeGreaterThan(350);
    const inside = Number.parseInt(texts[2]!);
    expect(inside).toBeGreaterThanOrEqual(350);
    expect(inside + sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(6000);
  });

  it('ends a streaming tool that nobody reads on, and hands it what is thrown in', async () => {
    const seen: unknown[] = [];
    const streaming = tool(
      async function* () {
        try {
          yield 1;
          yield 2;
        } catch (thrown) {
          seen.push(thrown);
        } finally {
          seen.push('over');
        }
        return 'end';
      },
      { name: 'streaming', schema },
    );
    const { tools } = wrap([streaming as never], { turnBudget: createTurnBudget({ chars: 6000 }) });
    const start = async () => {
      const stream = (await (tools[0] as unknown as { _call: (input: object) => unknown })._call({ q: 'x' })) as AsyncGenerator;
      await stream.next();
      return stream;
    };
    expect(await (await start()).return(5)).toEqual({ done: true, value: 5 });
    expect(await (await start()).throw('thrown in')).toEqual({ done: true, value: 'end' });
    expect(seen).toEqual(['over', 'thrown in', 'over']);
  });

  it('passes errors on, and fits nothing for a call that was aborted', async () => {
    const fault = new Error(long);
    const failing = tool(
      async () => {
        throw fault;
      },
      { name: 'failing', schema },
    );
    await expect(wrap([failing]).tools[0].invoke({ q: 'x' })).rejects.toBe(fault);
    const short: unknown = await wrap([failing], { errors: 'fit' })
      .tools[0].invoke({ q: 'x' })
      .catch((thrown: unknown) => thrown as Error);
    expect(charsOf((short as Error).message)).toBeLessThanOrEqual(BUDGET);
    const signal = AbortSignal.abort();
    await expect(wrap([search]).tools[0].invoke({ q: 'x' }, { signal })).rejects.toThrow();
  });

  it('takes a free name, keeps arrays apart, and refuses to wrap twice', async () => {
    const taken = tool(async () => '', { name: 'compressor_recover_response', schema });
    const { tools } = wrap([taken]);
    expect(tools.map(({ name }) => name)).toEqual(['compressor_recover_response', 'compressor_recover_response_2']);
    expect(await failureOf(() => wrap(wrap([search]).tools))).toMatchObject({ code: 'ALREADY_WRAPPED' });
    expect(await failureOf(() => shrinkfitTools({} as never, { shrinkfit: 9 }))).toMatchObject({ code: 'INVALID_TOOLS' });
    expect(shrinkfitTools([search]).tools).toEqual([search]);
  });

  it('makes tools of a map, its recovery tool included', async () => {
    const inputSchema = { type: 'object', properties: { n: { type: 'number' } } };
    const map = {
      bare: {
        description: 'Bare.',
        inputSchema,
        execute: async ({ n }: { n: number }) => ({ content: [{ type: 'text', text: `${n} ${long}` }] }),
      },
    };
    const tools = toLangChainTools(shrinkfitMap(map, { shrinkfit: BUDGET }).tools);
    expect(tools.map(({ name }) => name)).toEqual(['bare', 'compressor_recover_response']);
    const preview = (await call(tools[0]!, { n: 7 })).content as string;
    expect(charsOf(preview)).toBeLessThanOrEqual(BUDGET + 2);
    expect((await call(tools[1]!, { response_id: idOf(preview) })).content).toBe(
      JSON.stringify({ content: [{ type: 'text', text: `7 ${long}` }] }),
    );
    const again = shrinkfitTools(tools, { shrinkfit: BUDGET, store: false }).tools;
    expect(again[1]).toBe(tools[1]);
  });

  it('has types that keep the array’s own', () => {
    const { tools } = shrinkfitTools([search], { shrinkfit: BUDGET });
    expectTypeOf(tools[0]).toEqualTypeOf<typeof search>();
    expectTypeOf(tools[1]).toEqualTypeOf<DynamicStructuredTool>();
  });
});
