/**
 * snugfit: what an AI agent reads, within a budget, with every original one call away.
 *
 * @packageDocumentation
 */
export type { Budget, BudgetLimits } from './budget.ts';
export { SnugfitError } from './errors.ts';
export type { ErrorCode, ErrorDetails } from './errors.ts';
export type { FitEvent } from './event.ts';
export { fit, fitSync } from './fit.ts';
export type { FitResult } from './fit.ts';
export type { FitOptions } from './fit-options.ts';
export type { ShrinkfitOptions, ToolCall } from './options.ts';
export type { OriginalStore, StoreLimits } from './originals.ts';
export type { ToolRules } from './per-tool.ts';
export { RECOVERY_TOOL } from './recover.ts';
export type { RecoverySchema, RecoveryTool } from './recover.ts';
export type { Omission, Report } from './report.ts';
export type { RecoverInput } from './schema.ts';
export { shrinkfitTools } from './shrinkfit-tools.ts';
export type { ShrinkfitTools } from './shrinkfit-tools.ts';
export type { AbortSignalLike } from './signal.ts';
export type { WithRecovery } from './tool.ts';
