import { blockTexts, isEnvelope, joinTexts } from './envelope.ts';
import { SnugfitError, messageOf } from './errors.ts';
import { textOf } from './value.ts';

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

/** A result as JSON, for callers that know its schema: the structured content of an MCP envelope, else as {@link resultText}. */
export function resultJson(value: unknown): string {
  const structured = isEnvelope(value) && value.isError !== true ? value.structuredContent : undefined;
  return structured === undefined ? resultText(value) : plainText(structured);
}

/** What a tool's error envelope says. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

function plainText(value: unknown): string {
  try {
    return textOf(value) ?? '';
  } catch (thrown) {
    throw new SnugfitError('INVALID_INPUT', `the result has no JSON form: ${messageOf(thrown)}; the tool has run`, { cause: thrown });
  }
}
