import type { NativeBudget, NativeLimits } from './binding.ts';
import { type Budget, parseBudget } from './budget.ts';
import { checkKeys, invalidOption, oneOf } from './check.ts';
import type { FitEvent } from './event.ts';
import { type OriginalStore, type StoreLimits, parseStore } from './originals.ts';
import { type PerTool, type ToolRules, parsePerTool } from './per-tool.ts';

/** Options of {@link shrinkfitTools}. */
export interface ShrinkfitOptions {
  /** The budget of every result. Without it results pass as if snugfit were not there. */
  shrinkfit?: Budget | undefined;
  /** Rules for some of the tools, by name; `*` stands for any characters, `?` for one. Where several match, later ones win. */
  perTool?: Record<string, ToolRules> | undefined;
  /**
   * Where the notice of a plain string stands: `inline` (last key, last element, last line), or `envelope` (one JSON document whatever comes;
   * objects as inline).
   * @default 'inline'
   */
  notice?: 'inline' | 'envelope' | undefined;
  /** Limits of the store of originals, or a store of your own; `false`: nothing is kept, and no recovery tool is added. */
  store?: StoreLimits | OriginalStore | false | undefined;
  /** Told about every result that was over the budget, for logs and meters. */
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
  notice: 'inline' | 'envelope';
  store: NativeLimits | OriginalStore | false;
  structured: 'keep' | 'auto';
  errors: 'keep' | 'fit';
  multimodal: 'keep' | 'fit';
  target: 'result' | 'model';
  onInternalError: 'passthrough' | 'error';
  onFit: ShrinkfitOptions['onFit'];
  relevance: ShrinkfitOptions['relevance'];
  redact: ShrinkfitOptions['redact'];
}

/** Options that are one of a few words, the default first. */
const WORDS = {
  notice: ['inline', 'envelope'],
  structured: ['keep', 'auto'],
  errors: ['keep', 'fit'],
  multimodal: ['keep', 'fit'],
  target: ['result', 'model'],
  onInternalError: ['passthrough', 'error'],
} as const;
const FUNCTIONS = ['onFit', 'relevance', 'redact'] as const;
/** The names of the options that exist. */
export const SHRINKFIT_OPTIONS = ['shrinkfit', 'perTool', 'store', ...Object.keys(WORDS), ...FUNCTIONS];
const LATER = ['mode', 'recoveryBudget'];

/** Checks options; `undefined` without a budget. */
export function parseOptions(options: unknown): ParsedOptions | undefined {
  checkKeys('options', options, SHRINKFIT_OPTIONS, LATER);
  const given = options as ShrinkfitOptions;
  const { perTool = {}, store = {} } = given;
  for (const name of FUNCTIONS) {
    if (given[name] !== undefined && typeof given[name] !== 'function') throw invalidOption(name, given[name], 'a function');
  }
  const parsed = {
    ...parseWords(given),
    perTool: parsePerTool(perTool),
    store: parseStore(store),
    onFit: given.onFit,
    relevance: given.relevance,
    redact: given.redact,
  };
  return given.shrinkfit === undefined ? undefined : { budget: parseBudget('shrinkfit', given.shrinkfit), ...parsed };
}

type Words = { -readonly [Name in keyof typeof WORDS]: (typeof WORDS)[Name][number] };

function parseWords(given: ShrinkfitOptions): Words {
  const names = Object.keys(WORDS) as (keyof typeof WORDS)[];
  return Object.fromEntries(
    names.map((name) => [name, given[name] === undefined ? WORDS[name][0] : oneOf<string>(name, given[name], WORDS[name])]),
  ) as Words;
}
