import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RECOVERY_TOOL as RECOVERY } from '../../host/recover.ts';
import { connect, official, open, scripted, several, textOf, until } from './support.ts';

describe('several servers', () => {
  test('tools and prompts carry their servers names, and reach them', async () => {
    const { client, call } = await connect(several({ one: scripted('--name', 'one'), two: scripted('--name', 'two') }));
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names.slice(0, 2)).toEqual(['one__echo', 'one__params']);
    expect(names).toContain('two__echo');
    expect(names.at(-1)).toBe(RECOVERY);
    expect(JSON.parse(textOf(await call('two__params', { a: 1 })))).toMatchObject({ name: 'params', arguments: { a: 1 } });
    await expect(call('two__ecko')).rejects.toThrow(/no tool "two__ecko"; the closest are two__echo/);

    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['one__greet', 'two__greet']);
    const { messages } = await client.getPrompt({ name: 'two__greet', arguments: { who: 'you' } });
    expect(messages[0]!.content).toMatchObject({ text: 'two greet you' });
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'two__greet' },
      argument: { name: 'who', value: 'x' },
    });
    expect(completion.values).toEqual(['two:greet:x']);

    const instructions = client.getInstructions()!;
    expect(instructions).toMatch(/^# one\nUse one well\.\n\n# two\nUse two well\./);
    expect(client.getServerVersion()).toMatchObject({ name: 'snugfit' });
  });

  test('a resource that two servers claim belongs to the first, the other gets a prefix', async () => {
    const { client } = await connect(several({ one: scripted('--name', 'one'), two: scripted('--name', 'two') }));
    const uris = (await client.listResources()).resources.map(({ uri }) => uri);
    expect(uris).toEqual(['test://shared', 'test://one/one', 'x-two+test://shared', 'test://two/one']);
    const read = async (uri: string) => (await client.readResource({ uri })).contents[0]!;
    expect(await read('test://shared')).toMatchObject({ text: 'one has test://shared' });
    expect(await read('x-two+test://shared')).toEqual({ uri: 'x-two+test://shared', text: 'two has test://shared' });
    expect(await read('test://two/items/7')).toMatchObject({ text: 'two has test://two/items/7' });
    await expect(read('test://nowhere')).rejects.toThrow(/no test:\/\/nowhere/);
    const templates = (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate);
    expect(templates).toEqual(['test://one/items/{id}', 'test://two/items/{id}']);
  });

  test('what is filtered is neither listed nor called, prompts and resources included', async () => {
    const filters = { allow: ['one.*', 'two.e*', 'test://two/*'], deny: ['*.text', 'one.greet', 'one.shared'] };
    const { client, call } = await connect(several({ one: scripted('--name', 'one'), two: scripted('--name', 'two') }, { filters }));
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('one__big');
    expect(names.filter((name) => name.startsWith('two'))).toEqual(['two__echo', 'two__elicit', 'two__exit']);
    for (const name of ['one__text', 'two__big', 'text']) await expect(call(name)).rejects.toThrow(/no tool/);
    expect((await client.listPrompts()).prompts).toEqual([]);
    await expect(client.getPrompt({ name: 'one__greet' })).rejects.toThrow(/no prompt/);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['test://one/one', 'test://two/one']);
    await expect(client.readResource({ uri: 'test://shared' })).rejects.toThrow();
    await expect(client.subscribeResource({ uri: 'test://shared' })).rejects.toThrow();
    expect((await client.readResource({ uri: 'test://two/items/1' })).contents).toHaveLength(1);
  });

  test('a server that is down, deaf or silent costs only its own tools', async () => {
    const limits = { listTimeout: '1s', connectTimeout: '2s' };
    const servers = {
      good: scripted('--name', 'good'),
      absent: ['/no/such/program'],
      deaf: scripted('--deaf'),
      silent: scripted('--no-list'),
      gone: { url: 'http://127.0.0.1:1/mcp' },
    };
    const { client, call, said } = await connect(several(servers, { limits }));
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('good__echo');
    expect(names.filter((name) => !name.startsWith('good__'))).toEqual([RECOVERY]);
    expect(textOf(await call('good__echo', { a: 1 }))).toBe('{"a":1}');
    await until(() => said().includes('cannot start "/no/such/program"'));
  });

  test('a server that ends is started again, and its calls say so meanwhile', async () => {
    const { client, call } = await connect(several({ one: scripted('--name', 'one'), two: scripted('--name', 'two') }));
    let changes = 0;
    client.fallbackNotificationHandler = async ({ method }) => void (changes += Number(method === 'notifications/tools/list_changed'));
    await client.listTools();
    await expect(call('one__die')).rejects.toThrow(/the server "one" cannot be reached: it ended with exit status: 3/);
    await expect(call('one__echo')).rejects.toThrow(/the server "one" cannot be reached/);
    expect(textOf(await call('two__echo'))).toBe('{}');
    await until(() => changes > 0);
    expect(textOf(await call('one__echo'))).toBe('{}');
  });

  test('a lone server that cannot be reached is said to the client', async () => {
    const proxy = open(['--', '/no/such/program']);
    const { error } = await proxy.initialize();
    expect(error?.message).toMatch(/cannot start "\/no\/such\/program"/);
  });
});

