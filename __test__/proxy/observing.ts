import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { until } from './support.ts';

/** A line of the trace or of the audit. */
export interface Line {
  [member: string]: unknown;
  time: string;
  dir: string;
  method: string;
  id: string;
  event: string;
  durMs: number;
  tokensBefore: number;
  tokensAfter: number;
}

export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}

export interface Export {
  resourceSpans?: { scopeSpans: { spans: Span[] }[] }[];
  resourceLogs?: { scopeLogs: { logRecords: { body: { stringValue: string } }[] }[] }[];
}

export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'snugfit-observe-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

/** The lines of a file; the last may be broken off where `killed`. */
export function lines(path: string, killed = false): Line[] {
  const all = readFileSync(path, 'utf8').split('\n');
  const last = all.pop()!;
  if (!killed) expect(last).toBe('');
  return all.map((line) => JSON.parse(line) as Line);
}

/** A port that the proxy says it listens on. */
export async function portOf(proxy: { said: () => string }, path: string): Promise<string> {
  const at = new RegExp(`http://(127\\.0\\.0\\.1:\\d+)${path}`);
  await until(() => at.test(proxy.said()), `the port of ${path}`);
  return `http://${at.exec(proxy.said())![1]}`;
}

export async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  return { status: response.status, text: await response.text() };
}

/** An OTLP receiver. */
export async function receiver() {
  const posts: { path: string; body: Export; headers: object }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      posts.push({ path: request.url!, body: JSON.parse(Buffer.concat(chunks).toString()) as Export, headers: request.headers });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const spans = () => posts.flatMap(({ body }) => (body.resourceSpans ?? []).flatMap((all) => all.scopeSpans.flatMap((one) => one.spans)));
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posts, spans };
}

/** A value that stands in configurations and must stand nowhere else. */
export const SECRET = 'pl4nted"s3cret\\é';
