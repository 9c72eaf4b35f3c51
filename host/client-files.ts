import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import type { NativeFile } from './binding.ts';
import { invalidOption } from './check.ts';
import { SnugfitError, messageOf } from './errors.ts';

/** Where the files of a generated client are, and what a shell needs to find them. */
export interface WrittenClient {
  /** Absolute paths of the files that were written; none without `outputDir`. */
  paths: string[];
  /** All files, by path relative to the folder of the client. Those whose name begins with a dot hold the token: keep them private. */
  files: Record<string, string>;
  /** Variables for the process that uses it: of commands the `PATH`, of Python the `PYTHONPATH`, with the folder of the client before it. */
  environment: Record<string, string>;
}

/** Writes the files of a client where `outputDir` says so; `variable` names the list of folders in which they are looked for. */
export async function writeClient(generated: readonly NativeFile[], outputDir: unknown, variable?: string): Promise<WrittenClient> {
  const files = Object.fromEntries(generated.map(({ path, content }) => [path, content]));
  if (outputDir === undefined) return { paths: [], files, environment: {} };
  if (typeof outputDir !== 'string' || outputDir === '') throw invalidOption('outputDir', outputDir, 'the path of a folder');
  const folder = resolve(outputDir);
  try {
    await mkdir(folder, { recursive: true });
    const paths = [];
    for (const file of generated) paths.push(await write(folder, file));
    return { paths, files, environment: variable === undefined ? {} : { [variable]: before(folder, process.env[variable]) } };
  } catch (thrown) {
    throw new SnugfitError('BRIDGE_FAILED', `the client cannot be written to ${folder}: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** A list of folders with one more before it. */
function before(folder: string, list = ''): string {
  return list === '' ? folder : `${folder}${delimiter}${list}`;
}

/** A new file takes the place of an old one, so that nobody reads it half written and no link is followed. */
async function write(folder: string, { path, content, mode }: NativeFile): Promise<string> {
  const place = join(folder, path);
  const fresh = join(folder, `.${path}.${process.pid}.${Date.now()}`);
  await writeFile(fresh, content, { mode, flag: 'wx' });
  // The process's mask may have taken bits away.
  await chmod(fresh, mode);
  await rename(fresh, place);
  return place;
}
