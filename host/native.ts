import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { platformName } from '../bin/platform.js';
import type { NativeBinding } from './binding.ts';
import { SnugfitError, messageOf } from './errors.ts';

/** Names a file to load instead of the platform's addon: other builds, tests. */
const OVERRIDE = 'SNUGFIT_NATIVE';

let loaded: NativeBinding | undefined;

/** The native addon, loaded on first use. Throws `NATIVE_MISSING` with what was looked for and what to do. */
export function native(): NativeBinding {
  loaded ??= find();
  return loaded;
}

function find(): NativeBinding {
  const platform = platformName();
  // Not named `require`, which the CommonJS build has already.
  const load = createRequire(import.meta.url);
  const { version } = load('../package.json') as { version: string };
  const failures: string[] = [];
  for (const candidate of candidates(platform)) {
    try {
      const binding = load(candidate) as NativeBinding;
      const found = binding.version();
      if (found === version) return binding;
      failures.push(`  ${candidate}: is version ${found}, but this is snugfit ${version}`);
    } catch (thrown) {
      failures.push(`  ${candidate}: ${reason(thrown)}`);
    }
  }
  throw new SnugfitError(
    'NATIVE_MISSING',
    `snugfit ${version} has no native addon for ${platform} (Node ${process.version}). Looked for:\n${failures.join('\n')}\n` +
      'Install snugfit again without --omit=optional; in a checkout build the addon with `npm run build:native` (needs Rust).',
  );
}

/** An installed platform package first, then what a build left in this package's own folder. */
function candidates(platform: string): string[] {
  const override = process.env[OVERRIDE];
  if (override) return [override];
  return [`@snugfit/${platform}`, fileURLToPath(new URL(`../npm/${platform}/snugfit.node`, import.meta.url))];
}

function reason(thrown: unknown): string {
  const code = (thrown as { code?: unknown } | null)?.code;
  return code === 'MODULE_NOT_FOUND' ? 'not there' : (messageOf(thrown).split('\n', 1)[0] ?? '');
}
