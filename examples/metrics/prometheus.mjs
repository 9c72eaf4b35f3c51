// What `onFit` tells, as figures for Prometheus: those of `snugfit proxy`, so that one dashboard shows hosts and proxies alike.
//
//   import client from 'prom-client';
//   const { tools } = shrinkfitTools(map, { shrinkfit: 6000, onFit: prometheus(client, { upstream: 'my-agent' }) });
//   server.get('/metrics', async (_, reply) => reply.send(await client.register.metrics()));

/** The bounds that the proxy has, in seconds. */
const BUCKETS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 2.5];

/** A listener for `onFit`; `upstream` is the name that stands for this host. */
export function prometheus({ Counter, Histogram, register }, { upstream, registers = [register] }) {
  const saved = new Counter({
    name: 'snugfit_tokens_saved_total',
    help: 'Tokens that lists and results were made smaller by, by the high estimate.',
    labelNames: ['upstream', 'what'],
    registers,
  });
  const seconds = new Histogram({ name: 'snugfit_fit_seconds', help: 'Time that fitting a result took.', buckets: BUCKETS, registers });
  return ({ outcome, before, after, ms }) => {
    if (outcome !== 'fitted') return;
    saved.inc({ upstream, what: 'result' }, Math.ceil(before / 3) - Math.ceil(after / 3));
    seconds.observe(ms / 1000);
  };
}
