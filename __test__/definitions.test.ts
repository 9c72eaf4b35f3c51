import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import * as zod from 'zod';
import { descriptionKey, shrinkDefinitions } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { temporaryFolder } from './support/shell.ts';

const execute = async (input: unknown) => input;
const search = {
  description: 'This tool **searches** items. Please note that it is slow.',
  inputSchema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { query: { type: 'string', title: 'Query', description: 'The `words` to look for, in order to find.' } },
    required: ['query'],
  },
  annotations: { readOnlyHint: true },
  execute,
};

describe('shrinkDefinitions', () => {
  it('shortens descriptions and schemas and leaves all else as it was', () => {
    const given = structuredClone({ ...search, execute: undefined });
    const { search: small } = shrinkDefinitions({ search });
    expect(small).toEqual({
      ...search,
      description: 'Searches items. It is slow.',
      inputSchema: {
        type: 'object',
        properties: { query: { type: 'string', description: 'The `words` to look for, to find.' } },
        required: ['query'],
      },
    });
    expect(small.execute).toBe(execute);
    expect({ ...search, execute: undefined }).toEqual(given);
  });

  it('gives the same bytes every time', () => {
    const texts = Array.from({ length: 3 }, () => JSON.stringify(shrinkDefinitions({ search })));
    expect(new Set(texts).size).toBe(1);
  });

  it('keeps what a schema object of a library checks and fills in', async () => {
    const tool = { description: 'A tool.', inputSchema: zod.object({ id: zod.string(), n: zod.number().default(7) }), execute };
    const schema = shrinkDefinitions({ tool }).tool.inputSchema;
    expect(schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })).toMatchObject({ properties: { id: { type: 'string' } } });
    expect(await schema['~standard'].validate({ id: 'x' })).toEqual({ value: { id: 'x', n: 7 } });
    expect(await schema['~standard'].validate({})).toHaveProperty('issues');
  });

  it('leaves provider tools and what is no tool alone', () => {
    const provider = { type: 'provider', id: 'openai.web_search', args: {} };
    const map = shrinkDefinitions({ provider, none: undefined });
    expect(map).toEqual({ provider, none: undefined });
    expect(map.provider).toBe(provider);
  });

  it('takes descriptions that somebody wrote, and warns once of those that nobody did', async () => {
    const cachePath = join(await temporaryFolder(), 'descriptions.json');
    await writeFile(cachePath, JSON.stringify({ [descriptionKey(search.description)]: 'Looks for items.' }));
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const other = { ...search, description: 'This tool finds.' };
    const tools = shrinkDefinitions({ search, other, another: { ...other, description: 'This tool lists.' } }, { mode: 'llm', cachePath });
    expect(Object.values(tools).map(({ description }) => description)).toEqual(['Looks for items.', 'Finds.', 'Lists.']);
    expect(warn.mock.calls.map(([message]) => message)).toEqual([`2 descriptions are not in ${cachePath}; the rules shortened them.`]);
    warn.mockRestore();
  });

  it.each<[object, RegExp]>([
    [{ mode: 'ai' }, /mode must be "rules" or "llm"/],
    [{ mode: 'llm' }, /cachePath is missing/],
    [{ mode: 'llm', cachePath: '/nowhere/x.json' }, /cachePath: ENOENT/],
    [{ maxDescriptionChars: 0 }, /maxDescriptionChars must be a positive integer/],
    [{ dedupeSchemas: 'yes' }, /dedupeSchemas must be true or false/],
    [{ maxDescriptionChar: 1 }, /did you mean maxDescriptionChars/],
  ])('refuses %j', async (options, message) => {
    const failure = await failureOf(async () => shrinkDefinitions({ search }, options));
    expect(failure).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringMatching(message) as string });
  });
});
