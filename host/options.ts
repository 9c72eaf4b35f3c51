import type { NativeBudget, NativeLimits } from './binding.ts';
import { type Budget, parseBudget } from './budget.ts';
import { checkKeys, invalidOption, oneOf } from './check.ts';
import { SnugfitError } from './errors.ts';
import type { FitEvent } from './event.ts';
import { type OriginalStore, type StoreLimits, parseStore } from './originals.ts';
import { type PerTool, type ToolRules, parsePerTool } from './per-tool.ts';
import { type TurnBudget, type Turns, parseTurnBudget } from './turn.ts';

/** Options of {@link shrinkfitTools}. */
export interface ShrinkfitOptions {
  /** The budget of every result. Without it results pass as if snugfit were not there. */
  shrinkfit?: Budget | undefined;
  /** Rules for some of the tools, by name; `*` stands for any characters, `?` for one. Where several match, later ones win. */
  perTool?: Record<string, ToolRules> | undefined;
  /**
   * What becomes of a result over the budget. `condense`: a preview of what tells most. `page`: its first page of whole items, with a cursor
   * for the recovery tool, which gives the others. `trim`: its first part. What has no list or text to page is condensed.
   * @default 'condense'
   */
  mode?: Mode | undefined;
  /**
   * Where the notice of a plain string stands: `inline` (last key, last element, last line), or `envelope` (one JSON document whatever comes;
   * objects as inline).
   * @default 'inline'
   */
  notice?: 'inline' | 'envelope' | undefined;
  /** Limits of the store of originals, or a store of your own; `false`: nothing is kept, and no recovery tool is added. */
  store?: StoreLimits | OriginalStore | false | undefined;
  /**
   * Every wrapped tool takes `{"$recover":{"response_id":"…","path":"/body"}}` in place of any argument value and is run with the original,
   * or its part, that it names: a model hands a long result to a writing tool without copying it. Its description says so.
   * @default false
   */
  passOriginals?: boolean | undefined;
  /**
   * The budget of partial reads by the recovery tool.
   * @default shrinkfit
   */
  recoveryBudget?: Budget | undefined;
  /**
   * What the results of a turn may take together, by `createTurnBudget`; may be shared by several maps. Not with `target: 'model'`, which asks
   * for the same result again and again.
   */
  turnBudget?: TurnBudget | undefined;
  /** Told about every result over the budget, for logs and meters; not about what passes by rule: `skip`, and errors and media that are kept. */
  onFit?: ((event: FitEvent) => unknown) | undefined;
  /** Extra words that say what the agent is after; the call's arguments are always used. */
  relevance?: ((call: ToolCall) => string) | undefined;
  /**
   * `structuredContent` of MCP results. `keep`: never touched. `auto`, for hosts that show it to the model: it counts against the budget, is
   * left out of a preview whose text it repeats, and is fitted as the text is otherwise.
   * @default 'keep'
   */
  structured?: 'keep' | 'auto' | undefined;
  /**
   * Errors, thrown or in results with `isError`. `keep`: never shortened and never stored. `fit`: long ones are, as results are.
   * @default 'keep'
   */
  errors?: 'keep' | 'fit' | undefined;
  /**
   * Texts beside an image, audio or embedded resource. `keep`: the whole result stays as it is. `fit`: they are fitted, the media stay.
   * @default 'keep'
   */
  multimodal?: 'keep' | 'fit' | undefined;
  /**
   * What is fitted. `result`: what `execute` returns. `model`, for AI SDK hosts whose own UI shows complete results: only what the model
   * sees, in `toModelOutput`.
   * @default 'result'
   */
  target?: 'result' | 'model' | undefined;
  /**
   * Takes secrets out of what is about to be kept or shown in a preview: is given the text of the result, or each text of an MCP result.
   * A result within the budget is neither, and passes untouched. If it throws, the call fails.
   */
  redact?: ((text: string) => string) | undefined;
  /**
   * A fault of snugfit itself: `passthrough` hands out the result as it was, `error` fails the call. `onFit` hears of it either way.
   * @default 'passthrough'
   */
  onInternalError?: 'passthrough' | 'error' | undefined;
}

