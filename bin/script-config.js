// Runs a configuration in JavaScript and prints what it gives as JSON, or why it gives none. The binary has Node run this for a script that it found.
import { pathToFileURL } from 'node:url';

// What the script itself prints is no part of the configuration.
const print = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

try {
  const module = await import(pathToFileURL(process.argv[2]).href);
  const exported = module.default ?? module;
  const json = JSON.stringify(typeof exported === 'function' ? await exported() : exported, null, 2);
  if (json === undefined) throw new Error('exports no configuration: expected an object, or a function that gives one');
  // What the script left open is no reason to stay.
  print(json, () => process.exit());
} catch (error) {
  print(error instanceof Error ? error.message : String(error), () => process.exit(2));
}