describe('lists', () => {
  test('definitions get shorter, all else of them stays', async () => {
    const { client } = await connect(['--', ...scripted()]);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'echo')!.description).toBe('Does what echo says.');
    expect(tools.find(({ name }) => name === 'annotated')).toMatchObject({
      title: 'Annotated',
      annotations: { readOnlyHint: true },
      icons: [{ src: 'data:,' }],
      _meta: { a: 1 },
    });
    expect(tools.at(-1)).toMatchObject({ name: RECOVERY, _meta: { 'anthropic/maxResultSizeChars': 500_000 } });
  });

  test('the same servers give the same bytes', async () => {
    const list = async () => {
      const proxy = open(several({ a: scripted(), b: scripted('--pages') }));
      await proxy.initialize();
      return proxy.request(1, 'tools/list');
    };
    const [first, second] = await Promise.all([list(), list()]);
    expect(first).toBe(second);
  });

  test('3,000 tools in pages, one of them behind an empty cursor, come in pages', async () => {
    const { client, call } = await connect(['--', ...scripted('--tools', '3000', '--pages')]);
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listTools({ cursor });
      names.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('tool-0');
    expect(names).toContain('tool-2999');
    expect(textOf(await call('echo'))).toBe('{}');
    await expect(client.listTools({ cursor: 'nonsense' })).rejects.toThrow(/list again without a cursor/);
  });

  test.each(['low', 'medium', 'high', 'max'])('compression %s: every tool is reached through the wrappers', async (level) => {
    const folder = await mkdtemp(join(tmpdir(), 'snugfit-'));
    await writeFile(join(folder, 'a.txt'), 'hello');
    const { client, call } = await connect([
      '--compression',
      level,
      '--server-name',
      'files',
      '--max-chars',
      '2000',
      '--',
      ...official('filesystem', folder),
    ]);
    const { tools } = await client.listTools();
    const names = ['files_get_tool_schema', 'files_invoke_tool', ...(level === 'max' ? ['files_list_tools'] : []), RECOVERY];
    expect(tools.map(({ name }) => name)).toEqual(names);
    if (level === 'max') expect(textOf(await call('files_list_tools'))).toContain('files__read_text_file');
    else expect(tools[0]!.description).toContain('files__read_text_file(');
    const schema = JSON.parse(textOf(await call('files_get_tool_schema', { tool_name: 'files__read_text_file' }))) as object;
    expect(schema).toHaveProperty('inputSchema.properties.path');
    const read = (more: object) => call('files_invoke_tool', { tool_name: 'files__read_text_file', ...more });
    expect(textOf(await read({ tool_input: { path: join(folder, 'a.txt') } }))).toBe('hello');
    expect(textOf(await read({ tool_input: JSON.stringify({ path: join(folder, 'a.txt') }) }))).toBe('hello');
    expect(textOf(await read({}))).toMatch(/lacks "path"/);
    expect(textOf(await call('files_invoke_tool', { tool_name: 'files__read' }))).toMatch(/the closest are files__read/);
  });

  test('full gives a result whole: what is kept without another call, else by calling', async () => {
    const { call } = await connect(['--compression', 'high', '--max-chars', '2000', '--', ...scripted('--tools', '200')]);
    const invoke = (name: string, input: object, full?: unknown) =>
      call('invoke_tool', { tool_name: name, tool_input: input, ...(full !== undefined && { full }) });
    const preview = textOf(await invoke('big', { n: 200, b: 1 }));
    expect(preview.length).toBeLessThanOrEqual(2000);
    // The order of arguments makes no difference, another argument does.
    const whole = textOf(await invoke('big', { b: 1, n: 200 }, true));
    expect((JSON.parse(whole) as { records: unknown[] }).records).toHaveLength(200);
    expect((JSON.parse(textOf(await invoke('big', { n: 201 }, true))) as { records: unknown[] }).records).toHaveLength(201);
    // The wrapper's `full` is its own; one of the tool is forwarded.
    expect(textOf(await invoke('echo', { full: 'mine' }, true))).toBe('{"full":"mine"}');
    expect(await invoke('echo', {}, 'yes')).toMatchObject({ isError: true });
  });

  test('descriptions that somebody wrote come from the file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'snugfit-'));
    const cachePath = join(folder, 'sub', 'cache.json');
    const list = async (definitions: string) => {
      const { client } = await connect(several({ a: scripted() }, { list: { definitions, cachePath } }));
      return (await client.listTools()).tools;
    };
    expect((await list('rules'))[0]!.description).toBe('Does what echo says.');
    const cache = (await import(cachePath, { with: { type: 'json' } })) as { default: Record<string, string> };
    const [key] = Object.entries(cache.default).find(([, text]) => text === 'Does what echo says.')!;
    await writeFile(cachePath, JSON.stringify({ ...cache.default, [key]: 'Says it back.' }));
    expect((await list('llm'))[0]!.description).toBe('Says it back.');
  });
});

describe('names', () => {
  test('a lone server keeps its names, unless it is named', async () => {
    const plain = await connect(['--', ...official('memory')]);
    expect((await plain.client.listTools()).tools[0]!.name).toBe('create_entities');
    expect(plain.client.getServerVersion()!.name).toBe('memory-server');
    const named = await connect(['--server-name', 'brain', '--', ...official('memory')]);
    expect((await named.client.listTools()).tools[0]!.name).toBe('brain__create_entities');
  });

  test('an allowance that no tool matches is told, with how a pattern is written', async () => {
    const { client, said } = await connect(several({ one: scripted() }, { filters: { allow: ['eco', 'other.*'] } }));
    const { tools } = await client.listTools();
    expect(tools).toEqual([]);
    await until(() => said().includes('the filters allow no tool: patterns match the server and the tool, such as "one.'));
    // Whoever denies all means it.
    const denying = await connect(several({ one: scripted() }, { filters: { deny: ['*'] } }));
    expect((await denying.client.listTools()).tools).toEqual([]);
    expect(denying.said()).not.toContain('the filters');
  });

  test('--include and --exclude take names with and without the server', async () => {
    const { client, call } = await connect(['--include', 'read_*', 'dist.search*', '--exclude', '*graph', '--', ...official('memory')]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([]);
    await expect(call('read_graph')).rejects.toThrow(/no tool/);
  });
});
