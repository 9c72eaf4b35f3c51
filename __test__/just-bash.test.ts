import { Bash } from 'just-bash';
import { describe, expect, it } from 'vitest';
import { planToolsForJustBash, transformToolsForJustBash } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { charsOf, idOf, partOf } from './support/notice.ts';
import { issues, log } from './support/samples.ts';

const tools = {
  listIssues: { description: 'Lists issues. All of them.', inputSchema: {}, execute: async (): Promise<unknown> => issues(2000) },
  log: { inputSchema: {}, execute: async () => ({ content: [{ type: 'text', text: log(300) }] }) },
  echo: {
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    execute: async ({ text }: { text: string }) => text,
  },
  fail: { inputSchema: {}, execute: () => Promise.reject(new Error('no connection')) },
  wait: {
    inputSchema: {},
    execute: (_: unknown, { abortSignal }: { abortSignal: AbortSignal }) =>
      new Promise((resolve) => abortSignal.addEventListener('abort', () => resolve('aborted'))),
  },
};
const named = { serverName: 'tracker' };

describe('a command in just-bash', () => {
  it('works with pipes, redirection, substitution and jq', async () => {
    const bash = new Bash();
    transformToolsForJustBash(tools, { bash, ...named });
    expect((await bash.exec(`tracker list-issues | jq -r '.issues[1].key'`)).stdout).toBe('PROJ-2\n');
    expect((await bash.exec(`tracker echo --text "naïve 🙂" > /tmp/a && cat /tmp/a | wc -c`)).stdout.trim()).toBe('11');
    expect((await bash.exec(`echo "got $(tracker echo --text='a b')"`)).stdout).toBe('got a b\n');
    expect((await bash.exec(`echo '{"text":"ü"}' | tracker echo --json -`)).stdout).toBe('ü');
    expect((await bash.exec(`tracker fail || echo "code $?"`)).stdout).toBe('code 1\n');
    expect((await bash.exec('tracker echo; echo $?')).stdout).toBe('2\n');
  });

  it('is planned for a shell that is to be made', async () => {
    const plan = planToolsForJustBash(tools, named);
    const bash = new Bash({ customCommands: plan.registrations });
    expect(Object.keys(plan.tools)).toEqual(['tracker_help']);
    expect(plan.tools.tracker_help!.description).toContain('list-issues: Lists issues\n');
    expect((await bash.exec('tracker echo --text x')).stdout).toBe('x');
  });

  it('fits results, recovers originals, and is empty after close', async () => {
    const bash = new Bash();
    const { close } = transformToolsForJustBash(tools, { bash, ...named, shrinkfit: 2000 });
    const preview = (await bash.exec('tracker list-issues')).stdout;
    expect(charsOf(preview)).toBeLessThanOrEqual(2000);
    const id = (await bash.exec(`tracker list-issues | jq -r .truncation.response_id`)).stdout.trim();
    expect(id).toBe(idOf(preview));
    expect((await bash.exec(`tracker compressor-recover-response --response-id ${id}`)).stdout).toBe(JSON.stringify(issues(2000)));

    const recover = `tracker compressor-recover-response --response-id ${id}`;
    expect(partOf((await bash.exec(`${recover} --path /issues/1500`)).stdout)).toEqual(issues(2000).issues[1500]);
    expect((await bash.exec(`${recover} --search PROJ-1777`)).stdout).toContain('PROJ-1777');

    const text = (await bash.exec('tracker log')).stdout;
    expect(charsOf(text)).toBeLessThanOrEqual(2000);
    const whole = (await bash.exec(`tracker compressor-recover-response --response-id ${idOf(text)} | jq -r '.content[0].text'`)).stdout;
    expect(whole).toBe(`${log(300)}\n`);

    close();
    close();
    expect(await bash.exec('tracker echo --text x')).toMatchObject({ stdout: '', stderr: 'tracker: the session is closed\n', exitCode: 1 });
  });

  it('hands the shell’s signal to the tool', async () => {
    const bash = new Bash();
    transformToolsForJustBash(tools, { bash, ...named });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    const { exitCode } = await bash.exec('tracker wait', { signal: abort.signal }).catch(() => ({ exitCode: 130 }));
    expect(exitCode).not.toBe(2);
  });

  it('needs a shell', async () => {
    expect(await failureOf(async () => transformToolsForJustBash(tools, { ...named, bash: {} as never }))).toMatchObject({
      code: 'INVALID_OPTION',
    });
  });
});
