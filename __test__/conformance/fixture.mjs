// What the scenarios of the official conformance suite ask of a server: its tools, prompts and resources.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * @typedef {import('@modelcontextprotocol/sdk/shared/protocol.js').RequestHandlerExtra<
 *   import('@modelcontextprotocol/sdk/types.js').ServerRequest, import('@modelcontextprotocol/sdk/types.js').ServerNotification>} Extra
 * @typedef {import('@modelcontextprotocol/sdk/types.js').ContentBlock} Block
 * @typedef {{ description: string, inputSchema?: object, run: (args: Record<string, unknown>, extra: Extra) => Block[] | Promise<Block[]> }} Tool
 * @typedef {{ role: 'user', content: Block }} PromptMessage
 * @typedef {{ description: string, arguments?: string[], messages: (args: Record<string, string>) => PromptMessage[] }} Prompt
 */

/** A red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
/** A sample of silence. */
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==';

/** @type {(value: string) => Block} */
const text = (value) => ({ type: 'text', text: value });
/** @type {Block} */
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
/** @type {(uri: string, mimeType: string, value: string) => Block} */
const embedded = (uri, mimeType, value) => ({ type: 'resource', resource: { uri, mimeType, text: value } });
/** @type {(content: Block) => PromptMessage} */
const user = (content) => ({ role: 'user', content });

/** @type {(properties: object) => object} */
const strings = (properties) => ({ type: 'object', properties, required: Object.keys(properties) });
/** @type {(...names: string[]) => { const: string, title: string }[]} */
const titled = (...names) => names.map((title, at) => ({ const: `value${at + 1}`, title }));
const OPTIONS = ['option1', 'option2', 'option3'];

/** @type {(extra: Extra, message: string, requestedSchema: object, says: string) => Promise<Block[]>} */
async function elicit(extra, message, requestedSchema, says) {
  const params = /** @type {import('@modelcontextprotocol/sdk/types.js').ElicitRequestFormParams} */ ({ message, requestedSchema });
  const { action, content } = await extra.sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
  return [text(`${says}: action=${action}, content=${JSON.stringify(content ?? {})}`)];
}

