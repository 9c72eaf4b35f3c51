// The tool that the paginating servers have: every file of a folder, in a stable order.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const description = 'Lists every file of a folder.';

/**
 * @param {string} folder
 * @returns {{ name: string, path: string, type: string, depth: number, parent: string, hidden: boolean }[]}
 */
export function listing(folder, depth = 0) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    const own = {
      name: entry.name,
      path,
      type: entry.isDirectory() ? 'directory' : 'file',
      depth,
      parent: folder,
      hidden: entry.name.startsWith('.'),
    };
    return entry.isDirectory() ? [own, ...listing(path, depth + 1)] : [own];
  });
}

/** @type {Map<string, ReturnType<typeof listing>>} */
const listings = new Map();

/**
 * The listing of a folder, made once: every page asks for it again.
 * @param {string} folder
 */
export function listed(folder) {
  const known = listings.get(folder) ?? listing(folder);
  listings.set(folder, known);
  return known;
}
