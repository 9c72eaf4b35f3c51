// The fixture as a server: `server.mjs` over stdio, `server.mjs http` over Streamable HTTP, with its URL on stdout.
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from './fixture.mjs';

if (process.argv[2] === 'http') listen();
else await createServer().connect(new StdioServerTransport());

function listen() {
  /** @type {Map<string, StreamableHTTPServerTransport>} */
  const sessions = new Map();
  const listening = createHttpServer((request, response) => {
    const id = request.headers['mcp-session-id'];
    const session = typeof id === 'string' ? sessions.get(id) : newSession(sessions, String(address().port));
    void Promise.resolve(session).then((transport) =>
      transport === undefined ? void response.writeHead(404).end() : transport.handleRequest(request, response),
    );
  });
  const address = () => /** @type {import('node:net').AddressInfo} */ (listening.address());
  listening.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${address().port}/mcp`));
}

/** @type {(sessions: Map<string, StreamableHTTPServerTransport>, port: string) => Promise<StreamableHTTPServerTransport>} */
async function newSession(sessions, port) {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
    eventStore: eventStore(),
    retryInterval: 50,
    enableDnsRebindingProtection: true,
    allowedHosts: [`127.0.0.1:${port}`, `localhost:${port}`],
  });
  await createServer().connect(transport);
  return transport;
}

/** Keeps what was sent to one client, for streams that are taken up again. */
function eventStore() {
  /** @type {{ streamId: string, message: import('@modelcontextprotocol/sdk/types.js').JSONRPCMessage }[]} */
  const events = [];
  /** @type {import('@modelcontextprotocol/sdk/server/streamableHttp.js').EventStore} */
  const store = {
    storeEvent: async (streamId, message) => String(events.push({ streamId, message }) - 1),
    getStreamIdForEventId: async (id) => events[Number(id)]?.streamId,
    replayEventsAfter: async (last, { send }) => {
      const streamId = events[Number(last)]?.streamId ?? '';
      for (const [at, event] of events.entries())
        if (at > Number(last) && event.streamId === streamId) await send(String(at), event.message);
      return streamId;
    },
  };
  return store;
}
