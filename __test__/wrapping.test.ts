import { describe, expect, it } from 'vitest';
import { shrinkfitTools } from '../host/index.ts';
import { idOf } from './support/notice.ts';
import { failureOf } from './support/errors.ts';
import { log } from './support/samples.ts';

const long = log(300);
const options = { shrinkfit: 2000 };

describe('a wrapped execute', () => {
  it('is a plain function that forwards every argument untouched', () => {
    const seen: unknown[][] = [];
    const { tools } = shrinkfitTools({ probe: { execute: (...args: unknown[]) => seen.push(args) } }, options);
    const args = [{ q: 1 }, { toolCallId: 'x', messages: [] }, Symbol('third'), undefined];
    expect(tools.probe.execute(...args)).toBe(1);
    expect(seen[0]).toHaveLength(4);
    args.forEach((arg, index) => expect(seen[0]![index]).toBe(arg));
  });

  it('gives a synchronous result that fits at once', () => {
    const { tools } = shrinkfitTools({ probe: { execute: () => 'short' } }, options);
    expect(tools.probe.execute()).toBe('short');
  });

  it('gives a promise for a synchronous result that does not fit', async () => {
    const { tools } = shrinkfitTools({ probe: { execute: () => long as unknown } }, options);
    const returned = tools.probe.execute();
    expect(returned).toBeInstanceOf(Promise);
    idOf((await returned) as string);
  });

  it('takes thenables as promises', async () => {
    const { tools } = shrinkfitTools(
      { probe: { execute: (): PromiseLike<string> => ({ then: (done) => Promise.resolve(long).then(done) }) } },
      options,
    );
    idOf(await tools.probe.execute());
  });

  it('throws synchronously what the tool throws synchronously', () => {
    const fault = new TypeError('no such user');
    const probe = {
      execute: () => {
        throw fault;
      },
    };
    const { tools } = shrinkfitTools({ probe }, options);
    let thrown: unknown;
    try {
      tools.probe.execute();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBe(fault);
  });

  it.each([new Error(long), 'a string', undefined])('rejects with the very reason that the tool rejects with', async (reason) => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- tools do
    const { tools } = shrinkfitTools({ probe: { execute: () => Promise.reject(reason) } }, options);
    await expect(
      tools.probe.execute().then(
        () => 'no',
        (thrown: unknown) => ({ thrown }),
      ),
    ).resolves.toEqual({ thrown: reason });
  });

  it('passes a this that is not ours on as it is', () => {
    const { tools } = shrinkfitTools(
      {
        probe: {
          execute(this: unknown) {
            return { self: this };
          },
        },
      },
      options,
    );
    const other = { name: 'other' };
    expect(tools.probe.execute.call(other).self).toBe(other);
    expect(tools.probe.execute.call(undefined).self).toBe(undefined);
  });
});

describe('a wrapped tool', () => {
  it('keeps every other field, symbols and getters included, by the same reference', () => {
    const mark = Symbol('mark');
    let reads = 0;
    const probe = {
      description: 'Looks things up.',
      inputSchema: { type: 'object' },
      toModelOutput: () => ({ type: 'text' }),
      providerOptions: { openai: { strict: true } },
      needsApproval: async () => true,
      [mark]: { deep: 1 },
      get title() {
        reads++;
        return `Probe ${this.version}`;
      },
      version: 3,
      execute: () => 'short',
    };
    const { tools } = shrinkfitTools({ probe }, options);
    expect(reads).toBe(0);
    expect(Reflect.ownKeys(tools.probe).sort(byName)).toEqual(Reflect.ownKeys(probe).sort(byName));
    for (const key of ['description', 'inputSchema', 'toModelOutput', 'providerOptions', 'needsApproval', mark] as const) {
      expect(tools.probe[key]).toBe(probe[key]);
    }
    expect(tools.probe.title).toBe('Probe 3');
    expect(Object.keys({ ...tools.probe })).toEqual(Object.keys(probe));
  });

  it('sees itself as this when it is called as a method', () => {
    const probe = {
      calls: 0,
      execute(this: { calls: number }) {
        return ++this.calls;
      },
    };
    const { tools } = shrinkfitTools({ probe }, options);
    tools.probe.execute();
    tools.probe.execute();
    expect(probe.calls).toBe(2);
  });

  it('may be frozen, or without a prototype', () => {
    const frozen = Object.freeze({ execute: () => 'short' });
    const bare = Object.assign(Object.create(null) as object, { execute: () => 'short' });
    const { tools } = shrinkfitTools({ frozen, bare }, options);
    expect(tools.frozen.execute()).toBe('short');
    expect(tools.bare.execute()).toBe('short');
    expect(Object.getPrototypeOf(tools.bare)).toBe(null);
  });

  it.each<[string, unknown]>([
    ['has no executor', { description: 'runs in the browser', inputSchema: {} }],
    ['is a provider tool', { type: 'provider', id: 'openai.web_search', args: {}, execute: () => long }],
    ['is a provider tool of the AI SDK 5', { type: 'provider-defined', id: 'openai.web_search', name: 'x', args: {} }],
    ['has an execute that is no function', { execute: 'later' }],
    ['is missing', undefined],
    ['is null', null],
  ])('is the same as before if it %s', (_, tool) => {
    const { tools } = shrinkfitTools({ tool }, options);
    expect(tools.tool).toBe(tool);
  });
});

