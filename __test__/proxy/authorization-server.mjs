// A certified authorization server (oidc-provider) and an MCP server that takes its tokens alone.
//
//   node authorization-server.mjs [--ttl SECONDS] [--callback PORT]
//
// Prints the URL of the MCP server. Whoever logs in is who they say they are.
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import Provider, { errors } from 'oidc-provider';

const { values: options } = parseArgs({
  options: { ttl: { type: 'string', default: '3600' }, callback: { type: 'string', default: '0' } },
});

/** Listens, and gives the origin. */
const listen = (server) =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`)));

const [forTokens, forTools] = [createServer(), createServer()];
const [issuer, origin] = await Promise.all([listen(forTokens), listen(forTools)]);
const resource = `${origin}/mcp`;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'known',
      client_secret: 'a secret: with/signs+in it',
      application_type: 'native',
      redirect_uris: [`http://127.0.0.1:${options.callback}/callback`],
      grant_types: ['authorization_code', 'refresh_token'],
    },
  ],
  scopes: ['openid', 'offline_access', 'notes:read'],
  pkce: { required: () => true },
  rotateRefreshToken: true,
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  features: {
    devInteractions: { enabled: true },
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, asked) => {
        if (asked !== resource) throw new errors.InvalidTarget();
        return { scope: 'notes:read', audience: resource, accessTokenFormat: 'opaque', accessTokenTTL: Number(options.ttl) };
      },
      useGrantedResource: () => true,
    },
  },
});
forTokens.on('request', provider.callback());

/** The tools of whoever shows this token. */
const tools = (token) =>
  createMcpHandler(() => {
    const server = new McpServer({ name: 'notes', version: '1' });
    const said = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
    server.registerTool('whoami', {}, () => said({ account: token.accountId, token: token.jti.slice(0, 8), scope: token.scope }));
    server.registerTool('long', {}, () => said(Array.from({ length: 500 }, (_, n) => ({ n, of: token.jti.slice(0, 8) }))));
    server.registerTool('forget', {}, async () => (await token.destroy(), said('forgotten')));
    return server;
  });

forTools.on('request', (request, response) => {
  void (async () => {
    const { pathname } = new URL(request.url, origin);
    if (pathname === '/.well-known/oauth-protected-resource/mcp') {
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ resource, authorization_servers: [issuer], scopes_supported: ['notes:read'] }));
    }
    const [, shown] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    const token = shown && (await provider.AccessToken.find(shown));
    if (!token?.isValid || token.aud !== resource) {
      const described = `${origin}/.well-known/oauth-protected-resource/mcp`;
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${described}", scope="notes:read"` });
      return void response.end();
    }
    const body = request.method === 'POST' ? await buffer(request) : undefined;
    const headers = Object.entries(request.headers);
    const answer = await tools(token).fetch(new globalThis.Request(resource, { method: request.method, headers, body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) response.end();
    else Readable.fromWeb(answer.body).pipe(response);
  })().catch(() => response.destroy());
});

console.log(resource);
