import type { NativeBudget } from './binding.ts';
import { type Budget, parseBudget } from './budget.ts';
import { checkKeys, invalidOption, oneOf, texts } from './check.ts';
import { SnugfitError } from './errors.ts';
import type { Mode } from './options.ts';

/** Rules for the tools whose names match a pattern. */
export interface ToolRules {
  /** Their budget. */
  shrinkfit?: Budget | undefined;
  /** What becomes of their results over the budget. */
  mode?: Mode | undefined;
  /** What must survive in their results: JSON Pointers with `*` (one segment) and `**` (any number), or bare key names. */
  protect?: readonly string[] | undefined;
  /** Their results pass as if snugfit were not there. */
  skip?: boolean | undefined;
}

/** Rules that were checked, for one tool. */
export interface Rules {
  budget?: NativeBudget;
  mode?: Mode;
  protect?: string[];
  skip?: boolean;
}

/** The rules of a tool by its name. */
export type PerTool = (name: string) => Rules;

const KNOWN = ['shrinkfit', 'mode', 'protect', 'skip'];

/** Checks rules by pattern. */
export function parsePerTool(perTool: unknown): PerTool {
  if (typeof perTool !== 'object' || perTool === null || Array.isArray(perTool))
    throw invalidOption('perTool', perTool, 'an object of rules by tool name, such as { "search_*": { shrinkfit: 4000 } }');
  const parsed = Object.entries(perTool).map(([pattern, rules]) => ({
    pattern: glob(pattern),
    rules: parseRules(`perTool[${JSON.stringify(pattern)}]`, rules),
  }));
  return (name) => Object.assign({}, ...parsed.filter(({ pattern }) => pattern(name)).map(({ rules }) => rules)) as Rules;
}

function parseRules(option: string, rules: unknown): Rules {
  checkKeys(option, rules, KNOWN);
  const { shrinkfit, mode, protect, skip } = rules as ToolRules;
  if (skip !== undefined && typeof skip !== 'boolean') throw invalidOption(`${option}.skip`, skip, 'true or false');
  return {
    ...(shrinkfit !== undefined && { budget: parseBudget(`${option}.shrinkfit`, shrinkfit) }),
    ...(mode !== undefined && { mode: modeOf(`${option}.mode`, mode) }),
    ...(protect !== undefined && { protect: texts(`${option}.protect`, protect) }),
    ...(skip !== undefined && { skip }),
  };
}

function modeOf(option: string, mode: unknown): Mode {
  // The proxy has this word.
  if (mode === 'off') throw new SnugfitError('INVALID_OPTION', `${option} has no "off": results pass with skip: true.`);
  return oneOf<Mode>(option, mode, ['condense', 'page', 'trim']);
}

/** Whether a name matches a pattern of `*` and `?`; in time linear in both but for retries after the last `*`. */
export function glob(pattern: string): (name: string) => boolean {
  return (name) => {
    let [p, n, star, retry] = [0, 0, -1, 0];
    while (n < name.length) {
      if (pattern[p] === '*') [star, retry, p] = [p, n, p + 1];
      else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === name[n])) [p, n] = [p + 1, n + 1];
      else if (star !== -1) [p, n, retry] = [star + 1, retry + 1, retry + 1];
      else return false;
    }
    while (pattern[p] === '*') p++;
    return p === pattern.length;
  };
}
