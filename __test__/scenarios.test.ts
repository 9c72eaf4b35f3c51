import { countTokens } from 'gpt-tokenizer';
import { describe, expect, it, vi } from 'vitest';
import { fromMcpClient } from '../host/adapters/mcp.ts';
import { type FitEvent, type ShrinkfitOptions, compressTools, fit, shrinkfitTools } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { charsOf, idOf, noticeOf, partOf } from './support/notice.ts';
import { issues, log, random } from './support/samples.ts';

// What users of such software ran into, each under the report that tells of it, and what happens here instead. Scenarios of a proxy are tried
// with the proxy.

const RECOVERY = 'compressor_recover_response';
const BUDGET = 2000;
type Options = Omit<ShrinkfitOptions, 'shrinkfit'> & { shrinkfit?: ShrinkfitOptions['shrinkfit'] };
interface Envelope {
  content: { type: string; text?: string; data?: string }[];
  structuredContent?: unknown;
  isError?: boolean;
}

/** A toolset of one tool that returns what it is given. */
function open(options: Options = {}) {
  const events: FitEvent[] = [];
  const { tools, close } = shrinkfitTools(
    { probe: { execute: async (result: unknown) => result } },
    { shrinkfit: BUDGET, onFit: (event) => void events.push(event), ...options },
  );
  return {
    tools,
    close,
    events,
    run: async (result: unknown) => (await tools.probe.execute(result)) as string,
    envelope: async (result: Envelope) => (await tools.probe.execute(result)) as Envelope,
    read: (id: string, more: object = {}) => tools.compressor_recover_response!.execute({ response_id: id, ...more }),
  };
}

const text = (value: string) => ({ type: 'text', text: value });
const texts = ({ content }: Envelope) => content.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : []));
const noise = (next: () => number, length: number) => Array.from({ length }, () => Math.floor(next() * 36 ** 8).toString(36)).join(' ');

describe('limits and units', () => {
  it('codexmcp#4, rollbar#28, serena#516: a result over the host’s limit of 25,000 tokens is a preview, not a wasted call', async () => {
    const { run, read } = open({ shrinkfit: { tokens: 25_000, encoding: 'o200k_base' } });
    const result = JSON.stringify(issues(5000));
    const preview = await run(result);
    expect(countTokens(preview)).toBeLessThanOrEqual(25_000);
    expect(countTokens(preview)).toBeGreaterThan(15_000);
    expect(await read(idOf(preview))).toBe(result);
  });

  it('WorkflowAI#655, mcp-memory-keeper#25: no guessed margin; the limit in tokens holds for any script', async () => {
    const { run } = open({ shrinkfit: { tokens: 700, encoding: 'o200k_base' } });
    const scripts = ['plain words, ', '漢字と仮名。', 'Größe geprüft; ', '👩‍👩‍👧 ', '0x7fff_ffff ', '{"a":[1.5e-7]} ', 'Ελληνικά ', 'ไทย'];
    for (const script of scripts) expect(countTokens(await run(script.repeat(3000)))).toBeLessThanOrEqual(700);
  });

  it('codex#6544, #7906, #14466: under every limit of a host at once, so that it cuts nothing; the notice says who cut', async () => {
    const { run } = open({ shrinkfit: { bytes: 10_000, lines: 256 } });
    const preview = await run(log(5000));
    expect(Buffer.byteLength(preview)).toBeLessThanOrEqual(10_000);
    expect(preview.split('\n').length).toBeLessThanOrEqual(256);
    expect(noticeOf(preview).message).toContain('snugfit');
  });

  it('copilot-cli#1732: of two limiters in series the second leaves alone what the first has fitted', async () => {
    const inner = open();
    const preview = await inner.run(issues(500));
    const outer = open({ shrinkfit: 30_000 });
    expect(await outer.run(preview)).toBe(preview);
    const smaller = open({ shrinkfit: 1000 });
    const again = await smaller.run(preview);
    expect(charsOf(again)).toBeLessThanOrEqual(1000);
    expect(await smaller.read(idOf(again))).toBe(preview);
    expect(await failureOf(() => shrinkfitTools(inner.tools, { shrinkfit: 1000 }))).toMatchObject({ code: 'ALREADY_WRAPPED' });
  });

  it('apify#1005: what each tool returned, and what of it was shown, is told for meters', async () => {
    const { run, events } = open();
    await run(log(300));
    expect(events).toMatchObject([{ tool: 'probe', outcome: 'fitted', before: charsOf(log(300)) }]);
    expect(events[0]!.after).toBeLessThanOrEqual(BUDGET);
  });

  it('qwen-code#2439, gemini-cli#12172: every tool of the map is limited, and every block of a result', async () => {
    const result = { content: [text(log(300)), text(JSON.stringify(issues(200))), text('short')] };
    const { tools } = shrinkfitTools(
      { shell: { execute: async () => log(300) }, mcp__docs__search: { execute: async () => result } },
      { shrinkfit: BUDGET },
    );
    expect(charsOf(await tools.shell.execute())).toBeLessThanOrEqual(BUDGET);
    const shown = (await tools.mcp__docs__search.execute()) as Envelope;
    expect(texts(shown).reduce((sum, part) => sum + charsOf(part), 0)).toBeLessThanOrEqual(BUDGET);
    expect(texts(shown)).toContain('short');
  });
});

