import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What each guide's program prints. */
const PRINTS: Record<string, string> = {
  'ai-sdk.md': "[ 'search', 'compressor_recover_response' ]\n[ 'bare' ]\n",
  'langchain.md': 'true\nhello\n',
  'mastra.md': 'true\nbare\n',
  'mcp.md': 'true\ntrue\n',
  'openai-agents.md': 'true\nbare\n',
  'stores.md': '1\n',
};

describe('the guides for hosts', () => {
  it('are all run here', () => {
    expect(readdirSync(`${root}docs/hosts`).sort()).toEqual(Object.keys(PRINTS));
  });

  it.each(Object.entries(PRINTS))('%s runs as it is written', (page, prints) => {
    const blocks = [...readFileSync(`${root}docs/hosts/${page}`, 'utf8').matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code);
    expect(blocks.length).toBeGreaterThan(0);
    const args = ['--input-type=module', '-e', blocks.join('\n')];
    const out = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    expect(out).toBe(prints);
  });
});
