import { generateText, jsonSchema, tool, type ToolSet } from 'ai';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { type FitEvent, type RecoveryTool, type Report, fit, fitSync, shrinkfitTools } from '../host/index.ts';

// The compiler checks these (`npm run check:types`); running them adds nothing but that they run.
describe('types', () => {
  it('of a map keep its own keys, and add the recovery tool', () => {
    const { tools } = shrinkfitTools(
      { search: { description: 'x', execute: async (input: { q: string }) => input.q } },
      { shrinkfit: 6000 },
    );
    expectTypeOf(tools.search.execute).parameter(0).toEqualTypeOf<{ q: string }>();
    expectTypeOf(tools.search.description).toEqualTypeOf<string>();
    expectTypeOf(tools.compressor_recover_response).toEqualTypeOf<RecoveryTool>();
    expectTypeOf(tools.compressor_recover_response.execute).returns.resolves.toBeString();
  });

  it('without a store or a budget promise no recovery tool', () => {
    const { tools } = shrinkfitTools({ search: { execute: async () => 1 } }, { shrinkfit: 6000, store: false });
    expectTypeOf(tools.compressor_recover_response).toEqualTypeOf<RecoveryTool | undefined>();
    expectTypeOf(shrinkfitTools({ a: { execute: () => 1 } }).tools.a.execute).returns.toBeNumber();
  });

  it('of the AI SDK’s tool maps go in and out without casts', () => {
    const { tools } = shrinkfitTools(
      {
        zod: tool({ description: 'x', inputSchema: z.object({ q: z.string() }), execute: async ({ q }) => ({ q }) }),
        json: tool({ inputSchema: jsonSchema<{ q: string }>({ type: 'object' }), execute: ({ q }) => q }),
        client: tool({ inputSchema: z.object({ id: z.string() }) }),
      },
      {
        shrinkfit: { chars: 6000 },
        notice: 'inline',
        store: { entries: 10 },
        onFit: (event) => expectTypeOf(event).toEqualTypeOf<FitEvent>(),
      },
    );
    expectTypeOf(tools).toExtend<ToolSet>();
    expectTypeOf(generateText<typeof tools>).toBeFunction();
    const dynamic: ToolSet = {};
    expectTypeOf(shrinkfitTools(dynamic, { shrinkfit: 6000 }).tools).toExtend<ToolSet>();
  });

  it('of an interface without an index signature, and of a class, are maps too', () => {
    interface Tools {
      search: { execute: () => string };
    }
    const map: Tools = { search: { execute: () => '' } };
    expectTypeOf(shrinkfitTools(map, { shrinkfit: 6000 }).tools.search.execute).returns.toBeString();
  });

  it('of fit say what it takes and gives', () => {
    expectTypeOf(fit('', { budget: 9 })).resolves.toEqualTypeOf<{ text: string; report: Report }>();
    expectTypeOf(fitSync({}, { budget: { bytes: 9 } }).report).toEqualTypeOf<Report>();
    expectTypeOf(fit).parameter(1).toHaveProperty('signal');
    // @ts-expect-error a budget is required
    expectTypeOf(() => fit('', {})).toBeFunction();
    // @ts-expect-error there is no such mode
    expectTypeOf(() => shrinkfitTools({}, { shrinkfit: 9, mode: 'shorten' })).toBeFunction();
  });
});
