import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { paginateTool } from '../../dist/index.js';
import { description, listed } from './listing.mjs';

const server = new McpServer({ name: 'listing-v2', version: '1.0.0' });
const handler = async ({ folder }) => listed(folder);
const shape = { folder: z.string() };
// A Standard Schema that is no zod object.
const { validate, jsonSchema } = z.object(shape)['~standard'];
const standard = { '~standard': { version: 1, vendor: 'test', validate, jsonSchema } };
server.registerTool(
  'object',
  ...paginateTool({ description, inputSchema: z.object(shape), outputSchema: z.object({ items: z.array(z.any()) }) }, handler),
);
server.registerTool('shape', ...paginateTool({ description, inputSchema: shape }, handler));
server.registerTool('standard', ...paginateTool({ description, inputSchema: standard }, handler));
server.registerTool('none', ...paginateTool({ description }, async () => listed('node_modules/zod')));
await server.connect(new StdioServerTransport());
