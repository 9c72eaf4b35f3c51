import { isObject } from './value.ts';

/** What is wrong with a value, in the form of Standard Schema. */
export interface Issue {
  readonly message: string;
  readonly path?: readonly PropertyKey[];
}

/** The outcome of a check in the form of Standard Schema. */
export type Checked<Value> = { value: Value; issues?: undefined } | { issues: readonly Issue[] };

/** One schema object that every host takes. */
export interface ToolSchema<Value> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Checked<Value> | Promise<Checked<Value>>;
    readonly jsonSchema: { readonly input: () => Record<string, unknown>; readonly output: () => Record<string, unknown> };
  };
  readonly jsonSchema: Record<string, unknown>;
  readonly validate: (value: unknown) => AiChecked<Value> | Promise<AiChecked<Value>>;
}

type AiChecked<Value> = { success: true; value: Value } | { success: false; error: Error };

/**
 * One schema object that every host takes: [Standard Schema](https://standardschema.dev) with `jsonSchema` for the AI SDK from version 6,
 * Mastra, MCP v2, OpenAI Agents and LangChain; and the fields of the AI SDK's own `Schema` for version 5, which knows only those.
 */
export function toolSchema<Value>(json: object, validate: (value: unknown) => Checked<Value> | Promise<Checked<Value>>): ToolSchema<Value> {
  // A copy for every asker, since hosts write into what they get.
  const copy = () => structuredClone(json) as Record<string, unknown>;
  return {
    '~standard': { version: 1, vendor: 'snugfit', validate, jsonSchema: { input: copy, output: copy } },
    [AI_SCHEMA]: true,
    jsonSchema: copy(),
    validate: (value) => {
      const checked = validate(value);
      return checked instanceof Promise ? checked.then(inAiForm) : inAiForm(checked);
    },
  } as ToolSchema<Value>;
}

/** The mark of the AI SDK's own schemas. */
export const AI_SCHEMA = Symbol.for('vercel.ai.schema');

function inAiForm<Value>(checked: Checked<Value>): AiChecked<Value> {
  if (checked.issues === undefined) return { success: true, value: checked.value };
  return { success: false, error: new Error(checked.issues.map(showIssue).join('; ')) };
}

/** An issue as one phrase, with the place in the value. */
export function showIssue({ message, path = [] }: Issue): string {
  const place = path.map((segment) => String(isObject(segment) ? segment.key : segment)).join('.');
  return place === '' || message.includes(place) ? message : `${place}: ${message}`;
}
