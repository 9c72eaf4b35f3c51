import { shrinkfitTools } from 'snugfit';

// A tool as you have it: its result is far too long for a model.
const search = {
  description: 'Finds orders',
  inputSchema: { type: 'object', properties: { status: { type: 'string' } } },
  execute: async ({ status }) => ({
    total: 5000,
    orders: Array.from({ length: 5000 }, (_, n) => ({ id: `ord_${n}`, status: n === 4242 ? 'failed' : status, note: 'leave at the door' })),
  }),
};

const { tools, close } = shrinkfitTools({ search }, { shrinkfit: 1500 });

// What the model reads: at most 1,500 characters, still JSON, and a notice of what was cut.
const preview = await tools.search.execute({ status: 'paid' });
console.log(preview);

// What it calls if it needs the rest: the original, byte for byte. Nothing is run again.
const { response_id } = JSON.parse(preview).truncation;
const original = await tools.compressor_recover_response.execute({ response_id });
console.log(`${preview.length} characters instead of ${original.length}; ${JSON.parse(original).orders.length} orders recovered`);

close();
