import type { NativeBudget } from './binding.ts';
import { SnugfitError } from './errors.ts';
import { isRecovery, markRecovery } from './marks.ts';
import type { Originals } from './originals.ts';
import { type RecoverInput, checkRecoverInput, recoverSchema, requestOf } from './schema.ts';
import { isObject } from './value.ts';

/** The recovery tool's name, unless a tool of that name is there already. */
export const RECOVERY_TOOL = 'compressor_recover_response';

const DESCRIPTION =
  'Reads the original of a tool result that was shortened to a partial view, by the response_id of its truncation notice. ' +
  'Name the missing part by path, search or lines; answers are short, and cursor leads on. ' +
  'With response_id alone it returns the complete original, which may be very long. It never runs a tool again.';

/** The tool by which a model gets at the original of a preview. */
export interface RecoveryTool {
  description: string;
  inputSchema: RecoverySchema;
  /**
   * The complete original (an MCP envelope as JSON, any other value as the text that was fitted), or, for one of `path`, `search`, `lines`
   * and `cursor`, that part within the budget for recovery.
   */
  execute: (input: RecoverInput) => Promise<string>;
}

/** The schema of {@link RecoveryTool}: a Standard Schema with JSON Schema, and an AI SDK schema in one. */
export type RecoverySchema = typeof recoverSchema;

/** The recovery tool of a toolset; `budget` is that of partial reads. */
export function recoveryTool(originals: Originals, budget: NativeBudget): RecoveryTool {
  return {
    description: DESCRIPTION,
    inputSchema: recoverSchema,
    execute: markRecovery(async (input: RecoverInput) => {
      const checked = checkRecoverInput(input);
      if (checked.issues !== undefined) throw new SnugfitError('INVALID_INPUT', checked.issues.map(({ message }) => message).join('; '));
      const { responseId, selector } = requestOf(checked.value);
      return selector === undefined ? originals.recover(responseId) : originals.read(responseId, selector, budget);
    }),
  };
}

/** A name for the recovery tool that no tool of the map has: the usual one, else with `_2`, `_3` … */
export function freeName(tools: object): string {
  let name = RECOVERY_TOOL;
  for (let n = 2; name in tools; n++) name = `${RECOVERY_TOOL}_${n}`;
  return name;
}

/**
 * Whether a tool is a recovery tool, of this package or of a proxy behind an MCP client: its answers are never shortened, since the way to
 * the original would lead to another preview. A proxy's tool carries no mark; name and description together tell it.
 */
export function isRecoveryTool(name: string, tool: { description?: unknown; execute: object }): boolean {
  if (isRecovery(tool.execute)) return true;
  if (!/(^|[^a-z])compressor_recover_response(_\d+)?$/.test(name)) return false;
  return isObject(tool) && typeof tool.description === 'string' && tool.description.includes('response_id');
}
