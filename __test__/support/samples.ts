/** Results of tools, large and small, the same on every run. */

/** Issues as a tracker gives them. */
export function issues(count: number) {
  return {
    total: count,
    issues: Array.from({ length: count }, (_, index) => ({
      key: `PROJ-${index + 1}`,
      title: `The ${['importer', 'renderer', 'parser'][index % 3]} fails on input ${index}`,
      state: index % 7 === 0 ? 'closed' : 'open',
      body: `Steps to reproduce, number ${index}: ${'open the file and wait. '.repeat(6)}`,
    })),
    nextPageToken: 'opaque-token',
  };
}

/** A log with one error in it. */
export function log(lines: number): string {
  return Array.from({ length: lines }, (_, index) =>
    index === Math.floor(lines / 2)
      ? `2026-11-30T10:00:00Z ERROR worker-7 lost its connection to db-${index}`
      : `2026-11-30T10:00:${String(index % 60).padStart(2, '0')}Z INFO request ${index} served in ${index % 97} ms`,
  ).join('\n');
}

/** A pseudo-random number generator (mulberry32): the same calls on every run. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
