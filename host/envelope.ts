import { randomUUID } from 'node:crypto';
import type { BlocksOutcome } from './binding.ts';
import { isObject, toJson } from './value.ts';

/** An MCP `CallToolResult`, as far as it concerns us. */
export interface Envelope {
  content: Block[];
  structuredContent?: unknown;
  isError?: unknown;
  _meta?: Record<string, unknown>;
}

interface Block {
  type: string;
  text?: unknown;
}

/** What each content block of MCP must have beside its `type`; a `resource_link` is no media, since it holds no content. */
const BLOCKS: Record<string, (block: Record<PropertyKey, unknown>) => boolean> = {
  text: (block) => typeof block.text === 'string',
  image: (block) => typeof block.data === 'string',
  audio: (block) => typeof block.data === 'string',
  resource: (block) => isObject(block.resource),
  resource_link: (block) => typeof block.uri === 'string',
};
const MEDIA = ['image', 'audio', 'resource'];

/**
 * Whether a value is an MCP envelope: `content` is an array of typed blocks, at least one of which is a block of MCP (rich-text documents
 * have typed blocks too). Without blocks it is one if it has `structuredContent`.
 */
export function isEnvelope(value: unknown): value is Envelope {
  if (!isObject(value) || !Array.isArray(value.content)) return false;
  const blocks: unknown[] = value.content;
  if (blocks.length === 0) return 'structuredContent' in value;
  return blocks.every(isTyped) && blocks.some((block) => Object.hasOwn(BLOCKS, block.type) && BLOCKS[block.type]?.(block));
}

function isTyped(block: unknown): block is Record<PropertyKey, unknown> & { type: string } {
  return isObject(block) && typeof block.type === 'string';
}

/** Whether an envelope is an error. */
export function isError(envelope: Envelope): boolean {
  return envelope.isError === true;
}

/** Whether an envelope has content that is no text. */
export function hasMedia(envelope: Envelope): boolean {
  return envelope.content.some((block) => MEDIA.includes(block.type));
}

/** The texts of the text blocks, in order. */
export function blockTexts(envelope: Envelope): string[] {
  return envelope.content.filter(isText).map((block) => block.text);
}

/** The texts of several blocks as one. */
export function joinTexts(texts: readonly string[]): string {
  return texts.join('\n');
}

/** The envelope with other texts in place of its own; `null` leaves one as it is. All else stays, by the same reference. */
export function withTexts(envelope: Envelope, texts: readonly (string | null)[]): Envelope {
  let next = 0;
  const content = envelope.content.map((block) => {
    const text = isText(block) ? texts[next++] : undefined;
    return text == null ? block : { ...block, text };
  });
  return { ...envelope, content };
}

/** The envelope as a preview: fitted texts, and the notice where it could not stand inside. */
export function previewOf(envelope: Envelope, outcome: BlocksOutcome): Envelope {
  const preview = withTexts(envelope, outcome.texts ?? []);
  if (outcome.structured !== undefined) preview.structuredContent = JSON.parse(outcome.structured) as unknown;
  if (outcome.structuredRepeats) delete preview.structuredContent;
  if (outcome.noticeBlock !== undefined) preview.content.push({ type: 'text', text: outcome.noticeBlock });
  // A `truncation` of the tool's own is never touched; the notice block says the same.
  if (outcome.meta !== undefined && envelope._meta?.truncation === undefined)
    preview._meta = { ...envelope._meta, truncation: JSON.parse(outcome.meta) as unknown };
  return preview;
}

/** Stands for a text in the JSON of an envelope; nobody else can have written it. */
const PLACE = `snugfit:${randomUUID()}`;

/**
 * The JSON of an envelope, cut where the texts of its text blocks stand: the addon has those already, and a `JSON.stringify` of large texts
 * would hold the event loop. Throws for cycles and BigInt.
 */
export function jsonAround(envelope: Envelope): string[] {
  const blocks = envelope.content.filter(isText);
  if ([envelope, envelope.content, ...blocks].some((part) => 'toJSON' in part)) return [toJson(envelope) ?? ''];
  const places = withTexts(
    envelope,
    blocks.map(() => PLACE),
  );
  return (toJson(places) ?? '').split(JSON.stringify(PLACE));
}

function isText(block: Block): block is Block & { type: 'text'; text: string } {
  return block.type === 'text' && typeof block.text === 'string';
}
