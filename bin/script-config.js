// Configurations in JavaScript: found, run, and handed to the binary as JSON in its environment, where only this user can read it.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What a directory may have its configuration in, the first that is there counts; as crates/proxy/src/config/load.rs has it. */
const NAMES = [
  ...['yaml', 'yml', 'json', 'js', 'mjs'].map((extension) => `snugfit.config.${extension}`),
  ...['yaml', 'yml', 'json'].map((extension) => `.snugfit.${extension}`),
  'package.json',
];

/** Subcommands that read no configuration. */
const WITHOUT = ['fit', 'page', 'init', 'help'];

/** The most that the environment holds in one variable on Linux, with room for its name. */
const MOST = 128_000;

/**
 * The variables that the binary gets beside those that are there: none where its configuration is no script.
 *
 * @param {string[]} args the command line, without Node and the launcher
 * @returns {Promise<Record<string, string>>}
 * @throws what the script throws, or that it gives no configuration
 */
export async function scriptVariables(args) {
  const file = scriptOf(args);
  if (file === undefined) return {};
  const module = await import(pathToFileURL(file).href);
  const exported = module.default ?? module;
  const json = JSON.stringify(typeof exported === 'function' ? await exported() : exported, null, 2);
  if (json === undefined) throw new Error('exports no configuration: expected an object, or a function that gives one');
  if (Buffer.byteLength(json) > MOST) throw new Error('gives more than 128 kB; write so much as JSON or YAML');
  return { SNUGFIT_EVALUATED_CONFIG: json, SNUGFIT_EVALUATED_CONFIG_PATH: file };
}

/**
 * The script that the command line names or, where it names no configuration, that is found from here upward.
 *
 * @param {string[]} args
 * @returns {string | undefined}
 */
export function scriptOf(args) {
  const end = args.indexOf('--');
  const own = end < 0 ? args : args.slice(0, end);
  if (WITHOUT.includes(own[0] ?? '')) return undefined;
  const named = own[0] === 'validate-file' ? own.slice(1).find((arg) => !arg.startsWith('-')) : configOf(own);
  if (named !== undefined) return isScript(named) ? resolve(named) : undefined;
  // One server after --: no configuration is searched for.
  if (end >= 0 || own[0] === 'validate-file') return undefined;
  const found = search(process.cwd());
  return found !== undefined && isScript(found) ? found : undefined;
}

/** What `--config` or `-c` has, in each of the forms in which it may be written. */
function configOf(args) {
  for (const [at, arg] of args.entries()) {
    if (arg === '--config' || arg === '-c') return args[at + 1];
    if (arg.startsWith('--config=')) return arg.slice('--config='.length);
    if (/^-c./.test(arg)) return arg.slice(arg[2] === '=' ? 3 : 2);
  }
  return undefined;
}

function search(directory) {
  const found = NAMES.map((name) => join(directory, name)).find(
    (path) => existsSync(path) && statSync(path).isFile() && (!path.endsWith('package.json') || hasKey(path)),
  );
  const above = dirname(directory);
  return found ?? (above === directory ? undefined : search(above));
}

function hasKey(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).snugfit !== undefined;
  } catch {
    return false;
  }
}

function isScript(path) {
  return /\.m?js$/i.test(path);
}