describe('an instance of a class', () => {
  class Base {
    #calls = 0;
    get calls() {
      return this.#calls;
    }
    run(input: { n: number }) {
      this.#calls++;
      return this.format(long, input.n);
    }
    format(text: string, n: number) {
      return text.slice(0, n);
    }
  }
  class Tool extends Base {
    name = 'probe';
    label = 'one';
    execute(input: { n: number }) {
      return this.run(input);
    }
    override format(text: string, n: number) {
      return `${this.name}: ${super.format(text, n)}`;
    }
    rename(name: string) {
      this.name = name;
    }
  }

  it('keeps prototype, methods, getters and private fields at work', async () => {
    const tool = new Tool();
    const { tools } = shrinkfitTools({ tool }, options);
    const wrapped = tools.tool;
    expect(wrapped).not.toBe(tool);
    expect(wrapped).toBeInstanceOf(Tool);
    expect(wrapped.constructor).toBe(Tool);
    expect(Object.keys(wrapped)).toEqual(Object.keys(tool));
    expect(wrapped.execute({ n: 3 })).toBe('probe: 202');
    expect(wrapped.run({ n: 1 })).toBe('probe: 2');
    expect(wrapped.calls).toBe(2);
    expect(tool.calls).toBe(2);
    wrapped.rename('second');
    wrapped.label = 'two';
    expect([tool.name, wrapped.name, tool.label]).toEqual(['second', 'second', 'two']);
    idOf(await Promise.resolve(wrapped.execute({ n: 9000 })));
  });

  it('may be frozen', () => {
    const { tools } = shrinkfitTools({ tool: Object.freeze(new Tool()) }, options);
    expect(tools.tool.execute({ n: 3 })).toBe('probe: 202');
  });
});

describe('a map', () => {
  it('is never mutated, and neither are its tools', () => {
    const probe = Object.freeze({ execute: () => long });
    const map = Object.freeze({ probe });
    shrinkfitTools(map, options);
    expect(Object.keys(map)).toEqual(['probe']);
    expect(map.probe).toBe(probe);
  });

  it('keeps symbols, names like __proto__, and having no prototype', async () => {
    const mark = Symbol('mark');
    const map = Object.create(null) as Record<PropertyKey, { execute: () => Promise<string> }>;
    for (const name of ['__proto__', 'constructor', 'toString', 'probe', '7', mark]) map[name] = { execute: async () => long };
    const { tools } = shrinkfitTools(map, options);
    expect(Object.getPrototypeOf(tools)).toBe(null);
    expect(Reflect.ownKeys(tools)).toEqual([...Reflect.ownKeys(map).slice(0, -1), 'compressor_recover_response', mark]);
    for (const key of Reflect.ownKeys(map)) idOf(await tools[key]!.execute());
  });

  it('with an own __proto__ and an ordinary prototype keeps both', async () => {
    const map = JSON.parse('{"__proto__":{"description":"odd"}}') as Record<string, { execute?: () => Promise<string> }>;
    map.__proto__ = { execute: async () => long };
    Object.defineProperty(map, '__proto__', { value: { execute: async () => long }, enumerable: true });
    const { tools } = shrinkfitTools(map, options);
    expect(Object.getPrototypeOf(tools)).toBe(Object.getPrototypeOf(map));
    const own = Object.getOwnPropertyDescriptor(tools, '__proto__')!.value as { execute: () => Promise<string> };
    idOf(await own.execute());
  });

  it.each<[string, unknown, string]>([
    ['an array', [{ execute: () => 1 }], 'tools must be an object of tools by name'],
    ['a Map', new Map(), 'tools must be an object of tools by name'],
    ['nothing', undefined, 'tools must be an object of tools by name'],
    ['a name for a text', { probe: 'text' }, '"probe" is a string, no tool'],
    ['a name for a bare function', { probe: () => long }, '"probe" is a function, no tool'],
  ])('is refused if it is %s', async (_, tools, message) => {
    const failure = await failureOf(() => shrinkfitTools(tools as object, options));
    expect(failure).toMatchObject({ code: 'INVALID_TOOLS' });
    expect(failure.message).toContain(message);
  });

  it('comes back as it is without shrinkfit', () => {
    const map = { probe: { execute: () => long } };
    const { tools, close } = shrinkfitTools(map);
    expect(tools).toBe(map);
    close();
    expect(shrinkfitTools(map, { shrinkfit: undefined }).tools).toBe(map);
  });
});

describe('wrapping twice', () => {
  const { tools } = shrinkfitTools({ probe: { execute: async () => long } }, options);

  it.each<[string, object]>([
    ['a wrapped map', tools],
    ['a wrapped tool in a map of its own', { other: tools.probe }],
    ['a wrapped tool that was spread', { other: { ...tools.probe, needsApproval: true } }],
  ])('is an error for %s', async (_, map) => {
    expect(await failureOf(() => shrinkfitTools(map, options))).toMatchObject({ code: 'ALREADY_WRAPPED' });
  });

  it('is none without shrinkfit', () => {
    expect(shrinkfitTools(tools, { notice: 'inline' }).tools).toBe(tools);
  });
});

function byName(a: PropertyKey, b: PropertyKey): number {
  return String(a).localeCompare(String(b));
}
