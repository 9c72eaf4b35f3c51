import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import client from 'prom-client';
import { describe, expect, it } from 'vitest';
import { type FitEvent, shrinkfitTools } from '../host/index.ts';
import { issues } from './support/samples.ts';

const EXAMPLES = new URL('../examples/metrics/', import.meta.url).href;

type Listener = (event: FitEvent) => void;

const { prometheus } = (await import(`${EXAMPLES}prometheus.mjs`)) as {
  prometheus: (of: object, options: object) => Listener;
};
const { openTelemetry } = (await import(`${EXAMPLES}opentelemetry.mjs`)) as {
  openTelemetry: (meter: object, options: object) => Listener;
};

/** A tool that is called with these numbers of issues, with a listener; gives the tokens saved by the high estimate. */
async function calls(onFit: Listener, ...counts: number[]): Promise<number> {
  let saved = 0;
  const { tools, close } = shrinkfitTools(
    { list: { execute: (count: unknown): unknown => JSON.stringify(issues(count as number)) } },
    { shrinkfit: 3000, onFit },
  );
  for (const count of counts) {
    const whole = JSON.stringify(issues(count)).length;
    saved += Math.ceil(whole / 3) - Math.ceil(((await tools.list.execute(count)) as string).length / 3);
  }
  close();
  return saved;
}

describe('examples/metrics', () => {
  it('feeds Prometheus the figures of the proxy', async () => {
    const register = new client.Registry();
    const saved = await calls(prometheus(client, { upstream: 'agent', registers: [register] }), 50, 2, 80);
    const text = await register.metrics();
    expect(text).toContain(`snugfit_tokens_saved_total{upstream="agent",what="result"} ${saved}`);
    expect(text).toContain('# TYPE snugfit_fit_seconds histogram');
    expect(text).toContain('snugfit_fit_seconds_bucket{le="2.5"} 2');
    expect(text).toContain('snugfit_fit_seconds_count 2');
  });

  it('feeds OpenTelemetry the same', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const provider = new MeterProvider({ readers: [reader] });
    const saved = await calls(openTelemetry(provider.getMeter('snugfit'), { upstream: 'agent' }), 50, 2, 80);
    await provider.forceFlush();
    const found = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
    const points = Object.fromEntries(found.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints]));
    expect(points.snugfit_tokens_saved).toMatchObject([{ attributes: { upstream: 'agent', what: 'result' }, value: saved }]);
    expect(points.snugfit_fit).toMatchObject([
      { value: { count: 2, buckets: { boundaries: expect.arrayContaining([0.0001, 2.5]) as number[] } } },
    ]);
    await provider.shutdown();
  });

  it('leaves results that were not fitted out', async () => {
    const register = new client.Registry();
    expect(await calls(prometheus(client, { upstream: 'agent', registers: [register] }), 1, 2)).toBe(0);
    expect(await register.metrics()).toContain('snugfit_fit_seconds_count 0');
  });
});
