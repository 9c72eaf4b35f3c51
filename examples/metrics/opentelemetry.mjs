// What `onFit` tells, as metrics of OpenTelemetry. An exporter for Prometheus gives them the names that `snugfit proxy` has.
//
//   import { metrics } from '@opentelemetry/api';
//   const { tools } = shrinkfitTools(map, { shrinkfit: 6000, onFit: openTelemetry(metrics.getMeter('snugfit'), { upstream: 'my-agent' }) });

/** The bounds that the proxy has, in seconds. */
const BUCKETS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 2.5];

/** A listener for `onFit`; `upstream` is the name that stands for this host. */
export function openTelemetry(meter, { upstream }) {
  const saved = meter.createCounter('snugfit_tokens_saved', {
    description: 'Tokens that lists and results were made smaller by, by the high estimate.',
  });
  const seconds = meter.createHistogram('snugfit_fit', {
    description: 'Time that fitting a result took.',
    unit: 's',
    advice: { explicitBucketBoundaries: BUCKETS },
  });
  return ({ outcome, before, after, ms }) => {
    if (outcome !== 'fitted') return;
    saved.add(Math.ceil(before / 3) - Math.ceil(after / 3), { upstream, what: 'result' });
    seconds.record(ms / 1000);
  };
}
