import { SnugfitError } from './errors.ts';
import { suggest } from './suggest.ts';

/** An `INVALID_OPTION` that names the option, what was given and what is allowed. */
export function invalidOption(option: string, given: unknown, allowed: string): SnugfitError {
  return new SnugfitError('INVALID_OPTION', `${option} must be ${allowed}, not ${show(given)}.`);
}

/** Checks that `options` is an object whose keys are known; `later` are those that the specification names for later versions. */
export function checkKeys(name: string, options: unknown, known: readonly string[], later: readonly string[] = []): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) throw invalidOption(name, options, 'an object');
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    if (later.includes(key)) throw new SnugfitError('INVALID_OPTION', `${name}.${key} comes in a later version of snugfit; leave it out.`);
    const meant = suggest(key, known);
    const hint = meant === undefined ? `allowed are ${known.join(', ')}` : `did you mean ${meant}?`;
    throw new SnugfitError('INVALID_OPTION', `${name}.${key} is no option: ${hint}`);
  }
}

/** Checks a count: 1, 2, 3 … as far as numbers are exact. */
export function positiveInteger(option: string, value: unknown, unit: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw invalidOption(option, value, `a positive integer of ${unit}`);
  }
  return value;
}

/** Checks one of a few words. */
export function oneOf<Word extends string>(option: string, value: unknown, words: readonly Word[]): Word {
  const word = words.find((known) => known === value);
  if (word === undefined) throw invalidOption(option, value, words.map((known) => JSON.stringify(known)).join(' or '));
  return word;
}

/** Checks a text. */
export function text(option: string, value: unknown): string {
  if (typeof value !== 'string') throw invalidOption(option, value, 'a string');
  return value;
}

/** Checks a list of texts. */
export function texts(option: string, value: unknown): string[] {
  if (!Array.isArray(value)) throw invalidOption(option, value, 'an array of strings');
  return value.map((item, index) => text(`${option}[${index}]`, item));
}

/** A value as an error message shows it: short, and never its whole content. */
function show(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value.length > 40 ? `a string of ${value.length} characters` : JSON.stringify(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? 'an array' : 'an object';
    case 'function':
      return 'a function';
    case 'bigint':
      return `${value}n`;
    default:
      return String(value);
  }
}
