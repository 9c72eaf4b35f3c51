import type { NativeReport } from './binding.ts';

/** What a fit did. All counters at zero means that nothing at all was lost. */
export interface Report {
  /** Unicode characters of the input. */
  inputChars: number;
  /** Unicode characters of the output, the notice included. */
  outputChars: number;
  /** The limit in characters, or the first limit named where there is none in characters. */
  budget: number;
  /** The kind of content found, such as `json`, `log`, `text`. */
  kind: string;
  /** Nothing was left out (white space apart). */
  complete: boolean;
  /** The input was within the budget, or could be made so without a cut. */
  fits: boolean;
  /** Something was cut. */
  pruned: boolean;
  /** List elements, records or rows left out. */
  itemsOmitted: number;
  /** Object keys left out, over all objects. */
  keysOmitted: number;
  /** Texts shortened. */
  stringsTruncated: number;
  /** Lines left out. */
  linesOmitted: number;
  /** Raw characters that had to be replaced (invalid UTF-8, lone surrogates) or removed (escape sequences). */
  replaced: number;
  /** The levers used, cheapest first. */
  levers: string[];
  /** The largest cuts, largest first. */
  omitted: Omission[];
}

/** One cut: where it was and how much went. */
export interface Omission {
  /** A JSON Pointer, with `*` for a segment that varies and `a..b` for a range of elements. */
  path?: string;
  /** 1-based lines of a text, inclusive, such as `120-180`. */
  lines?: string;
  /** Elements, records, keys or lines. */
  items?: number;
  /** Characters. */
  chars?: number;
}

/** The addon's report is the public one: the compiler checks that neither side drifts. */
export function toReport(report: NativeReport): Report {
  return report;
}
