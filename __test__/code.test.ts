import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CodeLanguage, transformToolsForCodeMode } from '../host/index.ts';
import { ENDING, MYPY, NO_MYPY, functionsIn, mypyErrors, openCode, printed, typeErrors } from './support/code.ts';
import { failureOf } from './support/errors.ts';
import { issues } from './support/samples.ts';
import { isTaken } from './support/shell.ts';

const text = { type: 'string' };
const query = { type: 'object', properties: { query: text, limit: { type: 'integer' } }, required: ['query'] };
const tracker = {
  type: 'object',
  properties: {
    total: { type: 'integer' },
    issues: {
      type: 'array',
      items: { type: 'object', properties: { key: text, title: text, state: { enum: ['open', 'closed'] }, body: text }, required: ['key'] },
    },
  },
  required: ['total', 'issues'],
};

/** A shop, what it was asked, and how its waiting calls ended. */
function shop() {
  const seen: unknown[] = [];
  const aborted: unknown[] = [];
  const tools = {
    echo: {
      description: 'Says it again. Loudly.',
      inputSchema: query,
      execute: async (input: unknown) => (seen.push(input), JSON.stringify(input)),
    },
    listIssues: {
      description: 'Lists issues.',
      inputSchema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
      outputSchema: tracker,
      execute: async ({ count }: { count: number }) => issues(count),
    },
    close_issue: {
      inputSchema: { type: 'object', properties: { key: text, comment: text }, required: ['key', 'comment'] },
      execute: async (input: { key: string }) => (seen.push(input), `closed ${input.key}`),
    },
    structured: {
      inputSchema: {},
      outputSchema: { type: 'object', properties: { temperature: { type: 'number' } }, required: ['temperature'] },
      execute: async () => ({ content: [{ type: 'text', text: 'It is warm.' }], structuredContent: { temperature: 22.5 } }),
    },
    list: { inputSchema: {}, outputSchema: { type: 'array' }, execute: async () => issues(100).issues },
    prose: { inputSchema: {}, outputSchema: { type: 'object' }, execute: async () => 'no JSON at all' },
    log: { inputSchema: {}, outputSchema: {}, execute: async () => 'a line\n'.repeat(5000) },
    fail: { inputSchema: {}, execute: async () => ({ content: [{ type: 'text', text: 'out of stock' }], isError: true }) },
    crash: { inputSchema: {}, execute: () => Promise.reject(new Error('no connection: "x"\n'.repeat(2))) },
    waited: {
      description: 'Answers once wait was called.',
      inputSchema: { type: 'object', properties: {} },
      execute: async () => {
        while (!seen.includes('waiting')) await new Promise((resolve) => setTimeout(resolve, 10));
        return '';
      },
    },
    wait: {
      inputSchema: {},
      execute: (_: unknown, { abortSignal }: { abortSignal: AbortSignal }) =>
        new Promise((resolve) => {
          seen.push('waiting');
          abortSignal.addEventListener('abort', () => {
            aborted.push(true);
            resolve('aborted');
          });
        }),
    },
  };
  return { tools, seen, aborted };
}

/** Programs print one JSON value; `attempt` gives what a call fails with. */
const typescript = (body: string) => `import * as shop from "./shop.ts";
const attempt = async (call: () => Promise<unknown>) => {
  try { return await call(); }
  catch (error: any) { return [error.constructor.name, error.code ?? null, error.message]; }
};
${body}`;
const python = (body: string) => `import json, threading
import shop
def attempt(call):
    try:
        return call()
    except shop.ToolError as error:
        return [type(error).__name__, error.code, str(error)]
${body}`;

const CLOSED = 'no answer from the session, which is closed or was started elsewhere; its host has to start it again';
const ENDED = 'the session ended during the call; the tool may have run';

