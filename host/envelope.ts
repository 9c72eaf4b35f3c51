import type { BlocksOutcome } from './binding.ts';
import { isObject } from './value.ts';

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

/** Errors and media are never fitted: the whole envelope stays as it is. */
export function isExempt(envelope: Envelope): boolean {
  return envelope.isError === true || envelope.content.some((block) => MEDIA.includes(block.type));
}

/** The texts of the text blocks, in order. */
export function blockTexts(envelope: Envelope): string[] {
  return envelope.content.filter(isText).map((block) => block.text);
}

/** The envelope with fitted texts in place of its own, and the notice where it could not stand inside. All else stays. */
export function withTexts(envelope: Envelope, { texts = [], noticeBlock, meta }: BlocksOutcome): Envelope {
  let next = 0;
  const content = envelope.content.map((block) => {
    const text = isText(block) ? texts[next++] : undefined;
    return text == null ? block : { ...block, text };
  });
  if (noticeBlock !== undefined) content.push({ type: 'text', text: noticeBlock });
  // A `truncation` of the tool's own is never touched; the notice block says the same.
  if (meta === undefined || envelope._meta?.truncation !== undefined) return { ...envelope, content };
  return { ...envelope, content, _meta: { ...envelope._meta, truncation: JSON.parse(meta) as unknown } };
}

function isText(block: Block): block is Block & { type: 'text'; text: string } {
  return block.type === 'text' && typeof block.text === 'string';
}
