#!/usr/bin/env node
// Starts the `snugfit` binary of this platform and steps aside: same streams, same signals, same exit code.
// Plain JavaScript without dependencies, since every call of the command pays for loading it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';
import { platformName } from './platform.js';

const platform = platformName();
const file = process.platform === 'win32' ? 'snugfit.exe' : 'snugfit';
const binary = findBinary();
if (binary === undefined) {
  fail(
    `no binary for ${platform}: neither the package @snugfit/${platform} nor npm/${platform}/bin/${file} is there.\n` +
      'In a checkout, build it with `make build` (needs Rust). Installed from a registry, install again without --omit=optional.',
  );
} else {
  run(binary, process.argv.slice(2));
}

/** The installed platform package first, then what a build left in this folder. */
function findBinary() {
  const built = fileURLToPath(new URL(`../npm/${platform}/bin/${file}`, import.meta.url));
  try {
    return createRequire(import.meta.url).resolve(`@snugfit/${platform}/bin/${file}`);
  } catch {
    return existsSync(built) ? built : undefined;
  }
}

function run(binary, args) {
  // With these the binary runs a configuration in JavaScript, if it comes across one.
  const env = {
    ...process.env,
    SNUGFIT_NODE: process.execPath,
    SNUGFIT_NODE_RUNS: fileURLToPath(new URL('script-config.js', import.meta.url)),
  };
  const child = spawn(binary, args, { stdio: 'inherit', env });
  child.on('error', (error) => fail(`cannot start ${binary}: ${error.message}`));

  // A terminal sends its signals to the binary too; passed on, they would count twice.
  const terminal = [0, 1, 2].some((fd) => isatty(fd));
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGBREAK']) {
    const fromTerminal = terminal && (signal === 'SIGINT' || signal === 'SIGQUIT');
    process.on(signal, () => fromTerminal || child.kill(signal));
  }

  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    // Ended by a signal, so this process ends by it as well and whoever waits sees the truth.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(message) {
  process.stderr.write(`snugfit: ${message}\n`);
  process.exitCode = 1;
}
