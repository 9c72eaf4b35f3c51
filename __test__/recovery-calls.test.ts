import { Bash } from 'just-bash';
import { describe, expect, it } from 'vitest';
import {
  type ShrinkfitOptions,
  compressTools,
  shrinkfitTools,
  transformToolsForCodeMode,
  transformToolsForJustBash,
} from '../host/index.ts';
import { charsOf, noticeOf } from './support/notice.ts';
import { issues } from './support/samples.ts';

// A notice names the call that its reader can make: each surface has a form of its own.

const ID = '[\\da-f]{8}-[\\da-f-]{27}';
const tools = {
  list: { inputSchema: {}, execute: async (): Promise<unknown> => issues(300) },
  lines: { inputSchema: {}, execute: async (): Promise<unknown> => 'a line\n'.repeat(3000) },
  odd: { inputSchema: {}, execute: async (): Promise<unknown> => ({ 'it\'s \\ "q"': 'x'.repeat(9000) }) },
};
type Tool = keyof typeof tools;

/** What a reader gets of a tool's result. */
interface Surface {
  call: (tool: Tool) => Promise<string>;
  close?: () => unknown;
}

async function exec(code: { bridgeUrl: string; token: string }, tool: string): Promise<string> {
  const response = await fetch(`${code.bridgeUrl}/exec`, {
    method: 'POST',
    headers: { authorization: `Bearer ${code.token}` },
    body: JSON.stringify({ tool, input: {} }),
  });
  const { result, error } = (await response.json()) as { result?: string; error?: string };
  if (result === undefined) throw new Error(error);
  return result;
}

const code = (language: 'typescript' | 'python') => async (options: ShrinkfitOptions) => {
  const opened = await transformToolsForCodeMode(tools, { serverName: 'shop', language, ...options });
  return { call: (tool: Tool) => exec(opened, tool), close: opened.close };
};

const SURFACES: Record<string, (options: ShrinkfitOptions) => Promise<Surface>> = {
  'a map': async (options) => {
    const fitted = shrinkfitTools(tools, options);
    return {
      call: async (tool) => String(await (fitted.tools[tool] as { execute: () => Promise<unknown> }).execute()),
      close: fitted.close,
    };
  },
  invoke_tool: async (options) => {
    const { invoke_tool } = compressTools(tools, { namePrefix: '', ...options });
    return { call: async (tool) => String(await invoke_tool.execute({ tool_name: tool })) };
  },
  'a command': async (options) => {
    const bash = new Bash();
    const { close } = transformToolsForJustBash(tools, { bash, serverName: 'shop', ...options });
    const call = async (tool: Tool) => {
      const { stdout, stderr } = await bash.exec(`shop ${tool}`);
      if (stderr !== '') throw new Error(stderr);
      return stdout;
    };
    return { call, close };
  },
  TypeScript: code('typescript'),
  Python: code('python'),
};

const CALLS: Record<string, { path: RegExp; lines: RegExp; page: RegExp }> = {
  'a map': {
    path: new RegExp(`compressor_recover_response\\(\\{"response_id":"${ID}","path":"/issues/[^"]+"\\}\\)`),
    lines: new RegExp(`compressor_recover_response\\(\\{"response_id":"${ID}","lines":"\\d+-\\d+"\\}\\)`),
    page: /The next page: compressor_recover_response with response_id and cursor\./,
  },
  invoke_tool: {
    path: new RegExp(
      `invoke_tool\\(\\{"tool_name":"compressor_recover_response","tool_input":\\{"response_id":"${ID}","path":"/issues/[^"]+"\\}\\}\\)`,
    ),
    lines: new RegExp(
      `invoke_tool\\(\\{"tool_name":"compressor_recover_response","tool_input":\\{"response_id":"${ID}","lines":"\\d+-\\d+"\\}\\}\\)`,
    ),
    page: /The next page: invoke_tool of compressor_recover_response with response_id and cursor\./,
  },
  'a command': {
    path: new RegExp(`shop compressor-recover-response --response-id ${ID} --path \\S+ \\(or`),
    lines: new RegExp(`shop compressor-recover-response --response-id ${ID} --lines \\d+-\\d+ \\(or`),
    page: /The next page: shop compressor-recover-response --response-id … --cursor …\./,
  },
  TypeScript: {
    path: new RegExp(`compressorRecoverResponse\\("${ID}", \\{ path: "/issues/[^"]+" \\}\\)`),
    lines: new RegExp(`compressorRecoverResponse\\("${ID}", \\{ lines: "\\d+-\\d+" \\}\\)`),
    page: /The next page: compressorRecoverResponse\(response_id, \{ cursor \}\)\./,
  },
  Python: {
    path: new RegExp(`compressor_recover_response\\(response_id="${ID}", path="/issues/[^"]+"\\)`),
    lines: new RegExp(`compressor_recover_response\\(response_id="${ID}", lines="\\d+-\\d+"\\)`),
    page: /The next page: compressor_recover_response\(response_id, cursor=…\)\./,
  },
};

describe.each(Object.keys(SURFACES))('a preview through %s', (name) => {
  const open = async (options: ShrinkfitOptions) => SURFACES[name]!(options);

  it('names the call that reads the missing part there', async () => {
    const { call, close } = await open({ shrinkfit: 8000 });
    expect(noticeOf(await call('list')).message).toMatch(CALLS[name]!.path);
    expect(noticeOf(await call('lines')).message).toMatch(CALLS[name]!.lines);
    await close?.();
  });

  it('names the call that reads the next page there', async () => {
    const { call, close } = await open({ shrinkfit: 4000, mode: 'page' });
    const { page } = JSON.parse(await call('list')) as { page: { note: string } };
    expect(page.note).toMatch(CALLS[name]!.page);
    await close?.();
  });

  it('is never over the budget, by a character', async () => {
    for (let budget = 400; budget < 2200; budget += 37) {
      const { call, close } = await open({ shrinkfit: budget });
      for (const tool of ['list', 'lines', 'odd'] as const) {
        const preview = await call(tool);
        expect(charsOf(preview), `${tool} in ${budget}`).toBeLessThanOrEqual(budget);
        expect(noticeOf(preview).message).toContain('ecover');
      }
      await close?.();
    }
  }, 60_000);
});

describe('a command of a tool with odd paths', () => {
  it('has an example that a shell reads as it is meant', async () => {
    const bash = new Bash();
    const { close } = transformToolsForJustBash(tools, { bash, serverName: 'shop', shrinkfit: 2000 });
    const { message } = noticeOf((await bash.exec('shop odd')).stdout);
    // Neither a quote nor a backslash stands in it, so the words for a search do.
    const example = /just that: (shop .*) \(or/.exec(message)![1]!;
    expect(example).toMatch(/--search '…'$/);
    expect((await bash.exec(example)).exitCode).toBe(0);
    close();
  });
});
