import * as ai6 from 'ai';
import * as test6 from 'ai/test';
import * as ai5 from 'ai-v5';
import * as test5 from 'ai-v5/test';
import * as ai7 from 'ai-v7';
import * as test7 from 'ai-v7/test';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toAISDKTools } from '../../host/adapters/ai.ts';
import { shrinkfitTools } from '../../host/index.ts';
import { charsOf, idOf } from '../support/notice.ts';
import { log } from '../support/samples.ts';

const BUDGET = 2000;
const long = log(300);

/** As much of the SDK as all versions have alike. */
type Sdk = Pick<typeof ai6, 'generateText' | 'streamText' | 'tool' | 'dynamicTool' | 'jsonSchema' | 'stepCountIs'>;
type Step = { name: string; args: object } | string;

/** What a model is shown of tool results, and what it asks for next. */
type Script = (outputs: { type: string; value: unknown }[]) => Step;

interface Prompt {
  prompt: { role: string; content: string | { type: string; output?: { type: string; value: unknown } }[] }[];
}

const VERSIONS: [string, Sdk, new (settings: never) => unknown, boolean][] = [
  ['5', ai5 as unknown as Sdk, test5.MockLanguageModelV2, false],
  ['6', ai6, test6.MockLanguageModelV3, true],
  ['7', ai7 as unknown as Sdk, test7.MockLanguageModelV4, true],
];

