import { asSchema as asSchema6 } from 'ai';
import { asSchema as asSchema5 } from 'ai-v5';
import { asSchema as asSchema7 } from 'ai-v7';
import { describe, expect, it } from 'vitest';
import { shrinkfitTools } from '../host/index.ts';

const { description, inputSchema } = shrinkfitTools({}, { shrinkfit: 2000 }).tools.compressor_recover_response;
const expected = {
  type: 'object',
  properties: {
    response_id: { type: 'string', description: 'From the notice' },
    path: { type: 'string', description: 'JSON Pointer such as /issues/7/body, or JSONPath' },
    search: { type: 'string', description: 'Literal or /regex/i' },
    context: { type: 'integer', description: 'Lines around matches' },
    lines: { type: 'string', description: '120-180, or -50 for the last' },
    cursor: { type: 'string', description: 'next_cursor of the last answer' },
  },
  required: ['response_id'],
  additionalProperties: false,
};

describe('the recovery tool as a model sees it', () => {
  it('costs under 900 characters, description and schema together', () => {
    expect(description.length + JSON.stringify(inputSchema['~standard'].jsonSchema.input()).length).toBeLessThan(900);
  });
});

describe('the one schema object', () => {
  it.each([
    ['AI SDK 5', asSchema5],
    ['AI SDK 6', asSchema6],
    ['AI SDK 7', asSchema7],
  ])('is taken by %s', async (_, asSchema) => {
    const schema = asSchema(inputSchema as never);
    expect(await schema.jsonSchema).toEqual(expected);
    expect(await schema.validate!({ response_id: 'x' })).toEqual({ success: true, value: { response_id: 'x' } });
    expect(await schema.validate!({})).toMatchObject({
      success: false,
      error: { message: expect.stringContaining('response_id') as string },
    });
  });

  it('is a Standard Schema with JSON Schema', () => {
    const { '~standard': standard } = inputSchema;
    expect(standard).toMatchObject({ version: 1, vendor: 'snugfit' });
    expect(standard.jsonSchema.input()).toEqual(expected);
    expect(standard.jsonSchema.output()).toEqual(expected);
    expect(standard.validate({ response_id: 'x' })).toEqual({ value: { response_id: 'x' } });
    expect(standard.validate({ response_id: 7 })).toEqual({ issues: [{ message: expect.any(String) as string, path: ['response_id'] }] });
  });

  it('hands out a copy to everyone, since hosts write into schemas', () => {
    (inputSchema['~standard'].jsonSchema.input() as { type: string }).type = 'changed';
    expect(inputSchema['~standard'].jsonSchema.input()).toEqual(expected);
  });
});
