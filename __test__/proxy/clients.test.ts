import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { RECOVERY_TOOL as RECOVERY } from '../../host/recover.ts';
import { LAUNCHER, connect, official, scripted, several } from './support.ts';

test.each(['legacy', 'auto'] as const)('the TypeScript SDK, version 2, negotiating %s', async (mode) => {
  const client = new ClientV2({ name: 'v2', version: '1.0.0' }, { capabilities: { sampling: {} }, versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  client.setRequestHandler('sampling/createMessage', () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'v2 says' } }));
  await client.connect(
    new StdioV2({ command: process.execPath, args: [LAUNCHER, 'proxy', '--max-chars', '4000', '--', ...scripted()], stderr: 'ignore' }),
  );
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain(RECOVERY);
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content } = await client.callTool({ name, arguments: args });
    return content[0]?.type === 'text' ? content[0].text : '';
  };
  const preview = JSON.parse(await call('big')) as { truncation: { response_id: string } };
  expect(await call(RECOVERY, { response_id: preview.truncation.response_id, path: '/records/9' })).toContain('Record 9');
  expect(await call('sample')).toContain('v2 says');
  expect((await client.readResource({ uri: 'test://shared' })).contents).toHaveLength(1);
});

test('the five official servers as one', async () => {
  const names = ['everything', 'filesystem', 'memory', 'sequential-thinking', 'github'];
  const servers = Object.fromEntries(names.map((name) => [name, official(name, ...(name === 'filesystem' ? ['.'] : []))]));
  const { client, call } = await connect(several(servers, { limits: { listTimeout: '25s' } }));
  const { tools } = await client.listTools();
  expect(tools.filter(({ name }) => name !== RECOVERY).length).toBeGreaterThanOrEqual(63);
  for (const { name } of tools) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(JSON.stringify(await call('everything__get-sum', { a: 2, b: 3 }))).toContain('5');
  expect(JSON.stringify(await call('memory__read_graph'))).toContain('entities');
  expect(JSON.stringify(await call('filesystem__list_allowed_directories'))).toContain('Allowed');
});
