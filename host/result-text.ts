import { isUtf8 } from 'node:buffer';
import { blockTexts, isEnvelope, joinTexts } from './envelope.ts';
import { SnugfitError, messageOf } from './errors.ts';
import { isObject, textOf, toJson } from './value.ts';

/**
 * A result as one text, for commands and generated clients: of an MCP envelope its text blocks, or its structured content where it has none;
 * the whole envelope as JSON where there is more in it than text. Throws what an error envelope says, as tools themselves throw.
 */
export function resultText(value: unknown): string {
  if (!isEnvelope(value)) return plainText(value);
  if (value.isError === true) throw new ToolError(joinTexts(blockTexts(value)) || plainText(value));
  if (value.content.some((block) => block.type !== 'text')) return plainText(value);
  return value.content.length === 0 ? plainText(value.structuredContent) : joinTexts(blockTexts(value));
}

/**
 * A result as JSON, for callers that know its schema: the structured content of an MCP envelope, else its text, if that is all there is.
 * Throws what an error envelope says.
 */
export function resultJson(value: unknown): string {
  if (!isEnvelope(value)) return isObject(value) && !(value instanceof Uint8Array) ? written(() => toJson(value)) : plainText(value);
  if (value.isError === true || value.structuredContent === undefined) {
    const kinds = new Set(value.content.map(({ type }) => type).filter((type) => type !== 'text'));
    if (value.isError === true || kinds.size === 0) return resultText(value);
    const message = `the result has no structured content, but ${[...kinds].join(', ')} beside its text: call the function that returns text`;
    throw new SnugfitError('INVALID_ANSWER', message);
  }
  return written(() => toJson(value.structuredContent));
}

/** What a tool's error envelope says. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

function plainText(value: unknown): string {
  if (value instanceof Uint8Array && isUtf8(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
  return written(() => textOf(value));
}

function written(write: () => string | undefined): string {
  try {
    return write() ?? '';
  } catch (thrown) {
    throw new SnugfitError('INVALID_INPUT', `the result has no JSON form: ${messageOf(thrown)}; the tool has run`, { cause: thrown });
  }
}