describe.each<[CodeLanguage, Record<string, string>]>([
  [
    'typescript',
    {
      calls: typescript(`console.log(JSON.stringify([
        await shop.echo("ünï 🙂 \\u2028 */"), await shop.echo("a", { limit: 2 }), await shop.echo({ query: "b", limit: 3 }),
        await shop.closeIssue("K-1", "done"), await shop.closeIssue({ key: "K-2", comment: "" }),
      ]));`),
      typed: typescript(`const [a, b] = [await shop.structured.json(), await shop.listIssues.json(3)];
        console.log(JSON.stringify([a.temperature, b.total, b.issues[2]?.key, await shop.structured()]));`),
      previews: typescript(`const error = await shop.listIssues.json(500).catch((error) => error);
        if (!(error instanceof shop.PreviewError) || !(error instanceof shop.ToolError)) throw error;
        const part = JSON.parse(await shop.compressorRecoverResponse(error.notice.response_id!, { path: "/issues/321" }));
        console.log(JSON.stringify([error.name, error.code, error.notice.complete, part.part.key, JSON.parse(error.preview).total,
          (await attempt(() => shop.list.json()) as string[])[0], (await attempt(() => shop.log.json()) as string[])[0]]));`),
      errors: typescript(`console.log(JSON.stringify([
        await attempt(() => shop.fail()), await attempt(() => shop.crash()), await attempt(() => shop.prose.json()),
        await attempt(() => (shop as any).echo()), await attempt(() => (shop as any).fail("x")),
        await attempt(() => shop.compressorRecoverResponse("nothing")),
      ]));`),
      limits: typescript(`console.log(JSON.stringify([
        await attempt(() => shop.echo("x".repeat(200_000))), await attempt(() => shop.log()), JSON.parse(await shop.echo("x")).query,
      ]));`),
      refused: typescript(`const cyclic: any = {};
        cyclic.query = cyclic;
        console.log(JSON.stringify([await attempt(() => shop.echo(cyclic)), await attempt(() => shop.echo({ query: 1n } as any)),
          await attempt(() => shop.echo("x", { limit: NaN }))]));`),
      calls_in_notices: typescript(`const notice = JSON.parse(await shop.listIssues(500)).truncation;
        const call = /just that: (.*) \\(or search, lines\\)/.exec(notice.message)![1]!;
        console.log(JSON.stringify([notice.message, JSON.parse(await eval("shop." + call)).of]));`),
      timeout: typescript(`console.log(JSON.stringify(await attempt(() => shop.wait({}, { timeoutMs: 1500 }))));`),
      abort: typescript(`const abort = new AbortController();
        const waiting = attempt(() => shop.wait({}, { signal: abort.signal }));
        await shop.waited();
        abort.abort();
        const both = [await waiting, await attempt(() => shop.echo("x", {}, { signal: abort.signal }))];
        console.log(JSON.stringify(both));`),
      wait: typescript(`console.log(JSON.stringify(await attempt(() => shop.wait())));`),
      parallel: typescript(`const all = await Promise.all(Array.from({ length: 50 }, (_, n) => shop.echo(String(n))));
        console.log(JSON.stringify(all.map((text) => Number(JSON.parse(text).query))));`),
    },
  ],
  [
    'python',
    {
      calls: python(`print(json.dumps([
    shop.echo("ünï 🙂 \\u2028 */"), shop.echo("a", limit=2), shop.echo(query="b", limit=3),
    shop.close_issue("K-1", "done"), shop.close_issue(key="K-2", comment=""),
]))`),
      typed: python(`a, b = shop.structured_json(), shop.list_issues_json(3)
print(json.dumps([a["temperature"], b["total"], b["issues"][2]["key"], shop.structured()]))`),
      previews: python(`try:
    shop.list_issues_json(500)
except shop.PreviewError as caught:
    error = caught
assert isinstance(error, shop.ToolError)
part = json.loads(shop.compressor_recover_response(response_id=error.notice["response_id"], path="/issues/321"))
print(json.dumps([type(error).__name__, error.code, error.notice["complete"], part["part"]["key"], json.loads(error.preview)["total"],
    attempt(shop.list_json)[0], attempt(shop.log_json)[0]]))`),
      errors: python(`print(json.dumps([
    attempt(shop.fail), attempt(shop.crash), attempt(shop.prose_json),
    attempt(lambda: shop.echo(float("nan"))), attempt(lambda: shop.echo({1})),
    attempt(lambda: shop.compressor_recover_response("nothing")),
]))`),
      limits: python(`print(json.dumps([
    attempt(lambda: shop.echo("x" * 200_000)), attempt(shop.log), json.loads(shop.echo("x"))["query"],
]))`),
      refused: python(`cyclic = []
cyclic.append(cyclic)
print(json.dumps([attempt(lambda: shop.echo(cyclic)), attempt(lambda: shop.echo("x", _timeout=0)),
    attempt(lambda: shop.echo("x", limit=float("nan")))]))`),
      calls_in_notices: python(`import re
notice = json.loads(shop.list_issues(500))["truncation"]
call = re.search(r"just that: (.*) \\(or search, lines\\)", notice["message"]).group(1)
print(json.dumps([notice["message"], json.loads(eval("shop." + call))["of"]]))`),
      timeout: python(`print(json.dumps(attempt(lambda: shop.wait(_timeout=1.5))))`),
      abort: python(`import os, signal
def interrupt():
    shop.waited()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    result = shop.wait()
except KeyboardInterrupt as error:
    result = type(error).__name__
print(json.dumps([result, json.loads(shop.echo("x"))["query"]]))`),
      wait: python(`print(json.dumps(attempt(shop.wait)))`),
      parallel: python(`from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(50) as pool:
    all = list(pool.map(lambda n: int(json.loads(shop.echo(str(n)))["query"]), range(50)))
print(json.dumps(all))`),
    },
  ],
])('a module in %s', (language, programs) => {
  it('has a function for each tool, called by place or by name', async () => {
    const { tools, seen } = shop();
    const { code, exec } = await openCode(tools, language);
    const answers = printed(await exec(programs.calls!)) as string[];
    const inputs = [{ query: 'ünï 🙂 \u2028 */' }, { query: 'a', limit: 2 }, { query: 'b', limit: 3 }];
    expect(answers.slice(0, 3).map((answer) => JSON.parse(answer) as unknown)).toEqual(inputs);
    expect(answers.slice(3)).toEqual(['closed K-1', 'closed K-2']);
    expect(seen).toEqual([...inputs, { key: 'K-1', comment: 'done' }, { key: 'K-2', comment: '' }]);
    await code.close();
  });

  it('gives typed results: structured content where there is some, else what was parsed', async () => {
    const { code, exec } = await openCode(shop().tools, language);
    expect(printed(await exec(programs.typed!))).toEqual([22.5, 3, 'PROJ-3', 'It is warm.']);
    await code.close();
  });

  it('never takes a preview for the whole: the error has the notice, by which the missing part is read', async () => {
    const { code, exec } = await openCode(shop().tools, language, { shrinkfit: 2000 });
    const all = ['PreviewError', 'PREVIEW', false, 'PROJ-322', 500, 'PreviewError', 'PreviewError'];
    expect(printed(await exec(programs.previews!))).toEqual(all);
    await code.close();
  });

  it('fails with what the tool said, or with what was wrong before it ran', async () => {
    const { tools, seen } = shop();
    const { code, exec } = await openCode(tools, language, { shrinkfit: 2000 });
    const [fail, crash, prose, first, second, recover] = printed(await exec(programs.errors!)) as [string, string | null, string][];
    expect(fail).toEqual(['ToolError', null, 'out of stock']);
    expect(crash).toEqual(['ToolError', null, 'no connection: "x"\n'.repeat(2)]);
    expect(prose).toEqual(['ToolError', 'INVALID_ANSWER', 'the result is no JSON: no JSON at all']);
    expect([first![1], second![1]]).toEqual(['INVALID_INPUT', 'INVALID_INPUT']);
    expect([first![2], second![2]]).toEqual(
      language === 'typescript'
        ? ['echo was not run: the argument "query" is missing', 'fail was not run: the arguments must be one object']
        : [
            expect.stringMatching(/^echo was not run: its arguments have no JSON form: Out of range/) as string,
            expect.stringMatching(/^echo was not run: its arguments have no JSON form: Object of type set/) as string,
          ],
    );
    expect(recover![1]).toBe('RESPONSE_UNAVAILABLE');
    expect(seen).toEqual([]);
    await code.close();
  });

  it('makes no call whose arguments or time make no sense', async () => {
    const { tools, seen } = shop();
    const { code, exec } = await openCode(tools, language);
    const refused = printed(await exec(programs.refused!)) as [string, string, string][];
    expect(refused.map(([name, codeOf]) => [name, codeOf])).toEqual(Array(3).fill(['ToolError', 'INVALID_INPUT']));
    for (const [, , message] of refused) expect(message).toMatch(/^echo was not run: /);
    expect(seen).toEqual([]);
    await code.close();
  });

  it('says which limit a request or an answer is over, how large it is, and what to do', async () => {
    const { tools, seen } = shop();
    const { code, exec } = await openCode(tools, language, { limits: { bodyBytes: 100_000, answerBytes: 10_000 } });
    const [request, answer, next] = printed(await exec(programs.limits!)) as [string, string, string][];
    expect(request!.slice(0, 2)).toEqual(['ToolError', 'REQUEST_TOO_LARGE']);
    expect(request![2]).toMatch(
      /^nothing was run: the request has 2000\d\d bytes, and the bridge takes 100000 \(limits.bodyBytes\); send less at a time$/,
    );
    expect(answer!.slice(0, 2)).toEqual(['ToolError', 'ANSWER_TOO_LARGE']);
    expect(answer![2]).toMatch(
      /^the tool has run, but its answer has 4\d{4} bytes, and the bridge gives 10000 \(limits.answerBytes\); ask for less at a time$/,
    );
    expect(next).toBe('x');
    expect(seen).toEqual([{ query: 'x' }]);
    await code.close();
  });

  it('names in its notices the call that a program can make', async () => {
    const { code, exec } = await openCode(shop().tools, language, { shrinkfit: 8000 });
    const [message, of] = printed(await exec(programs.calls_in_notices!)) as [string, string];
    expect(message).toMatch(
      language === 'typescript'
        ? /just that: compressorRecoverResponse\("[\da-f-]{36}", \{ path: "\/issues\/[^"]+" \}\) \(or search, lines\)/
        : /just that: compressor_recover_response\(response_id="[\da-f-]{36}", path="\/issues\/[^"]+"\) \(or search, lines\)/,
    );
    expect(of).toMatch(/^matches 1-\d+ of 500$/);
    await code.close();
  });

  it('gives a call up after its time, and says so; the tool is aborted', async () => {
    const { tools, aborted } = shop();
    const { code, exec } = await openCode(tools, language);
    const time = language === 'typescript' ? '1500 ms' : '1.5 s';
    expect(printed(await exec(programs.timeout!))).toEqual(['ToolError', 'TIMEOUT', `no answer within ${time}; the tool may have run`]);
    await expect.poll(() => aborted.length).toBe(1);
    await code.close();
  });

  it('aborts a call by its signal, and makes none with one that is aborted; Python by an interrupt, after which it may go on', async () => {
    const { tools, seen, aborted } = shop();
    const { code, exec } = await openCode(tools, language);
    const error = ['ToolError', 'ABORTED', 'the call was aborted; the tool may have run'];
    const [expected, called] =
      language === 'typescript'
        ? [[error, error], ['waiting']]
        : [
            ['KeyboardInterrupt', 'x'],
            ['waiting', { query: 'x' }],
          ];
    expect(printed(await exec(programs.abort!))).toEqual(expected);
    expect(seen).toEqual(called);
    await expect.poll(() => aborted.length).toBe(1);
    await code.close();
  });

  it('says that its session is closed, or was closed during the call', async () => {
    const { tools, seen } = shop();
    const { code, exec } = await openCode(tools, language);
    const running = exec(programs.wait!);
    await expect.poll(() => seen.length, { timeout: 10_000 }).toBe(1);
    await code.close();
    expect(printed(await running)).toEqual(['ToolError', 'CLOSED', ENDED]);
    expect(printed(await exec(programs.wait!))).toEqual(['ToolError', 'CLOSED', CLOSED]);
    expect(await isTaken(code.bridgeUrl)).toBe(false);
  });

  it('makes calls at the same time', async () => {
    const { code, exec } = await openCode(shop().tools, language);
    expect(printed(await exec(programs.parallel!))).toEqual(Array.from({ length: 50 }, (_, n) => n));
    await code.close();
  });

  it('keeps its token in a private file alone', async () => {
    const { code, folder } = await openCode(shop().tools, language);
    const secrets = language === 'typescript' ? '.shop.mjs' : '.shop.json';
    const names = [secrets, ...(language === 'typescript' ? ['shop.d.ts', 'shop.ts'] : ['shop.py'])];
    expect(await readdir(folder)).toEqual(names);
    for (const name of names) {
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
      expect(code.files[name]!.includes(code.token), name).toBe(name === secrets);
    }
    expect(JSON.stringify([code.environment, code.tools.shop_help!.description])).not.toContain(code.token);
    expect(code.environment).toEqual(
      language === 'python' ? { PYTHONPATH: expect.stringMatching(new RegExp(`^${folder}(:|$)`)) as string } : {},
    );
    await code.close();
  });

  it('tells a model its functions, and more about each', async () => {
    const { tools } = shop();
    const { code, folder } = await openCode({ ...tools, pay: { inputSchema: {}, needsApproval: true, execute: async () => 1 } }, language);
    expect(Object.keys(code.tools)).toEqual(['pay', 'shop_help']);
    const help = code.tools.shop_help!;
    expect(help.description.replace(folder, '…')).toMatchSnapshot();
    expect(await help.execute({})).toBe(help.description);
    expect(await help.execute({ function: 'list_issues' })).toMatchSnapshot();
    expect(await help.execute({ function: 'listIssues' })).toBe(await help.execute({ function: 'list-issues' }));
    expect(functionsIn(help.description)).toHaveLength(Object.keys(tools).length);
    const failure = await failureOf(() => help.execute({ function: 'listIsues' }));
    expect(failure).toMatchObject({ code: 'UNKNOWN_TOOL', message: expect.stringMatching(/the closest are list_?[iI]ssues/) as string });
    await code.close();
  });
});

/** What both programs do: close every open issue about the importer, however long the list is, and tell what they met on the way. */
const PROGRAMS: Record<CodeLanguage, string> = {
  typescript: `import { type ListIssuesResult, PreviewError, closeIssue, compressorRecoverResponse, listIssues } from "./shop.ts";
declare const console: { log(text: string): void };
type Issue = ListIssuesResult["issues"][number];
const previews: number[] = [];
let reads = 0;

async function allIssues(count: number): Promise<Issue[]> {
  try {
    return (await listIssues.json(count)).issues;
  } catch (error) {
    if (!(error instanceof PreviewError) || error.notice.response_id === undefined) throw error;
    const found: Issue[] = [];
    previews.push(error.preview.length);
    let cursor: string | undefined;
    do {
      const answer: { part: Issue[]; next_cursor?: string } = JSON.parse(
        await compressorRecoverResponse(error.notice.response_id, cursor === undefined ? { path: "/issues" } : { cursor }),
      );
      reads += 1;
      found.push(...answer.part);
      cursor = answer.next_cursor;
    } while (cursor !== undefined);
    return found;
  }
}

const closed: string[] = [];
const found: number[] = [];
for (const count of [2, 60]) {
  const all = await allIssues(count);
  found.push(all.length);
  for (const issue of all.filter(({ state, title }) => state === "open" && title?.includes("importer")))
    closed.push(await closeIssue(issue.key, \`was: \${issue.title}\`));
}
console.log(JSON.stringify({ previews, reads, found, closed }));`,
  python: `import json
from typing import List
from shop import PreviewError, close_issue, compressor_recover_response, list_issues_json
import shop

previews: List[int] = []
reads: List[str] = []


def all_issues(count: int) -> "List[shop.ListIssuesResultIssuesItem]":
    try:
        return list_issues_json(count)["issues"]
    except PreviewError as error:
        found: "List[shop.ListIssuesResultIssuesItem]" = []
        previews.append(len(error.preview))
        answer = json.loads(compressor_recover_response(error.notice["response_id"], path="/issues"))
        while True:
            reads.append(answer["of"])
            found += answer["part"]
            if "next_cursor" not in answer:
                return found
            answer = json.loads(compressor_recover_response(error.notice["response_id"], cursor=answer["next_cursor"]))


closed: List[str] = []
lengths: List[int] = []
for count in (2, 60):
    issues = all_issues(count)
    lengths.append(len(issues))
    for issue in issues:
        if issue.get("state") == "open" and "importer" in issue.get("title", ""):
            closed.append(close_issue(issue["key"], f"was: {issue.get('title')}"))
print(json.dumps({"previews": previews, "reads": len(reads), "found": lengths, "closed": closed}))`,
};

describe.each(['typescript', 'python'] as const)('a real program in %s', (language) => {
  it('lists, loops, filters, meets a preview, reads the missing part, and finishes', async () => {
    const { tools, seen } = shop();
    const { code, exec } = await openCode(tools, language, { shrinkfit: 3000 });
    const wanted = [...issues(2).issues, ...issues(60).issues].filter(({ state, title }) => state === 'open' && title.includes('importer'));
    const told = printed(await exec(PROGRAMS[language])) as { previews: number[]; reads: number };
    expect(told).toMatchObject({ found: [2, 60], closed: wanted.map(({ key }) => `closed ${key}`) });
    // One preview, of less than there is, whose rest took several reads.
    expect(told.previews).toHaveLength(1);
    expect(told.previews[0]).toBeLessThanOrEqual(3000);
    expect(told.reads).toBeGreaterThan(1);
    expect(seen).toEqual(wanted.map(({ key, title }) => ({ key, comment: `was: ${title}` })));
    await code.close();
  });

  it('passes the strictest checker', async ({ skip }) => {
    if (language === 'python' && MYPY === undefined) return skip(NO_MYPY);
    const { code, folder, exec } = await openCode(shop().tools, language, { shrinkfit: 3000 });
    await exec(PROGRAMS[language]);
    const place = join(folder, `program.${ENDING[language]}`);
    if (language === 'typescript') expect(typeErrors([place])).toEqual([]);
    else expect(await mypyErrors(folder, ['program.py'])).toBe('');
    await code.close();
  }, 120_000);
});

describe('transformToolsForCodeMode', () => {
  it.each<[string, object]>([
    ['language must be "typescript" or "python", not "ruby".', { serverName: 'x', language: 'ruby' }],
    ['language must be "typescript" or "python", not undefined.', { serverName: 'x' }],
    ['serverName must be a string, not undefined.', { language: 'python' }],
    ['options.outputdir is no option: did you mean outputDir?', { serverName: 'x', language: 'python', outputdir: '.' }],
  ])('says %s', async (message, options) => {
    expect(await failureOf(() => transformToolsForCodeMode({}, options as never))).toMatchObject({ code: 'INVALID_OPTION', message });
  });

  it('writes nothing without a folder, and says where it cannot', async () => {
    const code = await transformToolsForCodeMode({}, { serverName: 'time', language: 'python' });
    expect([code.module, code.paths, Object.keys(code.files)]).toEqual(['time_tools', [], ['time_tools.py', '.time_tools.json']]);
    await code.close();
    const failure = await failureOf(() =>
      transformToolsForCodeMode({}, { serverName: 'x', language: 'typescript', outputDir: '/dev/null/x' }),
    );
    expect(failure).toMatchObject({ code: 'BRIDGE_FAILED', message: expect.stringContaining('/dev/null/x') as string });
  });

  it.each(Object.keys(ENDING) as CodeLanguage[])('makes a module of no tools at all in %s', async (language) => {
    const { code, exec } = await openCode({}, language);
    expect(
      printed(
        await exec(
          language === 'python' ? 'import shop\nprint(1)' : 'import * as shop from "./shop.ts"; console.log(Object.keys(shop).length - 1)',
        ),
      ),
    ).toBe(1);
    await code.close();
  });
});
