import { Worker } from 'node:worker_threads';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { shrinkfitTools } from '../host/index.ts';
import { log } from './support/samples.ts';

const entry = new URL('../dist/index.js', import.meta.url).href;

/** A worker thread that fits and recovers `calls` results, then says whether each came back whole. */
const WORK = `
  const { parentPort, workerData } = require('node:worker_threads');
  import(${JSON.stringify(entry)}).then(async ({ shrinkfitTools }) => {
    const { tools } = shrinkfitTools({ probe: { execute: async ({ n }) => workerData.text + n } }, { shrinkfit: 1000 });
    for (let n = 0; n < workerData.calls; n++) {
      const preview = await tools.probe.execute({ n });
      const [, response_id] = /"response_id":"([^"]+)"/.exec(preview);
      const original = await tools.compressor_recover_response.execute({ response_id });
      if (preview.length > 1000 || original !== workerData.text + n) throw new Error('call ' + n + ' went wrong');
      if (n === 0) parentPort.postMessage('running');
    }
    parentPort.postMessage('done');
  });`;

function start(workerData: { text: string; calls: number }): { worker: Worker; says: (word: 'running' | 'done') => Promise<void> } {
  const worker = new Worker(WORK, { eval: true, workerData });
  const heard = ['running', 'done'].map(
    (word) =>
      new Promise<void>((resolve, reject) => {
        worker.on('message', (message) => {
          if (message === word) resolve();
        });
        worker.on('error', reject);
      }),
  );
  return { worker, says: (word) => heard[word === 'running' ? 0 : 1]! };
}

describe('worker threads', () => {
  it('use the addon at once, each with a store of its own', async () => {
    const workers = Array.from({ length: 4 }, () => start({ text: log(300), calls: 40 }));
    await Promise.all(workers.map(({ says }) => says('done')));
    await Promise.all(workers.map(({ worker }) => worker.terminate()));
  });

  it('may end in mid-call; the others go on', async () => {
    // A result of some 20 MB is under way, in pieces or on a worker, whenever the thread ends.
    const doomed = Array.from({ length: 3 }, () => start({ text: log(300_000), calls: 1000 }));
    const steady = start({ text: log(300), calls: 40 });
    await Promise.all(doomed.map(({ says }) => says('running')));
    await Promise.all(doomed.map(({ worker }) => worker.terminate()));
    await steady.says('done');
    await steady.worker.terminate();
    const { tools } = shrinkfitTools({ probe: { execute: async () => log(300) } }, { shrinkfit: 1000 });
    expect((await tools.probe.execute()).length).toBeLessThanOrEqual(1000);
  });
});

describe('memory', () => {
  it('stays flat over 20,000 calls', async () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    const text = log(60);
    const { tools, close } = shrinkfitTools({ probe: { execute: async ({ n }: { n: number }) => `${n}\n${text}` } }, { shrinkfit: 1000 });
    const used = async (calls: number) => {
      for (let n = 0; n < calls; n += 100) {
        await Promise.all(Array.from({ length: 100 }, (_, k) => tools.probe.execute({ n: n + k })));
      }
      gc();
      await new Promise((resolve) => setImmediate(resolve));
      gc();
      return process.memoryUsage();
    };
    const before = await used(4000);
    const after = await used(20_000);
    expect(after.heapUsed - before.heapUsed).toBeLessThan(4e6);
    expect(after.rss - before.rss).toBeLessThan(60e6);
    close();
  }, 180_000);
});