/** What becomes of a result over the budget. */
export type Mode = 'condense' | 'page' | 'trim';

/** A call of a tool, as {@link ShrinkfitOptions.relevance} sees it. */
export interface ToolCall {
  /** The tool's name in the map. */
  tool: string;
  /** What it was called with. */
  input: unknown;
}

/** Options that were checked. */
export interface ParsedOptions {
  budget: NativeBudget;
  perTool: PerTool;
  mode: Mode;
  notice: 'inline' | 'envelope';
  store: NativeLimits | OriginalStore | false;
  structured: 'keep' | 'auto';
  errors: 'keep' | 'fit';
  multimodal: 'keep' | 'fit';
  target: 'result' | 'model';
  onInternalError: 'passthrough' | 'error';
  recoveryBudget: NativeBudget;
  passOriginals: boolean;
  onFit: ShrinkfitOptions['onFit'];
  relevance: ShrinkfitOptions['relevance'];
  redact: ShrinkfitOptions['redact'];
  turnBudget: Turns | undefined;
}

/** Options that are one of a few words, the default first. */
const WORDS = {
  mode: ['condense', 'page', 'trim'],
  notice: ['inline', 'envelope'],
  structured: ['keep', 'auto'],
  errors: ['keep', 'fit'],
  multimodal: ['keep', 'fit'],
  target: ['result', 'model'],
  onInternalError: ['passthrough', 'error'],
} as const;
const FUNCTIONS = ['onFit', 'relevance', 'redact'] as const;
/** The names of the options that exist. */
export const SHRINKFIT_OPTIONS = [
  'shrinkfit',
  'perTool',
  'store',
  'recoveryBudget',
  'passOriginals',
  'turnBudget',
  ...Object.keys(WORDS),
  ...FUNCTIONS,
];

/** Checks options; `undefined` without a budget. */
export function parseOptions(options: unknown): ParsedOptions | undefined {
  checkKeys('options', options, SHRINKFIT_OPTIONS);
  const given = options as ShrinkfitOptions;
  const { perTool = {}, store = {}, passOriginals = false } = given;
  if (typeof passOriginals !== 'boolean') throw invalidOption('passOriginals', passOriginals, 'true or false');
  for (const name of FUNCTIONS) {
    if (given[name] !== undefined && typeof given[name] !== 'function') throw invalidOption(name, given[name], 'a function');
  }
  const parsed = {
    ...parseWords(given),
    perTool: parsePerTool(perTool),
    store: parseStore(store),
    passOriginals,
    onFit: given.onFit,
    relevance: given.relevance,
    redact: given.redact,
    turnBudget: parseTurnBudget(given.turnBudget),
  };
  if (parsed.turnBudget !== undefined && parsed.target === 'model')
    throw new SnugfitError('INVALID_OPTION', "turnBudget does not go with target: 'model', which fits a result anew for every request.");
  const reads = given.recoveryBudget === undefined ? undefined : parseBudget('recoveryBudget', given.recoveryBudget);
  if (given.shrinkfit === undefined) return undefined;
  const budget = parseBudget('shrinkfit', given.shrinkfit);
  return { budget, recoveryBudget: reads ?? budget, ...parsed };
}

type Words = { -readonly [Name in keyof typeof WORDS]: (typeof WORDS)[Name][number] };

function parseWords(given: ShrinkfitOptions): Words {
  const names = Object.keys(WORDS) as (keyof typeof WORDS)[];
  return Object.fromEntries(
    names.map((name) => [name, given[name] === undefined ? WORDS[name][0] : oneOf<string>(name, given[name], WORDS[name])]),
  ) as Words;
}
