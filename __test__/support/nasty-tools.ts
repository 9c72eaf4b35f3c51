/** Tools whose names, schemas and descriptions break generators of code, each with an input that its schema takes. */
export interface NastyTool {
  description?: string;
  inputSchema: object;
  outputSchema?: object;
  input: Record<string, unknown>;
  /** What Python calls the properties of the input that it cannot call by their names. */
  parameters?: Record<string, string>;
}

const object = (properties: object, required: string[] = [], more: object = {}) => ({ type: 'object', properties, required, ...more });
const text = { type: 'string' };
const nothing = { inputSchema: {}, input: {} };

/** Names that are words of a language, of its library, or of the generated module itself. */
const NAMES = (
  'delete class function import new default await yield enum then constructor prototype toString eval arguments undefined globalThis require ' +
  'exports module fetch Promise Error json list dict str int float bool print open type id None True lambda pass match async self cls ' +
  'ToolError PreviewError CallOptions Notice _call _json call_options tool-error __init__ __proto__ hasOwnProperty unset Any Optional'
).split(' ');

export const NASTY: Record<string, NastyTool> = {
  ...(Object.fromEntries(NAMES.map((name) => [name, nothing])) as Record<string, NastyTool>),
  // Names that would be the same.
  getUser: nothing,
  get_user: nothing,
  'get-user': nothing,
  'get.user': nothing,
  GETUser: nothing,
  getUser2: nothing,
  get_user_json: nothing,
  '2fa': nothing,
  検索: nothing,
  '🙂': nothing,
  // Symbols before, behind and instead of letters; what would be names of the module's own once they are gone.
  '🙂call': nothing,
  '🙂_call': nothing,
  '🙂__json': nothing,
  '🙂http': nothing,
  'Promise🙂': nothing,
  'JSON🙂': nothing,
  'Error🙂': nothing,
  'Any🙂': nothing,
  'Exception🙂': nothing,
  'Unset🙂': nothing,
  'ToolError🙂': nothing,
  'class🙂': nothing,
  'undefined🙂': nothing,
  '---': nothing,
  '+': nothing,
  '': nothing,
  _: nothing,
  __: nothing,
  '1.2': nothing,
  '12': nothing,
  '🙂 1.2': nothing,
  é_: nothing,
  tool: nothing,
  tool_2: nothing,
  '一 🙂 二': nothing,
  'größe ändern': nothing,
  ﬁnd: nothing,
  'a/b\\c"d\'e`f$g*/h': nothing,
  ' spaces ': nothing,
  ['x'.repeat(64)]: { inputSchema: object({ ['y'.repeat(64)]: text }, ['y'.repeat(64)]), input: { ['y'.repeat(64)]: 'z' } },

  wordsAsParameters: {
    inputSchema: object(
      Object.fromEntries(
        'class def None lambda __debug__ self from import async await type id str int dict list Any Optional args call options given query _call _timeout _extra UNSET json'
          .split(' ')
          .map((name) => [name, text]),
      ),
    ),
    input: { class: 'a', None: 'b', __debug__: 'z', str: 'c', _timeout: 'd', args: 'e', UNSET: 'f' },
    parameters: { class: 'class_', None: 'None_', __debug__: '__debug___', _timeout: '_timeout2', UNSET: 'UNSET2' },
  },
  forty_parameters: {
    inputSchema: object(
      Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`parameter_${n}`, n % 2 === 0 ? text : { type: 'integer', default: n }])),
      Array.from({ length: 20 }, (_, n) => `parameter_${n}`),
    ),
    input: Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`parameter_${n}`, n % 2 === 0 ? 'x' : n])),
  },
  odd_properties: {
    inputSchema: object(
      {
        'max-results': { type: 'integer', description: 'type: ignore */ """ \\' },
        '1st': text,
        'a b': text,
        'a.b': text,
        a_b: text,
        '': text,
        'quo"te': text,
        "quo'te": text,
        'back\\slash': text,
        'new\nline': text,
        größe: text,
        名前: text,
        __proto__x: text,
        $id: text,
        nested: object({ 'in-ner': { type: 'integer', description: '# type: int' }, class: text, items: text, __x: text }, [
          'in-ner',
          'class',
        ]),
      },
      ['max-results', 'a b'],
    ),
    input: {
      'max-results': 5,
      '1st': 'a',
      'a b': 'b',
      'a.b': 'c',
      a_b: 'd',
      '': 'e',
      'quo"te': 'f',
      "quo'te": 'g',
      'back\\slash': 'h',
      'new\nline': 'i',
      größe: 'j',
      名前: 'k',
      __proto__x: 'l',
      $id: 'm',
      nested: { 'in-ner': 1, class: 'x', items: 'y', __x: 'z' },
    },
    parameters: {
      'max-results': 'max_results',
      '1st': '_1st',
      'a b': 'a_b',
      'a.b': 'a_b2',
      a_b: 'a_b3',
      '': 'tool',
      'quo"te': 'quo_te',
      "quo'te": 'quo_te2',
      'back\\slash': 'back_slash',
      'new\nline': 'new_line',
      $id: '_id',
    },
  },
  prototype_property: {
    inputSchema: { type: 'object', properties: JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"}}') as object },
    input: JSON.parse('{"__proto__":"a","constructor":"b"}') as Record<string, unknown>,
  },
  nasty_enums: {
    inputSchema: object(
      {
        quotes: { enum: ['"', "'", '`', '\\', '*/', '"""', '\n', '${x}', '', 'ünï', '\u2028', '</script>', 'it\'s "so"'] },
        mixed: { enum: [1, -1, 1.5, true, false, null, 'x', 2 ** 60, [1], { a: 1 }] },
        long: { enum: Array.from({ length: 40 }, (_, n) => `a rather long value, number ${n}`) },
        only: { const: 'x' },
        nothing: { const: null },
        typed: { type: 'string', enum: ['a', 'b'], default: 'a' },
        list: { type: 'array', items: { enum: ['a', 'b', 'c'] } },
        longs: { type: 'array', items: { enum: Array.from({ length: 20 }, (_, n) => `value number ${n}`) } },
      },
      ['quotes', 'mixed'],
    ),
    input: { quotes: '"""', mixed: -1, only: 'x', nothing: null, typed: 'b', list: ['a'] },
  },
  nested_refs: {
    inputSchema: object(
      { filter: { $ref: '#/$defs/Filter%20Set' }, sort: { $ref: '#/$defs/sort', description: 'How to sort' } },
      ['filter'],
      {
        $defs: {
          'Filter Set': object({ all: { type: 'array', items: { $ref: '#/$defs/condition' } }, note: text }, ['all']),
          condition: object({ field: text, op: { $ref: '#/$defs/op' }, value: {} }, ['field', 'op']),
          op: { enum: ['eq', 'ne'] },
          sort: { anyOf: [{ type: 'null' }, object({ by: text, desc: { type: 'boolean' } })] },
        },
      },
    ),
    input: { filter: { all: [{ field: 'a', op: 'eq', value: [1] }], note: 'x' }, sort: null },
  },
  recursive: {
    inputSchema: object({ tree: { $ref: '#/$defs/node' }, value: { $ref: '#/$defs/json' }, self: { $ref: '#' } }, ['tree'], {
      $defs: {
        node: object({ name: text, children: { type: 'array', items: { $ref: '#/$defs/node' } }, parent: { $ref: '#/$defs/node' } }, [
          'name',
        ]),
        json: {
          anyOf: [
            text,
            { type: 'number' },
            { type: 'array', items: { $ref: '#/$defs/json' } },
            { type: 'object', additionalProperties: { $ref: '#/$defs/json' } },
          ],
        },
      },
    }),
    input: { tree: { name: 'a', children: [{ name: 'b' }] }, value: { x: [1, 'y', { z: 2 }] }, self: { tree: { name: 'c' } } },
  },
  circles: {
    inputSchema: object({ a: { $ref: '#/$defs/a' }, b: { $ref: '#/$defs/b' }, c: { $ref: '#/$defs/c' }, d: { $ref: '#/nowhere' } }, [], {
      $defs: {
        a: { $ref: '#/$defs/a' },
        b: { anyOf: [{ $ref: '#/$defs/c' }, { type: 'null' }] },
        c: { allOf: [{ $ref: '#/$defs/b' }, object({ x: text })] },
      },
    }),
    input: { a: 1, d: 'x' },
  },
  composed_of_itself: {
    inputSchema: object({ a: { $ref: '#/$defs/a' } }, [], {
      $defs: { a: object({ x: { allOf: [{ $ref: '#/$defs/a' }, object({ y: { allOf: [{ $ref: '#' }, { $ref: '#/$defs/a' }] } })] } }) },
    }),
    input: { a: { x: { y: { a: {} } } } },
  },
  nullable: {
    inputSchema: object(
      {
        a: { type: ['string', 'null'] },
        b: { type: 'integer', nullable: true },
        c: { anyOf: [text, { type: 'null' }] },
        d: { oneOf: [object({ x: text }), { type: 'null' }] },
        e: { type: ['string', 'integer', 'boolean', 'array', 'object', 'null'] },
        f: {},
        g: { type: 'null' },
      },
      ['a', 'f'],
    ),
    input: { a: null, b: null, c: null, d: null, e: null, f: null, g: null },
  },
  composed: {
    inputSchema: {
      allOf: [object({ id: text }, ['id']), { $ref: '#/definitions/paged' }],
      anyOf: [{ required: ['page'] }, { required: ['cursor'] }],
      definitions: { paged: object({ page: { type: 'integer' }, cursor: text }) },
    },
    input: { id: 'a', page: 2 },
  },
  kinds: {
    inputSchema: {
      type: 'object',
      oneOf: [
        object({ kind: { const: 'circle' }, radius: { type: 'number', exclusiveMinimum: 0 } }, ['kind', 'radius']),
        object({ kind: { const: 'square' }, side: { type: 'number' } }, ['kind', 'side']),
      ],
    },
    input: { kind: 'square', side: 2 },
  },
  inner_kinds: {
    inputSchema: object(
      {
        shape: { oneOf: [object({ kind: { const: 'a' }, x: text }, ['kind']), object({ kind: { const: 'b' }, y: text }, ['kind'])] },
        both: { allOf: [object({ x: text }, ['x']), object({ y: { type: 'integer' } })] },
        short: { allOf: [text, { minLength: 2 }] },
        shapes: { type: 'array', items: { anyOf: [object({ x: text }), text] } },
        matrix: { type: 'array', items: { type: 'array', items: { type: 'array', items: { type: 'number' } } } },
        pair: { type: 'array', prefixItems: [text, { type: 'integer' }], items: false },
        listed: { type: 'array', items: object({ n: { type: 'integer' } }) },
      },
      ['shape', 'both'],
    ),
    input: {
      shape: { kind: 'b', y: 'z' },
      both: { x: 'a', y: 1 },
      short: 'ab',
      shapes: ['a', { x: 'b' }],
      matrix: [[[1]]],
      pair: ['a', 1],
      listed: [{ n: 1 }],
    },
  },
  open: {
    inputSchema: object({ known: { type: 'integer' }, labels: { type: 'object', additionalProperties: text } }, ['known'], {
      additionalProperties: { type: ['string', 'null'] },
    }),
    input: { known: 1, labels: { a: 'b' }, more: 'x', none: null },
  },
  open_inside: {
    inputSchema: object({
      loose: object({ a: text }, ['a'], { additionalProperties: true }),
      any: { type: 'object' },
      none: { type: 'object', additionalProperties: false },
      byPattern: { type: 'object', patternProperties: { '^x': text } },
    }),
    input: { loose: { a: 'b', c: 1 }, any: { x: 1 }, none: {}, byPattern: { xa: 'b' } },
  },
  no_parameters: { inputSchema: object({}, [], { additionalProperties: false }), input: {} },
  only_required_names: { inputSchema: { required: ['x', 'y', 'x'] }, input: { x: 1, y: [] } },
  one_parameter: { inputSchema: object({ path: text }, ['path']), input: { path: 'a' } },
  two_parameters: {
    inputSchema: object({ b: { type: 'array', items: text }, a: text, n: { type: 'integer' } }, ['a', 'b']),
    input: { b: ['x'], a: 'y', n: 1 },
  },
  object_first: { inputSchema: object({ item: object({ a: text }), n: { type: 'integer' } }, ['item']), input: { item: { a: 'b' }, n: 1 } },
  described: {
    description:
      'Ends a comment */ and a docstring """ and escapes \\ \\n \\" \\u0041 `${x}`.\r\n\r\n@deprecated # type: ignore\n\n' +
      '* bullets\n* "quoted"\n\n\u0000\u0007\u2028\u202e and ends in a quote "',
    inputSchema: object({
      a: { type: 'string', description: '*/ """ \\', default: '*/ """ \\', pattern: '^\\d+"""$', minLength: 1 },
      b: { type: 'string', description: 'ends in a backslash \\' },
      c: object({
        'x-y': { type: 'string', default: '\n)\nimport os', pattern: '\n\u2028"""' },
        d: { type: 'string', default: '\nimport os\n' },
      }),
    }),
    input: { a: '1' },
  },
  quoted: { description: 'Says "hello"', inputSchema: object({}), input: {} },
  backslashed: { description: 'C:\\new\\table\\', inputSchema: object({}), input: {} },
  directives: {
    description: '@ts-expect-error',
    inputSchema: object({ a: { type: 'string', description: '@ts-ignore' }, b: { type: 'string', description: '// @ts-expect-error' } }),
    input: { a: 'x' },
  },
  alias_of_one: {
    inputSchema: object({ a: { $ref: '#/$defs/one' } }, [], {
      $defs: { one: { allOf: [text, { $ref: '#/$defs/two' }] }, two: { anyOf: [text, { type: 'array', items: { $ref: '#/$defs/one' } }] } },
    }),
    input: { a: 'x' },
  },
  one_quote: { description: '"', inputSchema: object({}), input: {} },
  two_quotes: { description: '""', inputSchema: object({}), input: {} },
  four_quotes: { description: '""""', inputSchema: object({}), input: {} },
  quoted_twice: { description: '"a" "', inputSchema: object({}), input: {} },
  only_quotes: { description: '"""', inputSchema: object({}), input: {} },
  gives_items: {
    inputSchema: object({ query: text, state: { enum: ['open', 'closed'] } }, ['query']),
    outputSchema: object({ query: text, items: { type: 'array', items: object({ 'item-id': text, next: { $ref: '#' } }, ['item-id']) } }, [
      'query',
    ]),
    input: { query: 'x', state: 'open' },
  },
  gives_anything_by_any: {
    inputSchema: object({ Any: text, result: text }),
    outputSchema: {},
    input: { Any: 'x', result: 'y' },
    parameters: { Any: 'Any2', result: 'result2' },
  },
  gives_list: { inputSchema: object({}), outputSchema: { type: 'array', items: { type: 'integer' } }, input: {} },
  gives_anything: { inputSchema: object({ a: text, b: text, c: text }, ['a', 'b', 'c']), outputSchema: {}, input: { a: '', b: '', c: '' } },
  gives_tree: {
    inputSchema: object({}),
    outputSchema: { $ref: '#/$defs/tree', $defs: { tree: { type: 'array', items: { $ref: '#/$defs/tree' } } } },
    input: {},
  },
};
