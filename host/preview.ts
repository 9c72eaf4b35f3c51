import { blockTexts, isEnvelope } from './envelope.ts';
import { isObject } from './value.ts';

/** What a preview says of itself; pages of this package and of its proxy say it in `page`. */
export interface PreviewNotice {
  complete: false;
  message: string;
  response_id?: string;
  [field: string]: unknown;
}

/** A result that was cut, in the place of a value, for who asked for all of it or nothing. */
export class Preview {
  readonly value: unknown;
  readonly #responseId: string | undefined;

  constructor(value: unknown, responseId: string | undefined) {
    this.value = value;
    this.#responseId = responseId;
  }

  /** The notice, also of a preview that carries none. */
  get notice(): PreviewNotice {
    const id = this.#responseId;
    const notice = noticeOf(this.value) ?? {
      complete: false,
      message:
        id === undefined
          ? 'the result is cut and its original is not kept; ask for less at a time'
          : 'the result is cut; read the missing part by its response_id',
    };
    return { ...notice, ...(id !== undefined && { response_id: id }) };
  }
}

/**
 * The notice of a result that was cut before it came here, by whatever holds one: structured content, a text, or the `_meta` of an MCP
 * envelope.
 */
export function noticeOf(value: unknown): PreviewNotice | undefined {
  if (typeof value === 'string') return noticeInText(value);
  if (!isEnvelope(value)) return noticeIn(value);
  const places = [
    () => noticeIn(value._meta),
    () => noticeIn(value.structuredContent),
    ...blockTexts(value).map((text) => () => noticeInText(text)),
  ];
  for (const place of places) {
    const notice = place();
    if (notice !== undefined) return notice;
  }
  return undefined;
}

/** A text has its notice in the JSON that it is, or on its last line. */
function noticeInText(text: string): PreviewNotice | undefined {
  // Nothing else is worth a parse.
  if (!text.includes('"truncation"') && !text.includes('"note"')) return undefined;
  return noticeIn(parsed(text)) ?? noticeIn(parsed(text.slice(text.lastIndexOf('\n') + 1)));
}

/** The notice in a value's last element, or in a field. */
function noticeIn(value: unknown): PreviewNotice | undefined {
  const at: unknown = Array.isArray(value) ? value.at(-1) : value;
  if (!isObject(at)) return undefined;
  const { truncation, page } = at;
  if (isObject(truncation) && truncation.complete === false) {
    const { message } = truncation;
    return { ...truncation, complete: false, message: typeof message === 'string' ? message : 'the result is cut' };
  }
  if (!isObject(page) || typeof page.note !== 'string' || !/^\d+-\d+ of \d+$/.test(String(page.items))) return undefined;
  return { ...page, complete: false, message: page.note };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
