import type { StructuredToolInterface } from '@langchain/core/tools';
import { tool as langChainTool } from '@langchain/core/tools';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { Client as Client2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { McpServer as Server1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as Server2 } from '@modelcontextprotocol/server';
import { Agent as OpenAIAgent, type FunctionTool, tool as openAITool } from '@openai/agents';
import { generateText, streamText, tool as aiTool, type ToolSet } from 'ai';
import { generateText as generateText7, tool as ai7Tool } from 'ai-v7';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { toAISDKTools } from '../../host/adapters/ai.ts';
import { shrinkfitTools as shrinkfitLangChain, toLangChainTools } from '../../host/adapters/langchain.ts';
import { shrinkfitTools as shrinkfitMastra, toMastraTools } from '../../host/adapters/mastra.ts';
import { type McpResult, fromMcpClient, paginateTool } from '../../host/adapters/mcp.ts';
import { shrinkfitTools as shrinkfitOpenAI, toOpenAIAgentsTools } from '../../host/adapters/openai-agents.ts';
import { type RecoveryTool, compressTools, shrinkfitTools } from '../../host/index.ts';

const BUDGET = { shrinkfit: 6000 } as const;
const inputSchema = z.object({ q: z.string() });
const bare = { search: { description: 'Searches.', inputSchema, execute: async ({ q }: { q: string }) => q } };

/** What is in here is compiled, not run: that no line needs a cast is the test. */
const compiled = (_: () => unknown) => undefined;

// The compiler checks these (`npm run check:types`); running them adds nothing but that they run.
describe('types of maps', () => {
  it('of the AI SDK 6 and 7', () => {
    const { tools } = shrinkfitTools({ search: aiTool({ inputSchema, execute: async ({ q }) => ({ found: q }) }) }, BUDGET);
    expectTypeOf(tools).toExtend<ToolSet>();
    expectTypeOf<keyof typeof tools>().toEqualTypeOf<'search' | 'compressor_recover_response'>();
    expectTypeOf(tools.search.inputSchema).toEqualTypeOf(aiTool({ inputSchema, execute: async ({ q }) => ({ found: q }) }).inputSchema);
    expectTypeOf(tools.compressor_recover_response).toEqualTypeOf<RecoveryTool>();
    compiled(() => generateText({ model: 'a/b', tools, prompt: '', prepareStep: () => ({ activeTools: ['search'] }) }));
    compiled(() => streamText({ model: 'a/b', tools: toAISDKTools(shrinkfitTools(bare, BUDGET).tools), prompt: '' }));
    compiled(() => generateText({ model: 'a/b', tools: compressTools(bare, BUDGET), prompt: '' }));
    const seven = shrinkfitTools({ search: ai7Tool({ inputSchema, execute: async ({ q }) => ({ found: q }) }) }, BUDGET);
    compiled(() => generateText7({ model: 'a/b', tools: seven.tools, prompt: '' }));
  });

  it('of Mastra', () => {
    const search = createTool({ id: 'search', description: 'Searches.', inputSchema, execute: async ({ q }) => ({ found: q }) });
    const { tools } = shrinkfitMastra({ search }, BUDGET);
    expectTypeOf(tools.search).toEqualTypeOf(search);
    expectTypeOf<keyof typeof tools>().toEqualTypeOf<'search' | 'compressor_recover_response'>();
    const agent = { id: 'support', name: 'Support', instructions: 'Help.', model: 'openai/gpt-5' } as const;
    compiled(() => new MastraAgent({ ...agent, tools }));
    const made = toMastraTools(shrinkfitTools(bare, BUDGET).tools);
    expectTypeOf<keyof typeof made>().toEqualTypeOf<'search' | 'compressor_recover_response'>();
    compiled(() => new MastraAgent({ ...agent, tools: made }));
  });

  it('of MCP clients and servers, version 1 and 2', () => {
    compiled(async () => {
      const one = await fromMcpClient(new Client1({ name: 'one', version: '1' }));
      const two = await fromMcpClient(new Client2({ name: 'two', version: '1' }));
      const { tools } = shrinkfitTools({ ...one, ...two }, BUDGET);
      expectTypeOf(tools.compressor_recover_response).toEqualTypeOf<RecoveryTool>();
      expectTypeOf(tools.any!.execute).returns.resolves.toEqualTypeOf<McpResult>();
      await generateText({ model: 'a/b', tools: toAISDKTools(tools), prompt: '' });
    });
    const config = { description: 'Lists runs.', inputSchema: { state: z.string() } };
    compiled(() =>
      new Server1({ name: 'one', version: '1' }).registerTool('runs', ...paginateTool(config, ({ state }: { state: string }) => [state])),
    );
    const config2 = { description: 'Lists runs.', inputSchema: z.object({ state: z.string() }) };
    compiled(() =>
      new Server2({ name: 'two', version: '1' }).registerTool('runs', ...paginateTool(config2, ({ state }: { state: string }) => [state])),
    );
  });

  it('of LangChain, in arrays', () => {
    const search = langChainTool(async ({ q }) => q, { name: 'search', description: 'Searches.', schema: inputSchema });
    const { tools } = shrinkfitLangChain([search], BUDGET);
    expectTypeOf(tools[0]).toEqualTypeOf(search);
    const forModel: StructuredToolInterface[] = tools;
    const made: StructuredToolInterface[] = toLangChainTools(shrinkfitTools(bare, BUDGET).tools);
    expectTypeOf([forModel, made]).toExtend<StructuredToolInterface[][]>();
  });

  it('of OpenAI Agents, in arrays', () => {
    const search = openAITool({ name: 'search', description: 'Searches.', parameters: inputSchema, execute: async ({ q }) => q });
    const { tools } = shrinkfitOpenAI([search], BUDGET);
    expectTypeOf(tools[0]).toEqualTypeOf(search);
    expectTypeOf(tools[1]).toExtend<FunctionTool>();
    compiled(() => new OpenAIAgent({ name: 'Support', tools: [...tools] }));
    compiled(() => new OpenAIAgent({ name: 'Support', tools: toOpenAIAgentsTools(shrinkfitTools(bare, BUDGET).tools) }));
  });
});
