import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { get, portOf } from './observing.ts';
import { open, scripted, several } from './support.ts';

/** A Python that may have the parser of Prometheus' own client. */
const PYTHON = fileURLToPath(new URL('../../target/mcp/bin/python', import.meta.url));
const hasParser = spawnSync(PYTHON, ['-c', 'import prometheus_client.parser']).status === 0;
/** Prints how many samples of each name there are; the parser refuses what is not of the format. */
const COUNT_SAMPLES = `
import collections, json, sys
from prometheus_client.parser import text_string_to_metric_families
samples = [sample for family in text_string_to_metric_families(sys.stdin.read()) for sample in family.samples]
print(json.dumps(collections.Counter(sample.name for sample in samples)))
`;

interface Health {
  status: string;
  upstreams: Record<string, { state: string; failures: number }>;
}

/** The samples of a page in the text format of Prometheus, by name and labels. Strict: whatever is not of the format throws. */
function parsePrometheus(page: string): Map<string, number> {
  expect(page.endsWith('\n')).toBe(true);
  const samples = new Map<string, number>();
  const kinds = new Map<string, string>();
  for (const line of page.split('\n').slice(0, -1)) {
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line);
    if (comment) {
      if (comment[1] === 'TYPE') {
        if (kinds.has(comment[2]!)) throw new Error(`twice: ${line}`);
        kinds.set(comment[2]!, comment[3]!);
      }
      continue;
    }
    const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(?:,(?=[a-zA-Z_])|(?=\})))*\})? (\S+)$/.exec(
      line,
    );
    if (!sample || Number.isNaN(Number(sample[3]))) throw new Error(`no sample: ${line}`);
    const family = sample[1]!.replace(/_(bucket|sum|count)$/, '');
    if (!kinds.has(sample[1]!) && kinds.get(family) !== 'histogram') throw new Error(`of no type: ${line}`);
    const key = sample[1]! + (sample[2] ?? '');
    if (samples.has(key)) throw new Error(`twice: ${line}`);
    samples.set(key, Number(sample[3]));
  }
  return samples;
}

describe('figures and health', () => {
  const prometheus = { metrics: { prometheus: { enabled: true, port: 0 } } };

  test('are read by a parser of the text format', async () => {
    const proxy = open(
      several(
        { one: scripted('--name', 'one', '--tools', '20'), gone: ['/no/such/program'] },
        { list: { compression: 'max' }, observability: prometheus, limits: { listTimeout: '1s' } },
      ),
    );
    await proxy.initialize();
    await proxy.request(1, 'tools/list');
    await proxy.call(2, 'one__echo');
    await proxy.call(3, 'one__echo');
    await proxy.call(4, 'one__fail', { n: 1 });
    const big = await proxy.call(5, 'one__big');
    const id = /response_id\\*"?:? ?\\*"([\w-]+)/.exec(big)![1]!;
    await proxy.call(6, 'compressor_recover_response', { response_id: id });
    await proxy.call(7, 'compressor_recover_response', { response_id: 'nothing' });
    const base = await portOf(proxy, '/metrics');
    const { status, text } = await get(`${base}/metrics`);
    expect(status).toBe(200);
    const samples = parsePrometheus(text);
    expect(samples.get('snugfit_calls_total{upstream="one",tool="echo",ok="true"}')).toBe(2);
    expect(samples.get('snugfit_calls_total{upstream="one",tool="fail",ok="false"}')).toBe(1);
    expect(samples.get('snugfit_call_duration_seconds_count{upstream="one"}')).toBe(4);
    expect(samples.get('snugfit_tokens_saved_total{upstream="one",what="result"}')).toBeGreaterThan(1000);
    expect(samples.get('snugfit_tokens_saved_total{upstream="one",what="list"}')).toBeGreaterThan(0);
    expect(samples.get('snugfit_fit_seconds_count')).toBeGreaterThanOrEqual(1);
    expect(samples.get('snugfit_recoveries_total{hit="true"}')).toBe(1);
    expect(samples.get('snugfit_recoveries_total{hit="false"}')).toBe(1);
    expect(samples.get('snugfit_upstream_up{upstream="one"}')).toBe(1);
    expect(samples.get('snugfit_upstream_up{upstream="gone"}')).toBe(0);
    expect(samples.get('snugfit_store_entries')).toBe(1);
    expect(samples.get('snugfit_store_bytes')).toBeGreaterThan(1000);

    const health = JSON.parse((await get(`${base}/healthz`)).text) as Health;
    expect(health).toMatchObject({ status: 'ready', upstreams: { one: { state: 'ready' } } });
    expect(health.upstreams.gone!.failures).toBeGreaterThan(0);
    expect((await get(`${base}/readyz`)).status).toBe(200);

    // The dashboard asks for what there is.
    const dashboard = readFileSync(new URL('../../dashboards/grafana.json', import.meta.url), 'utf8');
    const known = new Set([...samples.keys()].map((key) => key.replace(/\{.*/, '')));
    const asked = new Set(dashboard.match(/snugfit_\w+/g));
    expect(asked.size).toBeGreaterThan(6);
    for (const name of asked) expect(known).toContain(name);
  });

  test.skipIf(!hasParser)(
    `are read by the parser of Prometheus' own client${hasParser ? '' : ': skipped, since it is not there'}`,
    async () => {
      const proxy = open(several({ one: scripted() }, { observability: prometheus }));
      await proxy.initialize();
      await proxy.call(1, 'big');
      const { text } = await get(`${await portOf(proxy, '/metrics')}/metrics`);
      const counts = JSON.parse(execFileSync(PYTHON, ['-c', COUNT_SAMPLES], { input: text, encoding: 'utf8' })) as Record<string, number>;
      const ours: Record<string, number> = {};
      for (const key of parsePrometheus(text).keys()) {
        const name = key.replace(/\{.*/, '');
        ours[name] = (ours[name] ?? 0) + 1;
      }
      expect(counts).toEqual(ours);
      expect(counts).toMatchObject({ snugfit_calls_total: 1, snugfit_fit_seconds_count: 1 });
    },
  );

  test('a proxy without a server that works is alive and not ready; health is on the port of clients as well', async () => {
    const http = { enabled: true, port: 0 };
    const proxy = open(several({ gone: ['/no/such/program'] }, { inbound: { stdio: false, http }, observability: prometheus }));
    for (const base of [await portOf(proxy, '/mcp'), await portOf(proxy, '/metrics')]) {
      expect((await get(`${base}/healthz`)).status).toBe(200);
      const { status, text } = await get(`${base}/readyz`);
      expect([status, (JSON.parse(text) as Health).status]).toEqual([503, 'not ready']);
    }
  });

  test('a web page that rebinds its name does not read along', async () => {
    const proxy = open(several({ one: scripted() }, { observability: prometheus }));
    const port = new URL(await portOf(proxy, '/metrics')).port;
    const asked = spawn('curl', [
      '-s',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      '-H',
      'Host: evil.example',
      `http://127.0.0.1:${port}/metrics`,
    ]);
    let said = '';
    asked.stdout.on('data', (chunk: Buffer) => (said += String(chunk)));
    await once(asked, 'close');
    expect(said).toBe('403');
  });
});
