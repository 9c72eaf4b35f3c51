import { withTexts } from './envelope.ts';
import { SnugfitError, messageOf } from './errors.ts';
import type { Fittable } from './fittable.ts';

/**
 * What is to be fitted without its secrets: of a text the text, of an envelope each of its texts and every other string in it. Whatever goes
 * wrong fails the call, since the result must not go out as it is.
 */
export function redacted(found: Fittable, redact: ((text: string) => string) | undefined): Fittable {
  if (redact === undefined) return found;
  const clean = (text: string): string => {
    const result: unknown = redact(text);
    if (typeof result === 'string') return result;
    throw new TypeError(`it gave ${typeof result}, no string`);
  };
  try {
    if ('text' in found) return { text: clean(typeof found.text === 'string' ? found.text : new TextDecoder().decode(found.text)) };
    const texts = found.texts.map(clean);
    const strings = (_: string, value: unknown) => (typeof value === 'string' ? clean(value) : value);
    // The texts are not given twice.
    const others = withTexts(
      found.envelope,
      texts.map(() => ''),
    );
    const envelope = withTexts(JSON.parse(JSON.stringify(others, strings)) as typeof others, texts);
    return {
      envelope,
      texts,
      structured: found.structured === undefined ? undefined : JSON.stringify(envelope.structuredContent),
      joined: found.joined,
    };
  } catch (thrown) {
    throw new SnugfitError('INVALID_OPTION', `redact failed, so that the result could not be handed out: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
}
