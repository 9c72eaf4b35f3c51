import { join } from 'node:path';
import { Bash } from 'just-bash';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliMode, transformToolsForCliMode, transformToolsForJustBash } from '../host/index.ts';
import { echoTools, expected, seen, table } from './support/arguments.ts';
import { run, temporaryFolder } from './support/shell.ts';

/** One table, one parser: every way in gives the same input or the same message. */
const cases = table.cases.map((one, index) => [`${index}: ${JSON.stringify(one.args).slice(0, 100)}`, one] as const);

describe('in just-bash', () => {
  const bash = new Bash();
  const { close } = transformToolsForJustBash(echoTools(), { bash, serverName: table.command });
  afterAll(close);

  it.each(cases)('%s', async (_, one) => {
    const line = [table.command, ...one.args].map((arg) => `'${arg.replaceAll("'", `'\\''`)}'`).join(' ');
    const { stdout, stderr, exitCode } = await bash.exec(line, { ...(one.stdin !== undefined && { stdin: one.stdin }) });
    expect(seen({ stdout, stderr, exitCode }, one)).toEqual(expected(one));
  });
});

describe('by the generated command', () => {
  let cli: CliMode;
  beforeAll(async () => {
    cli = await transformToolsForCliMode(echoTools(), { serverName: table.command, outputDir: await temporaryFolder() });
  });
  afterAll(() => cli.close());

  it.each(cases)('%s', async (_, one) => {
    const command = join(cli.environment.PATH!.split(':')[0]!, table.command);
    expect(seen(await run('/bin/sh', [command, ...one.args], { stdin: one.stdin }), one)).toEqual(expected(one));
  });
});
