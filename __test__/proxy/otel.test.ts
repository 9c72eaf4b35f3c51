import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Line, SECRET, portOf, receiver } from './observing.ts';
import { open, scripted, several, until } from './support.ts';

describe('OpenTelemetry', () => {
  test('gets the spans of a call in the trace of the client, and its lines', async () => {
    const { endpoint, posts, spans } = await receiver();
    const observability = { otel: { endpoint, headers: { 'x-key': SECRET.slice(0, 7) } }, trace: { sink: 'otlp' } };
    const proxy = open(several({ one: scripted() }, { observability }));
    await proxy.initialize();
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const parent = 'b7ad6b7169203331';
    const more = { _meta: { traceparent: `00-${trace}-${parent}-01`, tracestate: 'a=b' } };
    const params = await proxy.call(1, 'params', {}, more);
    await proxy.call(2, 'big', {}, more);
    proxy.child.stdin.end();
    await proxy.ended;

    const own = spans().filter(({ traceId }) => traceId === trace);
    expect(own.map(({ name, kind }) => [name, kind]).sort()).toEqual(
      [
        ['fit', 1],
        ['tools/call big', 2],
        ['tools/call big', 3],
        ['tools/call params', 2],
        ['tools/call params', 3],
      ].sort(),
    );
    for (const { kind, parentSpanId, startTimeUnixNano, endTimeUnixNano, spanId } of own) {
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
      expect(spanId).toMatch(/^[0-9a-f]{16}$/);
      if (kind === 2) expect(parentSpanId).toBe(parent);
      else expect(own.find((span) => span.spanId === parentSpanId)?.kind).toBe(2);
    }
    // The server is part of the trace, below our span.
    const seen = /traceparent\\":\\"(00-[0-9a-f]{32}-([0-9a-f]{16})-01)/.exec(params)!;
    expect(seen[1]).toContain(trace);
    expect(own.find(({ spanId }) => spanId === seen[2])).toMatchObject({ kind: 3 });
    expect(params).toContain('tracestate');

    expect(posts.find(({ path }) => path === '/v1/traces')!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-key': SECRET.slice(0, 7),
    });
    const records = posts.flatMap(({ body }) => (body.resourceLogs ?? []).flatMap((all) => all.scopeLogs.flatMap((one) => one.logRecords)));
    expect(records.map(({ body }) => (JSON.parse(body.stringValue) as Line).name)).toContain('params');
  });

  test('the trace goes on through the headers of HTTP on both sides', async () => {
    const { endpoint, spans } = await receiver();
    const heard: Record<string, string | string[] | undefined>[] = [];
    const upstream = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { id, method } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { id?: number; method?: string };
        if (id === undefined) return void response.writeHead(method === undefined ? 405 : 202).end();
        if (method === 'tools/call') heard.push(request.headers);
        const result = {
          initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'far', version: '1' } },
          'tools/list': { tools: [{ name: 'go', inputSchema: { type: 'object' } }] },
        }[method!] ?? { content: [{ type: 'text', text: 'gone' }] };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    });
    await once(upstream.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void upstream.close());
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`;
    const inbound = { stdio: false, http: { enabled: true, port: 0 } };
    const proxy = open(several({ far: { url } }, { inbound, observability: { otel: { endpoint } } }));
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const answered = await fetch(`${await portOf(proxy, '/mcp')}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        traceparent: `00-${trace}-00f067aa0ba902b7-01`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'go', arguments: {} } }),
    });
    expect(await answered.text()).toContain('gone');
    expect(heard).toHaveLength(1);
    expect(heard[0]!.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
    await until(() => spans().filter(({ traceId }) => traceId === trace).length === 2);
    expect(spans().find(({ kind, traceId }) => kind === 2 && traceId === trace)!.parentSpanId).toBe('00f067aa0ba902b7');
  });

  test('that does not answer costs a warning', async () => {
    const proxy = open(several({ one: scripted() }, { observability: { otel: { endpoint: 'http://127.0.0.1:1' } } }));
    await proxy.initialize();
    await proxy.call(1, 'echo', { a: 1 });
    await until(() => proxy.said().includes('warning: OpenTelemetry: '));
    expect(await proxy.call(2, 'echo', { a: 1 })).toContain('"id":2');
  });
});
