import { expect } from 'vitest';

/** A notice as a reader of previews finds it. */
export interface Notice {
  complete: boolean;
  message: string;
  report: Record<string, unknown>;
  response_id?: string;
}

/** The notice of a preview in any of its forms: last key, last element, last line, or the envelope form. */
export function noticeOf(preview: string): Notice {
  const found = fromJson(preview) ?? fromLastLine(preview);
  expect(found, `no notice in ${preview.slice(-300)}`).toBeDefined();
  return found!;
}

/** The notice of a shortened MCP envelope: in the last text block, or inside the only shortened one. */
export function envelopeNotice(envelope: { content: { type: string; text?: string }[] }): Notice {
  const texts = envelope.content.filter((block) => block.type === 'text').map((block) => block.text ?? '');
  for (const text of texts.reverse()) {
    const found = fromJson(text) ?? fromLastLine(text);
    if (found !== undefined) return found;
  }
  throw new Error('no notice in the envelope');
}

function fromJson(text: string): Notice | undefined {
  const value = parse(text);
  if (Array.isArray(value)) return truncation(value.at(-1));
  return truncation(value) ?? truncation((value as { _meta?: unknown } | undefined)?._meta);
}

function fromLastLine(text: string): Notice | undefined {
  return truncation(parse(text.slice(text.lastIndexOf('\n') + 1)));
}

function truncation(value: unknown): Notice | undefined {
  const notice = (value as { truncation?: Partial<Notice> } | null | undefined)?.truncation;
  return notice?.complete === undefined ? undefined : (notice as Notice);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The id that a preview names. */
export function idOf(preview: string): string {
  const { response_id: id } = noticeOf(preview);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  return id!;
}

/** Unicode scalar values; a lone surrogate counts as one. */
export function charsOf(text: string): number {
  return Array.from(text).length;
}

/** The value that an answer about part of an original holds. */
export function partOf(answer: string): unknown {
  return (JSON.parse(answer) as { part: unknown }).part;
}
