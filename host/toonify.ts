import { isEnvelope, isError } from './envelope.ts';
import { isWrapped } from './marks.ts';
import { native } from './native.ts';
import { attempt } from './outcome.ts';
import { invalidOption } from './check.ts';
import { isRecoveryTool } from './recover.ts';
import { resultText } from './result-text.ts';
import type { RunnableTool } from './tool.ts';

/** How results are rendered that are JSON: as [TOON](https://toonformat.dev), or with `csv` as CSV where they are plain tables. */
export type Toonify = boolean | 'csv';

/** Checks the option `toonify`. */
export function parseToonify(toonify: unknown = false): Toonify {
  if (toonify === true || toonify === false || toonify === 'csv') return toonify;
  throw invalidOption('toonify', toonify, 'true, false or "csv"');
}

/** Whether notices may stand in a tool's results, which are JSON, or originals, which stay byte for byte. */
export function isFitted(name: string, tool: RunnableTool): boolean {
  return isWrapped(tool.execute) || isRecoveryTool(name, tool);
}

/** A result as TOON or CSV, where it is text that is JSON, or a value with a JSON form, and that is shorter. */
export function toonified(result: unknown, form: Toonify): unknown {
  if (form === false || (isEnvelope(result) && (isError(result) || result.content.some((block) => block.type !== 'text')))) return result;
  try {
    return attempt(() => native().toonify(resultText(result), form === 'csv')).text ?? result;
  } catch {
    // A result without a JSON form stays what it is.
    return result;
  }
}
