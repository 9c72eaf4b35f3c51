import { type Envelope, isEnvelope } from './envelope.ts';
import { type Call, fitResult } from './result.ts';
import type { Toolset } from './toolset.ts';
import { isObject, isThenable } from './value.ts';

/** The types of content parts, as frameworks name them; records that have a `type` of their own are none. */
const TYPES = new Set([
  ...['text', 'image', 'audio', 'video', 'file', 'media', 'resource', 'resource_link', 'image_url', 'input_audio'],
  ...['input_text', 'input_image', 'input_file', 'file-data', 'file-url', 'file-id', 'image-data', 'image-url', 'image-file-id', 'custom'],
]);

/** Whether a value is content for a model in parts: texts, images and the like. */
export function isParts(value: unknown): value is { type: string }[] {
  return Array.isArray(value) && value.length > 0 && value.every(isPart);
}

/** Whether a value is a single part of content. */
export function isPart(value: unknown): value is { type: string } {
  if (!isObject(value) || typeof value.type !== 'string' || !TYPES.has(value.type)) return false;
  return value.type !== 'text' || typeof value.text === 'string';
}

/** As {@link fitResult}, for content in parts: the texts share the budget, as those of an MCP result do. */
export function fitParts(toolset: Toolset, call: Call, parts: { type: string }[], fit: typeof fitResult = fitResult): unknown {
  const isAllText = parts.every(({ type }) => type === 'text');
  if (!isAllText && toolset.options.multimodal === 'keep') return parts;
  const envelope: Envelope = { content: parts };
  if (!isEnvelope(envelope)) return parts;
  return after(fit(toolset, call, envelope), (fitted) => (fitted === envelope ? parts : (fitted as Envelope).content));
}

/** What `use` makes of a value, at once or when it is there. */
export function after(value: unknown, use: (value: unknown) => unknown): unknown {
  return isThenable(value) ? Promise.resolve(value).then(use) : use(value);
}
