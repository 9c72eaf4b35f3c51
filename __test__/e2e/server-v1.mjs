import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { paginateTool } from '../../dist/index.js';
import { description, listed } from './listing.mjs';

const server = new McpServer({ name: 'listing-v1', version: '1.0.0' });
const handler = async ({ folder }) => listed(folder);
server.registerTool(
  'shape',
  ...paginateTool({ description, inputSchema: { folder: z.string() }, outputSchema: { items: z.array(z.any()) } }, handler),
);
server.registerTool('shape3', ...paginateTool({ description, inputSchema: { folder: z3.string() } }, handler));
server.registerTool('object', ...paginateTool({ description, inputSchema: z.object({ folder: z.string() }) }, handler));
server.registerTool('none', ...paginateTool({ description }, async () => listed('node_modules/zod')));
await server.connect(new StdioServerTransport());
