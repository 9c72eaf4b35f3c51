import { createRequire } from 'node:module';
import { SnugfitError } from '../errors.ts';

// Not named `require`, which the CommonJS build has already.
const load = createRequire(import.meta.url);

/** A module of an optional peer dependency. Throws `PEER_MISSING`, with what to install, where it is not there. */
export function peer(module: string, needs: string): unknown {
  try {
    return load(module) as unknown;
  } catch (thrown) {
    throw peerMissing(module, needs, thrown);
  }
}

/** As {@link peer}, for modules that only `import` can load. */
export async function importPeer<Module>(module: string, needs: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (thrown) {
    throw peerMissing(module, needs, thrown);
  }
}

function peerMissing(module: string, needs: string, cause: unknown): SnugfitError {
  const name = module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');
  return new SnugfitError('PEER_MISSING', `${needs} needs the package ${name}, which could not be loaded: npm install ${name}`, { cause });
}