/** @type {Record<string, Tool>} */
const TOOLS = {
  test_simple_text: { description: 'Returns text', run: () => [text('This is a simple text response for testing.')] },
  test_image_content: { description: 'Returns an image', run: () => [image] },
  test_audio_content: { description: 'Returns audio', run: () => [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    description: 'Returns an embedded resource',
    run: () => [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  },
  test_multiple_content_types: {
    description: 'Returns text, an image and a resource',
    run: () => [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
  test_tool_with_logging: {
    description: 'Logs while it runs',
    run: async (_, { sendNotification }) => {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
        await pause(50);
      }
      return [text('It has logged three times.')];
    },
  },
  test_error_handling: {
    description: 'Fails',
    run: () => {
      throw new Error('This tool intentionally returns an error for testing');
    },
  },
  test_tool_with_progress: {
    description: 'Reports progress',
    run: async (_, { _meta, sendNotification }) => {
      const progressToken = _meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined)
          await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
        await pause(50);
      }
      return [text('It is done.')];
    },
  },
  test_sampling: {
    description: 'Has the client ask its model',
    inputSchema: strings({ prompt: { type: 'string' } }),
    run: async ({ prompt }, { sendRequest }) => {
      const messages = [user(text(String(prompt)))];
      const params = /** @type {import('@modelcontextprotocol/sdk/types.js').CreateMessageRequest['params']} */ ({
        messages,
        maxTokens: 100,
      });
      const { content } = await sendRequest({ method: 'sampling/createMessage', params }, CreateMessageResultSchema);
      return [text(`LLM response: ${content.type === 'text' ? content.text : content.type}`)];
    },
  },
  test_elicitation: {
    description: 'Has the client ask its user',
    inputSchema: strings({ message: { type: 'string' } }),
    run: ({ message }, extra) => {
      const schema = strings({
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      });
      return elicit(extra, String(message), schema, 'User response');
    },
  },
  test_elicitation_sep1034_defaults: {
    description: 'Has the client ask its user, with defaults',
    run: (_, extra) => {
      const properties = {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      };
      return elicit(extra, 'Please look through the defaults', { type: 'object', properties }, 'Elicitation completed');
    },
  },
  test_elicitation_sep1330_enums: {
    description: 'Has the client ask its user for one or several of a list',
    run: (_, extra) => {
      const properties = {
        untitledSingle: { type: 'string', enum: OPTIONS },
        titledSingle: { type: 'string', oneOf: titled('First Option', 'Second Option', 'Third Option') },
        legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
        untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
        titledMulti: { type: 'array', items: { anyOf: titled('First Choice', 'Second Choice', 'Third Choice') } },
      };
      return elicit(extra, 'Please choose', { type: 'object', properties }, 'Elicitation completed');
    },
  },
  test_reconnection: {
    description: 'Closes its stream before it answers; whoever comes again gets the answer',
    run: async (_, { closeSSEStream }) => {
      closeSSEStream?.();
      await pause(100);
      return [text('Here is the answer.')];
    },
  },
  json_schema_2020_12_tool: {
    description: 'Tool with JSON Schema 2020-12 features',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
    run: (args) => [text(JSON.stringify(args))],
  },
};

/** @type {Record<string, Prompt>} */
const PROMPTS = {
  test_simple_prompt: { description: 'Plain text', messages: () => [user(text('This is a simple prompt for testing.'))] },
  test_prompt_with_arguments: {
    description: 'Takes two arguments',
    arguments: ['arg1', 'arg2'],
    messages: ({ arg1, arg2 }) => [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  test_prompt_with_embedded_resource: {
    description: 'Has a resource inside',
    arguments: ['resourceUri'],
    messages: ({ resourceUri = '' }) => [
      user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
      user(text('Please process the embedded resource above.')),
    ],
  },
  test_prompt_with_image: {
    description: 'Has an image inside',
    messages: () => [user(image), user(text('Please analyze the image above.'))],
  },
};

const RESOURCES = [
  { uri: 'test://static-text', mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  { uri: 'test://static-binary', mimeType: 'image/png', blob: PNG },
  { uri: 'test://watched-resource', mimeType: 'text/plain', text: 'Somebody may be told when this changes.' },
];

/** @type {(uri: string) => { uri: string, mimeType: string } & ({ text: string } | { blob: string })} */
function resource(uri) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined)
    return { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) };
  return RESOURCES.find((known) => known.uri === uri) ?? unknown('resource', uri);
}

/** @type {(what: string, name: string) => never} */
function unknown(what, name) {
  throw new McpError(ErrorCode.InvalidParams, `there is no ${what} ${name}`);
}

/** A server for one client. */
export function createServer() {
  const server = new Server(
    { name: 'conformance-fixture', version: '1.0.0' },
    { capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, logging: {}, completions: {} } },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(TOOLS).map(([name, { description, inputSchema }]) => ({
      name,
      description,
      inputSchema: /** @type {{ type: 'object' }} */ (inputSchema ?? { type: 'object' }),
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = TOOLS[params.name] ?? unknown('tool', params.name);
    try {
      return { content: await tool.run(params.arguments ?? {}, extra) };
    } catch (thrown) {
      return { content: [text(thrown instanceof Error ? thrown.message : String(thrown))], isError: true };
    }
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: Object.entries(PROMPTS).map(([name, { description, arguments: taken = [] }]) => ({
      name,
      description,
      arguments: taken.map((argument) => ({ name: argument, required: true })),
    })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
    messages: (PROMPTS[params.name] ?? unknown('prompt', params.name)).messages(params.arguments ?? {}),
  }));
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: RESOURCES.map(({ uri, mimeType }) => ({ uri, mimeType, name: uri.slice('test://'.length) })),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ name: 'template', uriTemplate: 'test://template/{id}/data', mimeType: 'application/json' }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => ({ contents: [resource(params.uri)] }));
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  server.setRequestHandler(CompleteRequestSchema, ({ params: { argument } }) => {
    const values = ['test', 'testing', 'text'].filter((value) => value.startsWith(argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
  return server;
}
