import { describe, expect, it } from 'vitest';
import { fit, fitSync, shrinkfitTools } from '../host/index.ts';
import { failureOf } from './support/errors.ts';

const wrap = (options: unknown) => failureOf(() => shrinkfitTools({}, options as object));

describe('options of shrinkfitTools', () => {
  it.each([
    [{ shrinkfit: 9, notice: 'loud' }, 'notice must be "inline" or "envelope", not "loud".'],
    [{ shrinkfit: 9, onFit: 'log' }, 'onFit must be a function, not "log".'],
    [{ shrinkfit: 9, store: true }, 'store must be an object with any of entries, bytes, ttlMs, a store of your own, or false, not true.'],
    [{ shrinkfit: 9, store: null }, 'store must be an object with any of entries, bytes, ttlMs, a store of your own, or false, not null.'],
    [{ shrinkfit: 9, store: { entries: 0 } }, 'store.entries must be a positive integer of originals, not 0.'],
    [{ shrinkfit: 9, store: { bytes: -1 } }, 'store.bytes must be a positive integer of bytes, not -1.'],
    [{ shrinkfit: 9, store: { ttlMs: 0.5 } }, 'store.ttlMs must be a positive integer of milliseconds, not 0.5.'],
    [{ shrinkfit: 9, store: { ttl: 1 } }, 'store.ttl is no option: did you mean ttlMs?'],
    [{ shrinkFit: 9 }, 'options.shrinkFit is no option: did you mean shrinkfit?'],
    [{ srhinkfit: 9 }, 'options.srhinkfit is no option: did you mean shrinkfit?'],
    [
      { colour: 'red' },
      expect.stringContaining('options.colour is no option: allowed are shrinkfit, perTool, store, recoveryBudget, ') as string,
    ],
    [{ shrinkfit: 9, structured: 'drop' }, 'structured must be "keep" or "auto", not "drop".'],
    [{ shrinkfit: 9, errors: true }, 'errors must be "keep" or "fit", not true.'],
    [{ shrinkfit: 9, multimodal: 'no' }, 'multimodal must be "keep" or "fit", not "no".'],
    [{ shrinkfit: 9, mode: 'shorten' }, 'mode must be "condense" or "page" or "trim", not "shorten".'],
    [{ shrinkfit: 9, recoveryBudget: -1 }, 'recoveryBudget must be a positive integer of characters, not -1.'],
    [{ shrinkfit: 9, target: 'user' }, 'target must be "result" or "model", not "user".'],
    [{ shrinkfit: 9, onInternalError: 'throw' }, 'onInternalError must be "passthrough" or "error", not "throw".'],
    [{ shrinkfit: 9, redact: /secret/ }, 'redact must be a function, not an object.'],
    [{ shrinkfit: 9, relevance: 'words' }, 'relevance must be a function, not "words".'],
    [
      { shrinkfit: 9, perTool: [] },
      'perTool must be an object of rules by tool name, such as { "search_*": { shrinkfit: 4000 } }, not an array.',
    ],
    [{ shrinkfit: 9, perTool: { a: { shrinkfit: 0 } } }, 'perTool["a"].shrinkfit must be a positive integer of characters, not 0.'],
    [{ shrinkfit: 9, perTool: { a: { skipp: true } } }, 'perTool["a"].skipp is no option: did you mean skip?'],
    [{ shrinkfit: 9, perTool: { a: { mode: 'off' } } }, 'perTool["a"].mode has no "off": results pass with skip: true.'],
    [{ shrinkfit: 9, perTool: { a: { skip: 1 } } }, 'perTool["a"].skip must be true or false, not 1.'],
    [{ shrinkfit: 9, perTool: { a: { protect: 'id' } } }, 'perTool["a"].protect must be an array of strings, not "id".'],
    [{ shrinkfit: 9, store: { get: () => undefined } }, 'store.set must be a function, as get, set, delete and clear are, not undefined.'],
    [{ notice: 'loud' }, 'notice must be "inline" or "envelope", not "loud".'],
    ['6000', 'options must be an object, not "6000".'],
    [null, 'options must be an object, not null.'],
  ])('%o is refused', async (options, message) => {
    expect(await wrap(options)).toMatchObject({ name: 'SnugfitError', code: 'INVALID_OPTION', message });
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