describe('structure', () => {
  it('denova#63: a provider that parses the result again finds the JSON that it was', async () => {
    const { run } = open();
    expect(JSON.parse(await run(JSON.stringify(issues(300))))).toMatchObject({ total: 300 });
    expect(JSON.parse(await run(JSON.stringify(issues(300).issues)))).toBeInstanceOf(Array);
  });

  it('ProbOS#1182: the one scalar amid 3 MB of rows is there', async () => {
    const { run } = open();
    const rows = issues(9000).issues;
    const result = { before: rows.slice(4500), verdict: 'unsafe to deploy', score: 0.12, after: rows.slice(0, 4500), exit_code: 3 };
    expect(JSON.parse(await run(result))).toMatchObject({ verdict: 'unsafe to deploy', score: 0.12, exit_code: 3 });
  });

  it('twenty#23955: totals and cursors of a page stay, so that nobody counts over a part', async () => {
    const { run } = open();
    const result = { totalCount: 84_210, hasMore: true, endCursor: 'b3BhcXVl', data: { edges: issues(500).issues } };
    const preview = await run(result);
    expect(JSON.parse(preview)).toMatchObject({ totalCount: 84_210, hasMore: true, endCursor: 'b3BhcXVl' });
    expect(noticeOf(preview)).toMatchObject({ complete: false, report: { items_omitted: expect.any(Number) as number } });
  });

  it('fastmcp#3717, #4926, cartog#151: structured content that a schema promises stays whole', async () => {
    const result = { content: [text(JSON.stringify(issues(200)))], structuredContent: issues(200) };
    expect((await open().envelope(result)).structuredContent).toBe(result.structuredContent);
  });

  it('neo#16833, QwenPaw#6969, kimi#2554: structured content that repeats the text is not paid twice; richer one is fitted', async () => {
    const { envelope } = open({ structured: 'auto' });
    const twice = await envelope({ content: [text(JSON.stringify(issues(200)))], structuredContent: issues(200) });
    expect(twice).not.toHaveProperty('structuredContent');
    const richer = await envelope({ content: [text('200 issues found')], structuredContent: issues(200) });
    expect(texts(richer)).toContain('200 issues found');
    expect(richer.structuredContent).toMatchObject({ total: 200 });
    expect(charsOf(JSON.stringify(richer.structuredContent))).toBeLessThanOrEqual(BUDGET);
  });

  it('headroom#3634: a result within the budget is the same, to the byte', async () => {
    const { run, envelope } = open();
    const [odd, structured] = ['{"a": 1.0, "a":null,\t"n":1e400}\r\n', { a: null, b: undefined, c: [] }];
    expect(await run(odd)).toBe(odd);
    expect(await run(structured)).toBe(structured);
    const result = { content: [text(odd)] };
    expect(await envelope(result)).toBe(result);
  });

  it('local-operator#1265: every place that a notice names can be checked in the original', async () => {
    const { run, read } = open({ shrinkfit: 4000 });
    for (const original of [log(400), 'x'.repeat(9000), JSON.stringify(issues(300))]) {
      const preview = await run(original);
      const { omitted = [] } = noticeOf(preview) as unknown as { omitted?: { path?: string; lines?: string }[] };
      for (const { path, lines } of omitted) {
        const answer = await read(idOf(preview), path === undefined ? { lines } : { path });
        if (lines !== undefined) expect(original).toContain(answer.split('\n')[0]);
        expect(answer).toContain('"of":');
      }
    }
  });
});

