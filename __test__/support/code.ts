import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { type CodeLanguage, type CodeModeOptions, transformToolsForCodeMode } from '../../host/index.ts';
import { type Ran, run, temporaryFolder } from './shell.ts';

/** The Node that runs generated TypeScript: that of the variable, else the one that `.ci/run` installs, since 20 strips no types. */
const NODE = process.env.SNUGFIT_TEST_NODE ?? installedNode() ?? process.execPath;
const STRIP = ['--experimental-strip-types', '--no-warnings'];
const stripsTypes = (await run(NODE, [...STRIP, '-e', '0'])).exitCode === 0;

/** Where `.ci/run` puts mypy, or where the PATH finds it; `undefined`: it is not there, and what needs it is skipped. */
export const MYPY = await findMypy();
export const NO_MYPY = 'mypy is not installed: python3 -m venv target/mypy && target/mypy/bin/pip install mypy';

async function findMypy(): Promise<string | undefined> {
  const ours = fileURLToPath(new URL('../../target/mypy/bin/mypy', import.meta.url));
  if (existsSync(ours)) return ours;
  const found = await run('/bin/sh', ['-c', 'mypy --version']);
  return found.exitCode === 0 ? 'mypy' : undefined;
}

function installedNode(): string | undefined {
  const path = `../../target/node-22/node_modules/node-${process.platform}-${process.arch}/bin/node`;
  const place = fileURLToPath(new URL(path, import.meta.url));
  return existsSync(place) ? place : undefined;
}

export const ENDING: Record<CodeLanguage, string> = { typescript: 'ts', python: 'py' };

/** A module of a tool map, in a folder of its own. */
export async function openCode(tools: object, language: CodeLanguage, options: Partial<CodeModeOptions> = {}) {
  const folder = await temporaryFolder();
  const code = await transformToolsForCodeMode(tools, { serverName: 'shop', language, outputDir: folder, ...options });
  const source = code.files[`${code.module}.${ENDING[language]}`]!;
  return {
    code,
    folder,
    source,
    exec: (program: string) => runProgram(language, folder, program, { ...process.env, ...code.environment }),
  };
}

/** Runs a program beside a module: TypeScript with its types stripped by Node, where it can, else by the compiler. */
export async function runProgram(language: CodeLanguage, folder: string, program: string, env: NodeJS.ProcessEnv): Promise<Ran> {
  const place = join(folder, `program.${ENDING[language]}`);
  await writeFile(place, program);
  if (language === 'python') return run('python3', ['-B', place], { env });
  if (stripsTypes) return run(NODE, [...STRIP, place], { env });
  const modules = [...program.matchAll(/from "\.\/(.*)\.ts"/g)].map(([, name]) => `${name!}.ts`);
  for (const name of ['program.ts', ...modules]) {
    const stripped = ts.transpileModule(await readFile(join(folder, name), 'utf8'), {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true },
    });
    const text = stripped.outputText.replaceAll(/from "\.\/(.*)\.ts"/g, 'from "./$1.mjs"');
    await writeFile(join(folder, name.replace(/\.ts$/, '.mjs')), text);
  }
  return run(NODE, [join(folder, 'program.mjs')], { env });
}

/** What a program prints as JSON on its last line; fails with what went wrong instead. */
export function printed(ran: Ran): unknown {
  if (ran.exitCode !== 0) throw new Error(`exit code ${ran.exitCode}: ${ran.stderr.slice(-4000)}`);
  return JSON.parse(ran.stdout.trim().split('\n').at(-1)!);
}

/** What mypy says of a program beside a module. Only where {@link MYPY} is. */
export async function mypyErrors(folder: string, files: string[]): Promise<string> {
  const ran = await run(MYPY!, ['--strict', '--cache-dir', join(folder, 'cache'), ...files.map((name) => join(folder, name))]);
  return ran.exitCode === 0 ? '' : ran.stdout + ran.stderr;
}

/** What the TypeScript compiler says of files, under its strictest options, without any library beyond the language's own. */
export function typeErrors(files: string[], options: ts.CompilerOptions = {}): string[] {
  const program = ts.createProgram(files, {
    strict: true,
    noUncheckedIndexedAccess: true,
    noImplicitOverride: true,
    exactOptionalPropertyTypes: true,
    erasableSyntaxOnly: true,
    isolatedModules: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts'],
    types: [],
    ...options,
  });
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file === undefined ? '' : `${file.fileName}:${ts.getLineAndCharacterOfPosition(file, start).line + 1} `;
    return line + ts.flattenDiagnosticMessageText(messageText, '\n');
  });
}

/** The names of the functions that the help tool's description lists, in the order of the tools. */
export function functionsIn(description: string): string[] {
  const list = description.slice(description.indexOf('Functions:\n') + 'Functions:\n'.length);
  return list.includes('(') ? list.split('\n').map((line) => line.slice(0, line.indexOf('('))) : list.split(' ');
}

/** A JSON value as a literal of Python. */
function python(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, field]) => `${JSON.stringify(name)}: ${python(field)}`)
    .join(', ')}}`;
}

/** A program that calls each function with an input, written out so that compilers check it, and prints what they answer, parsed. */
export function callingProgram(language: CodeLanguage, module: string, calls: readonly Call[]): string {
  const lines = calls.map((call) => `answers.${language === 'python' ? 'append' : 'push'}(${written(language, module, call)})`);
  if (language === 'python') {
    return [
      'import json',
      'from typing import Any, List',
      `import ${module}`,
      'answers: List[Any] = []',
      ...lines,
      'print(json.dumps(answers))',
    ].join('\n');
  }
  const head = [
    `import * as ${module} from "./${module}.ts";`,
    'declare const console: { log(text: string): void };',
    'const answers: unknown[] = [];',
  ];
  return [...head, ...lines, 'console.log(JSON.stringify(answers));'].join('\n');
}

/** A call of a function. */
export interface Call {
  name: string;
  input: Record<string, unknown>;
  /** By the typed variant. */
  typed?: boolean;
  /** What Python calls the properties that it cannot call by their names. */
  parameters?: Record<string, string> | undefined;
}

function written(language: CodeLanguage, module: string, { name, input, typed = false, parameters = {} }: Call): string {
  if (language === 'python') {
    const parameter = (property: string) => (Object.hasOwn(parameters, property) ? parameters[property]! : property);
    const given = Object.entries(input).map(([property, value]) => `${parameter(property)}=${python(value)}`);
    return typed ? `${module}.${name}_json(${given.join(', ')})` : `json.loads(${module}.${name}(${given.join(', ')}))`;
  }
  const json = JSON.stringify(input);
  // Written out, `__proto__` would be the prototype.
  const given = Object.hasOwn(input, '__proto__') ? `JSON.parse(${JSON.stringify(json)})` : json;
  return typed ? `await ${module}.${name}.json(${given})` : `JSON.parse(await ${module}.${name}(${given}))`;
}
