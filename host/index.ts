/**
 * snugfit: what an AI agent reads, within a budget, with every original one call away.
 *
 * @packageDocumentation
 */
export type { Budget, BudgetLimits } from './budget.ts';
export { createExecutableToolBridge } from './bridge.ts';
export type { BridgeOptions, CommandOptions, ExecutableToolBridge } from './bridge.ts';
export type { BridgeLimits } from './bridge-server.ts';
export { transformToolsForCliMode } from './cli.ts';
export type { CliMode, CliModeOptions } from './cli.ts';
export type { WrittenClient } from './client-files.ts';
export { transformToolsForCodeMode } from './code.ts';
export type { CodeHelpInput, CodeHelpTool, CodeLanguage, CodeMode, CodeModeOptions } from './code.ts';
export type { HelpInput, HelpTool } from './command.ts';
export { compressTools } from './compress.ts';
export type { CompressedTools, CompressionLevel, CompressOptions, InvokeInput, WrapperTool } from './compress.ts';
export { descriptionKey, shrinkDefinitions } from './definitions.ts';
export type { ShrinkDefinitionsOptions } from './definitions.ts';
export { SnugfitError } from './errors.ts';
export type { ErrorCode, ErrorDetails } from './errors.ts';
export type { FitEvent } from './event.ts';
export { fit, fitSync } from './fit.ts';
export type { FitResult } from './fit.ts';
export type { FitOptions } from './fit-options.ts';
export { planToolsForJustBash, transformToolsForJustBash } from './just-bash.ts';
export type { JustBash, JustBashCommand, JustBashContext, JustBashPlan, JustBashResult } from './just-bash.ts';
export type { Mode, ShrinkfitOptions, ToolCall } from './options.ts';
export type { OriginalStore, StoreLimits } from './originals.ts';
export type { ToolRules } from './per-tool.ts';
export { page, trim } from './page.ts';
export type { PageOptions } from './page.ts';
export { paginate, paginateTool } from './paginate.ts';
export type { Handler, PageResult, Paginated, PaginatedConfig, PaginateOptions, ToolConfig } from './paginate.ts';
export { RECOVERY_TOOL } from './recover.ts';
export type { RecoverySchema, RecoveryTool } from './recover.ts';
export type { Omission, Report } from './report.ts';
export { bodyText, fitBody, itemsSize, needsCut, render, renderWithin, reserve } from './render.ts';
export type { BodyField, RawJson, RenderBudget, Rendered } from './render.ts';
export type { RecoverInput } from './schema.ts';
export { shrinkfitTools } from './shrinkfit-tools.ts';
export type { ShrinkfitTools } from './shrinkfit-tools.ts';
export type { AbortSignalLike } from './signal.ts';
export type { Checked, Issue, ToolSchema } from './standard-schema.ts';
export { resolveSchemas } from './tool-schema.ts';
export type { SchemaAdapter } from './tool-schema.ts';
export type { WithRecovery } from './tool.ts';
export { createTurnBudget } from './turn.ts';
export type { TurnBudget, TurnBudgetOptions } from './turn.ts';
