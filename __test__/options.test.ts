import { describe, expect, it } from 'vitest';
import { fit, fitSync, shrinkfitTools } from '../host/index.ts';
import { failureOf } from './support/errors.ts';

const wrap = (options: unknown) => failureOf(() => shrinkfitTools({}, options as object));

describe('options of shrinkfitTools', () => {
  it.each([
    [{ shrinkfit: 9, notice: 'loud' }, 'notice must be "inline" or "envelope", not "loud".'],
    [{ shrinkfit: 9, onFit: 'log' }, 'onFit must be a function, not "log".'],
    [{ shrinkfit: 9, store: true }, 'store must be an object with any of entries, bytes, ttlMs, or false, not true.'],
    [{ shrinkfit: 9, store: null }, 'store must be an object with any of entries, bytes, ttlMs, or false, not null.'],
    [{ shrinkfit: 9, store: { entries: 0 } }, 'store.entries must be a positive integer of originals, not 0.'],
    [{ shrinkfit: 9, store: { bytes: -1 } }, 'store.bytes must be a positive integer of bytes, not -1.'],
    [{ shrinkfit: 9, store: { ttlMs: 0.5 } }, 'store.ttlMs must be a positive integer of milliseconds, not 0.5.'],
    [{ shrinkfit: 9, store: { ttl: 1 } }, 'store.ttl is no option: did you mean ttlMs?'],
    [{ shrinkFit: 9 }, 'options.shrinkFit is no option: did you mean shrinkfit?'],
    [{ srhinkfit: 9 }, 'options.srhinkfit is no option: did you mean shrinkfit?'],
    [{ colour: 'red' }, 'options.colour is no option: allowed are shrinkfit, notice, store, onFit'],
    [{ notice: 'loud' }, 'notice must be "inline" or "envelope", not "loud".'],
    ['6000', 'options must be an object, not "6000".'],
    [null, 'options must be an object, not null.'],
  ])('%o is refused', async (options, message) => {
    expect(await wrap(options)).toMatchObject({ name: 'SnugfitError', code: 'INVALID_OPTION', message });
  });

  it.each(['perTool', 'mode', 'structured', 'errors', 'multimodal', 'relevance', 'target', 'redact', 'onInternalError', 'recoveryBudget'])(
    '%s comes later, and says so',
    async (name) => {
      const message = `options.${name} comes in a later version of snugfit; leave it out.`;
      expect(await wrap({ shrinkfit: 9, [name]: 'x' })).toMatchObject({ code: 'INVALID_OPTION', message });
    },
  );

  it('stores of the host come later, and say so', async () => {
    const store = { get: () => undefined, set: () => undefined, delete: () => undefined, clear: () => undefined };
    expect((await wrap({ shrinkfit: 9, store })).message).toContain('come in a later version');
  });
});

describe('options of fit', () => {
  it.each([
    [undefined, 'options must be an object, not undefined.'],
    [{}, 'budget is missing; give a positive integer of characters, such as 6000.'],
    [{ budget: 9, toolname: 'x' }, 'options.toolname is no option: did you mean toolName?'],
    [{ budget: 9, toolName: 7 }, 'toolName must be a string, not 7.'],
    [{ budget: 9, relevance: ['x'] }, 'relevance must be a string, not an array.'],
    [{ budget: 9, protect: 'id' }, 'protect must be an array of strings, not "id".'],
    [{ budget: 9, drop: ['id', 7] }, 'drop[1] must be a string, not 7.'],
    [{ budget: 9, indent: 17 }, 'indent must be an integer from 0 to 16, not 17.'],
    [{ budget: 9, indent: -1 }, 'indent must be an integer from 0 to 16, not -1.'],
    [{ budget: 9, layout: 'wide' }, 'layout must be "compact" or "lines", not "wide".'],
    [{ budget: 9, arguments: { n: 1n } }, 'arguments must be a value that JSON can hold: Do not know how to serialize a BigInt'],
    [{ budget: 9, mode: 'trim' }, 'options.mode comes in a later version of snugfit; leave it out.'],
  ])('%o is refused', async (options, message) => {
    expect(await failureOf(() => fit('', options as never))).toMatchObject({ code: 'INVALID_OPTION', message });
    expect(await failureOf(() => fitSync('', options as never))).toMatchObject({ code: 'INVALID_OPTION', message });
  });

  it('a signal must be one', async () => {
    const failure = await failureOf(() => fit('', { budget: 9, signal: {} as never }));
    expect(failure.message).toBe('signal must be an AbortSignal, not an object.');
  });
});