describe.each(VERSIONS)('AI SDK %s', (_, sdk, MockModel, newUsage) => {
  const { generateText, streamText, tool, dynamicTool, jsonSchema, stepCountIs } = sdk;
  const stopWhen = stepCountIs(5) as never;
  const search = tool({ description: 'Searches.', inputSchema: z.object({ q: z.string() }), execute: async ({ q }) => `${q}\n${long}` });

  /** A model that follows a script, and all that it was shown. */
  function model(script: Script) {
    const shown: { type: string; value: unknown }[][] = [];
    const usage = newUsage
      ? { inputTokens: { total: 1, noCache: 1 }, outputTokens: { total: 1, text: 1 } }
      : { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    const answer = ({ prompt }: Prompt) => {
      const outputs = prompt.flatMap(({ role, content }) => (role === 'tool' && typeof content !== 'string' ? content : []));
      const results = outputs.flatMap(({ type, output }) => (type === 'tool-result' && output ? [output] : []));
      shown.push(results);
      const step = script(results);
      const calls = typeof step !== 'string';
      const content = calls
        ? { type: 'tool-call' as const, toolCallId: `call-${shown.length}`, toolName: step.name, input: JSON.stringify(step.args) }
        : { type: 'text' as const, text: step };
      const reason = calls ? 'tool-calls' : 'stop';
      return { content, finishReason: newUsage ? { unified: reason, raw: reason } : reason, usage };
    };
    const mock = new MockModel({
      doGenerate: async (options: Prompt) => {
        const { content, finishReason, usage } = answer(options);
        return { content: [content], finishReason, usage, warnings: [] };
      },
      doStream: async (options: Prompt) => {
        const { content, finishReason, usage } = answer(options);
        const text = content.type === 'text' ? content.text : undefined;
        const parts = [
          { type: 'stream-start', warnings: [] },
          ...(text === undefined
            ? [content]
            : [
                { type: 'text-start', id: '1' },
                { type: 'text-delta', id: '1', delta: text },
                { type: 'text-end', id: '1' },
              ]),
          { type: 'finish', finishReason, usage },
        ];
        const start = (out: ReadableStreamDefaultController) => {
          for (const part of parts) out.enqueue(part);
          out.close();
        };
        return { stream: new ReadableStream({ start }) };
      },
    } as never);
    return { model: mock as never, shown };
  }

  const recover: Script = ([preview, original]) => {
    if (preview === undefined) return { name: 'search', args: { q: 'crash' } };
    if (original === undefined) return { name: 'compressor_recover_response', args: { response_id: idOf(preview.value as string) } };
    return 'done';
  };

  it('generateText: the model sees the preview, calls the recovery tool, and gets the original', async () => {
    const { tools } = shrinkfitTools({ search }, { shrinkfit: BUDGET });
    const { model: mock, shown } = model(recover);
    const { text } = await generateText({ model: mock, tools: tools as never, prompt: 'find it', stopWhen });
    expect(text).toBe('done');
    const [preview, original] = shown.at(-1)!;
    expect(charsOf(preview!.value as string)).toBeLessThanOrEqual(BUDGET);
    expect(original).toMatchObject({ type: 'text', value: `crash\n${long}` });
  });

  it('streamText: the same, and a streaming tool keeps its preliminary results', async () => {
    const streaming = tool({
      inputSchema: z.object({ q: z.string() }),
      async *execute({ q }: { q: string }) {
        yield { status: 'loading' };
        yield `${q}\n${long}`;
      },
    });
    const { tools } = shrinkfitTools({ search: streaming }, { shrinkfit: BUDGET });
    const { model: mock, shown } = model(recover);
    const result = streamText({ model: mock, tools: tools as never, prompt: 'find it', stopWhen });
    const outputs: { preliminary?: boolean; output: unknown }[] = [];
    for await (const part of result.fullStream) {
      if (part.type === 'tool-result') outputs.push(part);
    }
    expect(outputs[0]).toMatchObject({ preliminary: true, output: { status: 'loading' } });
    const [preview, original] = shown.at(-1)!;
    expect(charsOf(preview!.value as string)).toBeLessThanOrEqual(BUDGET);
    expect(original!.value).toBe(`crash\n${long}`);
    expect(outputs.some(({ output }) => output === preview!.value)).toBe(true);
  });

  it('target "model": the host has the whole result, the model the preview', async () => {
    const { tools } = shrinkfitTools({ search }, { shrinkfit: BUDGET, target: 'model' });
    const { model: mock, shown } = model(recover);
    const { steps } = await generateText({ model: mock, tools: tools as never, prompt: 'find it', stopWhen });
    expect((steps[0]!.toolResults[0] as { output: unknown }).output).toBe(`crash\n${long}`);
    const [preview, original] = shown.at(-1)!;
    expect(charsOf(preview!.value as string)).toBeLessThanOrEqual(BUDGET);
    expect(original!.value).toBe(`crash\n${long}`);
  });

  it('toModelOutput of a tool is given what its wrapped execute returned', async () => {
    const own = tool({
      inputSchema: z.object({ q: z.string() }),
      execute: async () => long,
      toModelOutput: (given: unknown) => {
        const output = typeof given === 'string' ? given : (given as { output: string }).output;
        return { type: 'text' as const, value: `shown: ${output}` };
      },
    });
    const { tools } = shrinkfitTools({ search: own }, { shrinkfit: BUDGET });
    const { model: mock, shown } = model(([first]) => (first === undefined ? { name: 'search', args: { q: 'x' } } : 'done'));
    await generateText({ model: mock, tools: tools as never, prompt: 'find it', stopWhen });
    const text = shown.at(-1)![0]!.value as string;
    expect(text).toMatch(/^shown: /);
    expect(charsOf(text)).toBeLessThanOrEqual(BUDGET + 'shown: '.length);
  });

  it('approval, dynamic, client and provider tools stay what they are', async () => {
    const provider = { type: newUsage ? 'provider' : 'provider-defined', id: 'openai.web_search', name: 'web_search', args: {} };
    const client = tool({ inputSchema: z.object({ id: z.string() }) });
    const dynamic = dynamicTool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => long });
    const careful = { ...search, needsApproval: true };
    const { tools } = shrinkfitTools({ provider, client, dynamic, careful }, { shrinkfit: BUDGET });
    expect(tools.provider).toBe(provider);
    expect(tools.client).toBe(client);
    expect(tools.dynamic.type).toBe('dynamic');
    expect(tools.careful.needsApproval).toBe(true);
    const { model: mock, shown } = model(([first]) => (first === undefined ? { name: 'dynamic', args: {} } : 'done'));
    await generateText({ model: mock, tools: { dynamic: tools.dynamic } as never, prompt: 'find it', stopWhen });
    expect(charsOf(shown.at(-1)![0]!.value as string)).toBeLessThanOrEqual(BUDGET);
    if (!newUsage) return;
    const asked = model(([first]) => (first === undefined ? { name: 'careful', args: { q: 'x' } } : 'done'));
    const { content } = await generateText({ model: asked.model, tools: { careful: tools.careful } as never, prompt: 'find it', stopWhen });
    expect(content.map(({ type }) => type)).toContain('tool-approval-request');
    expect(asked.shown).toHaveLength(1);
  });

  it.each([
    ['before', (map: object) => toAISDKTools(shrinkfitTools(map, { shrinkfit: BUDGET }).tools)],
    ['after', (map: object) => shrinkfitTools(toAISDKTools(map), { shrinkfit: BUDGET }).tools],
    ['for the model, before', (map: object) => toAISDKTools(shrinkfitTools(map, { shrinkfit: BUDGET, target: 'model' }).tools)],
    ['for the model, after', (map: object) => shrinkfitTools(toAISDKTools(map), { shrinkfit: BUDGET, target: 'model' }).tools],
  ])('a model is not shown what the structured content of an MCP result repeats: fitted %s', async (_, wrapped) => {
    const execute = async () => ({ content: [{ type: 'text', text: long }], structuredContent: { content: long } });
    const map = { read: { description: 'Reads.', inputSchema: { type: 'object', properties: {} }, execute } };
    const { model: mock, shown } = model(([first]) => (first === undefined ? { name: 'read', args: {} } : 'done'));
    await generateText({ model: mock, tools: wrapped(map) as never, prompt: 'read it', stopWhen });
    const output = JSON.stringify(shown.at(-1)![0]!.value);
    expect(output).toContain('response_id');
    // The form of JSON around it, and escapes.
    expect(charsOf(output)).toBeLessThan(BUDGET * 1.2);
  });

  it('a model is shown the content of an MCP result in parts, images as images', async () => {
    const content = [
      { type: 'text', text: 'a map' },
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'file:///a', name: 'a' },
    ];
    const map = { look: { inputSchema: { type: 'object', properties: {} }, execute: async () => ({ content }) } };
    const { model: mock, shown } = model(([first]) => (first === undefined ? { name: 'look', args: {} } : 'done'));
    const { tools } = shrinkfitTools(map, { shrinkfit: BUDGET });
    await generateText({ model: mock, tools: toAISDKTools(tools) as never, prompt: 'look', stopWhen });
    const { type, value } = shown.at(-1)![0]!;
    expect(type).toBe('content');
    const [text, image, link] = value as [unknown, object, { text: string }];
    expect(text).toMatchObject({ type: 'text', text: 'a map' });
    expect(JSON.stringify(image)).toContain('iVBORw0KGgo=');
    expect(JSON.parse(link.text)).toEqual(content[2]);
  });

  it('bare tools with JSON Schema become tools of the SDK, the recovery tool included', async () => {
    const inputSchema = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] };
    const map = { search: { description: 'Searches.', inputSchema, execute: async ({ q }: { q: string }) => `${q}\n${long}` } };
    const { tools } = shrinkfitTools(map, { shrinkfit: BUDGET });
    for (const options of [{}, { tool: tool as never }]) {
      const { model: mock, shown } = model(recover);
      await generateText({ model: mock, tools: toAISDKTools(tools, options) as never, prompt: 'find it', stopWhen });
      expect(shown.at(-1)![1]!.value).toBe(`crash\n${long}`);
    }
  });
});