describe('recovery', () => {
  it('headroom#714: an original that is still used does not expire; one that has says so', async () => {
    const { run, read } = open({ store: { ttlMs: 400 } });
    const id = idOf(await run(log(300)));
    for (let n = 0; n < 4; n++) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect(await read(id, { lines: '1' })).toContain('line 1 of 300');
    }
    await new Promise((resolve) => setTimeout(resolve, 600));
    const failure = await failureOf(() => read(id));
    expect(failure).toMatchObject({ code: 'RESPONSE_UNAVAILABLE' });
    expect(failure.message).toMatch(/expired/);
  });

  it('headroom#389, #1095: every id in every output is taken, however a model writes it', async () => {
    const { run, read } = open();
    const next = random(7);
    for (let n = 0; n < 50; n++) {
      const original = noise(next, 400);
      const id = idOf(await run(original));
      for (const written of [id, id.toUpperCase(), ` ${id}\n`, `{${id}}`, id.replaceAll('-', '')])
        expect(await read(written)).toBe(original);
    }
  });

  it('headroom#2694: what is kept is what the tool returned, even where that is a preview', async () => {
    const { run, read } = open({ shrinkfit: 1000 });
    const preview = await open().run(log(300));
    expect(await read(idOf(await run(preview)))).toBe(preview);
    const original = JSON.stringify({ truncation: { complete: false }, rows: issues(100).issues });
    expect(await read(idOf(await run(original)))).toBe(original);
  });

  it('deepagentsjs#82: reading a long line is no loop; pages of characters come to an end', async () => {
    const { run, read } = open();
    const original = 'word '.repeat(4000).trim();
    const id = idOf(await run(original));
    let whole = '';
    let pages = 0;
    for (let more: object | undefined = { lines: '1' }; more !== undefined && pages < 100; pages++) {
      const answer = await read(id, more);
      expect(charsOf(answer)).toBeLessThanOrEqual(BUDGET);
      whole += answer.slice(0, answer.lastIndexOf('\n'));
      const { next_cursor: cursor } = JSON.parse(answer.slice(answer.lastIndexOf('\n') + 1)) as { next_cursor?: string };
      more = cursor === undefined ? undefined : { cursor };
    }
    expect(whole).toBe(original);
    expect(pages).toBeLessThan(20);
  });

  it('claude-code#41092, pochi#1607, llxprt#3599, mateclaw#190: JSON on one line is read by item, path or characters', async () => {
    const { run, read } = open();
    const id = idOf(await run(JSON.stringify(issues(400))));
    expect(partOf(await read(id, { path: '/issues/399/key' }))).toBe('PROJ-400');
    expect(partOf(await read(id, { path: '/issues/120..122' }))).toHaveLength(3);
    expect(await read(id, { lines: '1' })).toMatch(/^\{"total":400,.*\n\{"of":"line 1 of 1, characters 1-\d+ of \d+","next_cursor":"/s);
  });

  it('vscode#311068, opencode#13770, deepagents#5799: the notice names a tool that is there, by its name there', async () => {
    const probe = { execute: async () => log(300) };
    const { tools } = shrinkfitTools({ probe, [RECOVERY]: { execute: async () => 'another' } }, { shrinkfit: BUDGET });
    const message = noticeOf(await tools.probe.execute()).message;
    expect(message).toContain(`${RECOVERY}_2`);
    expect(tools).toHaveProperty(`${RECOVERY}_2`);

    const compressed = compressTools({ probe }, { shrinkfit: BUDGET, compressionLevel: 'max' });
    const preview = (await compressed.invoke_tool.execute({ tool_name: 'probe' })) as string;
    const [, name] = new RegExp(`(${RECOVERY}\\w*)`).exec(noticeOf(preview).message)!;
    expect(await compressed.invoke_tool.execute({ tool_name: name!, tool_input: { response_id: idOf(preview) } })).toBe(log(300));

    const kept = shrinkfitTools({ probe }, { shrinkfit: BUDGET, store: false });
    expect(noticeOf(await kept.tools.probe.execute()).message).not.toContain('recover');
  });

  it('archie-hq#33, deepagents#437: no file is needed; a store that fails is an event, never silence', async () => {
    const refused = () => Promise.reject(new Error('permission denied'));
    const store = { get: refused, set: refused, delete: refused, clear: refused };
    const strict = open({ store });
    expect(await failureOf(() => strict.run(log(300)))).toMatchObject({ code: 'STORE_FAILED' });
    const lenient = open({ store: { ...store, onFailure: 'passthrough' } });
    expect(await lenient.run(log(300))).toBe(log(300));
    for (const { events } of [strict, lenient]) expect(events).toMatchObject([{ error: { code: 'STORE_FAILED' } }]);
  });

  it('opencode#35661, vscode#329179, rtk#1313: a preview says, for machines and models, that it is not complete', async () => {
    const { run } = open({ shrinkfit: 6000 });
    for (const result of [issues(500), issues(500).issues, log(500)]) {
      const notice = noticeOf(await run(result));
      expect(notice.complete).toBe(false);
      expect(notice.message).toContain('absence here proves nothing');
      expect(Object.values(notice.report).some((count) => typeof count === 'number' && count > 0)).toBe(true);
    }
  });
});

describe('prompt cache', () => {
  it('openclaw#111085, #95219, #132017, LibreChat#497, qwen-code#8463: the same result gives the same preview, to the byte', async () => {
    const { run } = open();
    for (const result of [issues(300), log(300), { content: [text(log(300))] }]) {
      const first = JSON.stringify(await run(structuredClone(result)));
      await new Promise((resolve) => setTimeout(resolve, 5));
      await run(noise(random(1), 900));
      expect(JSON.stringify(await run(structuredClone(result)))).toBe(first);
    }
  });

  it('claude-code#63930: nor do parallel calls change it, in whichever order they end', async () => {
    const next = random(3);
    const results = Array.from({ length: 24 }, () => noise(next, 200 + Math.floor(next() * 20_000)));
    const { run } = open();
    const together = await Promise.all(results.map(run));
    const apart: string[] = [];
    for (const result of results.toReversed()) apart.unshift(await run(result));
    expect(apart).toEqual(together);
  });
});

describe('Unicode, numbers, binary', () => {
  it('llumiverse#462, Reasonix#1976, eliza#23686, nodetool#3775: what a provider gets is well-formed, even where the result is not', async () => {
    const next = random(11);
    const pieces = ['a', 'é', '漢', '😀', '👩‍👩‍👧', '\ud83d', '\ude00', '\n', '"', '\\', '\0'];
    for (let n = 0; n < 60; n++) {
      const original = Array.from({ length: 1500 }, () => pieces[Math.floor(next() * pieces.length)]).join('');
      const { run, read } = open({ shrinkfit: 400 + n });
      for (const result of [original, JSON.stringify({ body: original })]) {
        const preview = await run(result);
        expect(Buffer.from(preview).toString()).toBe(preview);
        expect(await read(idOf(preview))).toBe(result);
      }
    }
  });

  it('headroom P0-5: numbers are kept as they are written', async () => {
    const numbers = '{"id":9007199254740993,"price":1.0,"huge":1e400,"tiny":-0.0,"long":3.14159265358979323846}';
    const { run, read } = open();
    const preview = await run(`{"head":${numbers},"rows":[${Array.from({ length: 300 }, () => numbers).join(',')}]}`);
    expect(preview).toContain(numbers);
    const id = idOf(preview);
    expect(await read(id, { path: '/rows/299' })).toContain(numbers);
  });

  it('mcp-chrome#163, claude-code#9152, #70280, crawl-mcp#20, metro-mcp#69, chrome-devtools-mcp#950: pictures are neither text nor lost', async () => {
    const data = Buffer.from(noise(random(5), 4000)).toString('base64');
    const picture = { type: 'image', data, mimeType: 'image/png' };
    const both = { content: [text(log(300)), picture] };
    expect(await open().envelope(both)).toBe(both);
    const fitted = await open({ multimodal: 'fit' }).envelope(both);
    expect(fitted.content[1]).toBe(picture);
    expect(charsOf(texts(fitted).join(''))).toBeLessThanOrEqual(BUDGET);

    const { run, read } = open();
    const preview = await run({ title: 'Home', screenshot: data, links: ['/a', '/b'] });
    expect(JSON.parse(preview)).toMatchObject({ title: 'Home', links: ['/a', '/b'] });
    expect(JSON.parse(await read(idOf(preview)))).toMatchObject({ screenshot: data });
  });
});

describe('kinds of text', () => {
  it('headroom#2596, sortie#257, aura#247: of a long error its first line, the cause and the end are there, and it is an error still', async () => {
    const frames = Array.from({ length: 400 }, (_, n) => `    at step${n} (node_modules/lib/index.js:${n}:7)`).join('\n');
    const failure = `TypeError: cannot read 'id' of undefined\n${frames}\nCaused by: ECONNREFUSED 10.0.0.7:5432\n${frames}\nFAILED 1 of 212 tests`;
    const { envelope } = open({ errors: 'fit' });
    const shown = await envelope({ content: [text(failure)], isError: true });
    expect(shown.isError).toBe(true);
    const [preview] = texts(shown);
    expect(charsOf(texts(shown).join(''))).toBeLessThanOrEqual(BUDGET);
    for (const line of ["TypeError: cannot read 'id' of undefined", 'Caused by: ECONNREFUSED 10.0.0.7:5432', 'FAILED 1 of 212 tests'])
      expect(preview).toContain(line);
  });

  it('rtk#827, rtk#354: of a long diff every file is listed, with what was added and removed', async () => {
    const files = Array.from({ length: 12 }, (_, n) => {
      const lines = Array.from({ length: 60 }, (_, at) => `${at % 3 ? ' ' : '+'}line ${at} of ${n}`).join('\n');
      return `diff --git a/src/file${n}.ts b/src/file${n}.ts\n--- a/src/file${n}.ts\n+++ b/src/file${n}.ts\n@@ -1,40 +1,60 @@\n${lines}`;
    });
    const preview = await open({ shrinkfit: 3000 }).run(files.join('\n'));
    for (let n = 0; n < 12; n++) expect(preview).toMatch(new RegExp(`b/src/file${n}\\.ts\\n… .*file \\+20 -0`));
  });

  it('lean-ctx#404, #980: words that are kept are kept as they are', async () => {
    const paragraph = (n: number) => `Paragraph ${n}: configuration of the authentication middleware is described in considerable detail.`;
    const original = Array.from({ length: 200 }, (_, n) => paragraph(n)).join('\n\n');
    const preview = await open().run(original);
    const kept = preview.slice(0, preview.lastIndexOf('\n')).split('\n');
    const own = kept.filter((line) => line.startsWith('Paragraph'));
    expect(own.length).toBeGreaterThan(3);
    for (const line of own) expect(original).toContain(line.split('…')[0]);
  });

  it('agentlys#346: one notice a result, which says that the same call gives the same cut', async () => {
    const { run, envelope } = open({ shrinkfit: 6000 });
    const mixed = await envelope({ content: [text(log(500)), text(JSON.stringify(issues(300)))] });
    for (const shown of [await run(issues(500)), await run(log(500)), texts(mixed).join('\n')]) {
      expect(shown.match(/"truncation":/g)).toHaveLength(1);
      expect(shown).toContain('Calling the tool again gives the same cut');
    }
  });
});

describe('safety, memory, isolation', () => {
  it('claude-code#65612: an id of one toolset means nothing in another, even for the same result', async () => {
    const [mine, other] = [open(), open()];
    const [id, theirs] = [idOf(await mine.run(log(300))), idOf(await other.run(log(300)))];
    expect(id).not.toBe(theirs);
    expect(await failureOf(() => other.read(id))).toMatchObject({ code: 'RESPONSE_UNAVAILABLE' });
  });

  it('sqz: without a store nothing is kept; with a redactor no secret is kept or shown', async () => {
    const none = open({ store: false });
    expect(none.tools).not.toHaveProperty(RECOVERY);
    expect(await none.run(log(300))).not.toContain('response_id');
    const { run, read } = open({ redact: (given) => given.replaceAll(/sk-\w+/g, '[secret]') });
    const preview = await run(`key sk-abc123\n${log(300)}`);
    for (const seen of [preview, await read(idOf(preview))]) expect(seen).not.toContain('sk-abc123');
  });

  it('automaton#358, signetai#1114, litellm#26193: the event loop turns while a large result is fitted', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await open({ store: false }).run(JSON.stringify(issues(40_000)));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });

  it('context-mode#244, #556: a result that the addon cannot take costs neither the process nor the result', async () => {
    const { run, events } = open();
    const cycle: Record<string, unknown> = { rows: issues(200) };
    cycle.self = cycle;
    expect(await run(cycle)).toBe(cycle);
    expect(events).toMatchObject([{ outcome: 'passed', error: { code: 'INVALID_INPUT' } }]);
  });
});

describe('lists of tools', () => {
  const tool = { inputSchema: { type: 'object' } };

  it('fastmcp#5025, sim#5833: every page of a server’s list is read, behind an empty cursor too, and a circle is told', async () => {
    const pages: Record<string, { tools: ({ name: string } & typeof tool)[]; nextCursor?: string }> = {
      first: { tools: [{ name: 'a', ...tool }], nextCursor: '' },
      '': { tools: [{ name: 'b', ...tool }], nextCursor: 'z' },
      z: { tools: [{ name: 'c', ...tool }] },
    };
    const listTools = async (params?: { cursor?: string }) => pages[params?.cursor ?? 'first']!;
    const callTool = () => Promise.resolve({});
    expect(Object.keys(await fromMcpClient({ listTools, callTool }))).toEqual(['a', 'b', 'c']);
    pages.z!.nextCursor = '';
    expect(await failureOf(() => fromMcpClient({ listTools, callTool }))).toMatchObject({ code: 'INVALID_TOOLS' });
  });

  it('claude-code#78478: what a server says of a tool stays: _meta, annotations, titles, icons', async () => {
    const listing = {
      ...{ name: 'a', title: 'A', description: 'Does a.', ...tool, outputSchema: { type: 'object' } },
      ...{ annotations: { readOnlyHint: true }, icons: [{ src: 'a.svg' }], _meta: { 'anthropic/maxResultSizeChars': 500_000 } },
    };
    const client = { listTools: async () => ({ tools: [listing] }), callTool: () => Promise.resolve({}) };
    const { tools } = shrinkfitTools(await fromMcpClient(client), { shrinkfit: BUDGET });
    const { name, ...said } = listing;
    expect(tools[name]).toMatchObject(said);
  });

  it('claude-code#44094: no tool gains a parameter named file_path, and tools keep their schemas', async () => {
    const inputSchema = { type: 'object', properties: { q: { type: 'string' } } };
    const { tools } = shrinkfitTools({ probe: { inputSchema, execute: async () => '' } }, { shrinkfit: BUDGET });
    expect(tools.probe.inputSchema).toBe(inputSchema);
    expect(JSON.stringify(tools.compressor_recover_response.inputSchema.jsonSchema)).not.toContain('file_path');
  });

  it('claude-code#47645: what a host leaves out or adds is not assumed: without a budget the map is the same', async () => {
    const warned = vi.spyOn(process, 'emitWarning');
    const map = { probe: { execute: async () => log(300) } };
    expect(shrinkfitTools(map).tools).toBe(map);
    expect((await fit(log(300), { budget: 500 })).report.fits).toBe(true);
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });
});
