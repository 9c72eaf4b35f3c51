import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import prettier from 'prettier';
import { describe, expect, it } from 'vitest';
import type { CodeLanguage } from '../host/index.ts';
import { type Call, MYPY, NO_MYPY, callingProgram, functionsIn, mypyErrors, openCode, printed, typeErrors } from './support/code.ts';
import { NASTY } from './support/nasty-tools.ts';
import { run } from './support/shell.ts';

const tools = Object.entries(NASTY).map(([name, tool]) => ({ name, ...tool }));
const expected = tools.map(({ name, input }) => ({ tool: name, input }));

/** Tools that answer with what they were called with. */
function echo(): object {
  const map = {};
  for (const { name, ...tool } of tools) {
    const value = { ...tool, execute: async (input: unknown) => JSON.stringify({ tool: name, input }) };
    Object.defineProperty(map, name, { value, enumerable: true });
  }
  return map;
}

async function open(language: CodeLanguage) {
  const opened = await openCode(echo(), language, { serverName: 'nasty' });
  const help = opened.code.tools.nasty_help!;
  const names = functionsIn(help.description);
  const calls = tools.map(({ input, parameters, outputSchema }, at): Call => ({
    name: names[at]!,
    input,
    parameters,
    typed: outputSchema !== undefined,
  }));
  return { ...opened, help, names, program: callingProgram(language, 'nasty', calls) };
}

describe('a module of nasty tools in TypeScript', () => {
  it('runs with its types stripped, and every call arrives as it was written', async () => {
    const { code, program, exec } = await open('typescript');
    expect(printed(await exec(program))).toEqual(expected);
    await code.close();
  });

  it('passes the strictest compiler, with a program that calls every function', async () => {
    const { code, folder, program } = await open('typescript');
    await writeFile(join(folder, 'program.ts'), program);
    expect(typeErrors(['program.ts', 'nasty.d.ts'].map((name) => join(folder, name)))).toEqual([]);
    await code.close();
  }, 120_000);

  it('is formatted', async () => {
    const { code } = await open('typescript');
    for (const name of ['nasty.ts', 'nasty.d.ts']) {
      const text = code.files[name]!;
      expect(await prettier.format(text, { parser: 'typescript' })).toBe(text);
    }
    await code.close();
  }, 120_000);

  it('exports the functions that its help names, and the help shows what the module declares', async () => {
    const { code, help, names, exec } = await open('typescript');
    const list = `import * as nasty from "./nasty.ts";
const functions = Object.entries(nasty).filter(([, value]) => typeof value === "function" && !/^class/.test(String(value)));
console.log(JSON.stringify(functions.map(([name]) => name)));`;
    expect((printed(await exec(list)) as string[]).sort()).toEqual([...names].sort());
    for (const name of names) expect(code.files['nasty.d.ts']).toContain(await help.execute({ function: name }));
    await code.close();
  });
});

describe('a module of nasty tools in Python', () => {
  it('is Python 3.9, and every call arrives as it was written', async () => {
    const { code, folder, program, exec } = await open('python');
    expect(printed(await exec(program))).toEqual(expected);
    const parse = 'import ast, sys; ast.parse(open(sys.argv[1], encoding="utf-8").read(), feature_version=(3, 9))';
    for (const how of [
      ['-c', parse],
      ['-m', 'py_compile'],
    ]) {
      expect(await run('python3', [...how, join(folder, 'nasty.py')])).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    }
    await code.close();
  });

  it('passes mypy --strict, with a program that calls every function', async ({ skip }) => {
    if (MYPY === undefined) return skip(NO_MYPY);
    const { code, folder, program } = await open('python');
    await writeFile(join(folder, 'program.py'), program);
    expect(await mypyErrors(folder, ['program.py', 'nasty.py'])).toBe('');
    await code.close();
  }, 120_000);

  it('has the functions that its help names, and the help shows what stands in the module', async () => {
    const { code, source, help, names, exec } = await open('python');
    const list = `import json, inspect, nasty
print(json.dumps([name for name, value in vars(nasty).items() if inspect.isfunction(value) and value.__module__ == "nasty"]))`;
    const typed = tools.flatMap(({ outputSchema }, at) => (outputSchema === undefined ? [] : [`${names[at]!}_json`]));
    const own = ['_call', '_call_json', '_parse', '_notice', '_post'];
    const found = (printed(await exec(list)) as string[]).filter((name) => !own.includes(name));
    expect(found.sort()).toEqual([...names, ...typed].sort());
    for (const name of names) expect(source).toContain(await help.execute({ function: name }));
    await code.close();
  });
});
