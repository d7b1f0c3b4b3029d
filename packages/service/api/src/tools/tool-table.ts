import { own } from '@fossick/base';
import { inlineSchema, type Json, type JsonObject } from '../openapi/json-schema.js';
import { PATH_PARAMETERS } from '../openapi/path-parameters.js';
import type { Operation } from '../openapi/schemas/operation.js';
import { OPERATIONS } from '../openapi/schemas/operations.js';
import type { AnySchema } from '../openapi/schemas/zod-schema.js';
import { TOOL_LIST, type ToolSpec } from './tool-list.js';

/** An operation as a tool: what clients are shown of it, and how its arguments become a request. */
export interface Tool {
  readonly name: string;
  /** The action that a key needs for it. */
  readonly action: string;
  /** As `tools/list` shows it. */
  readonly shown: JsonObject;
  readonly operation: Operation;
  /** Where each argument goes; one that is not here goes to the body, or to the query of an operation without body. */
  readonly places: ReadonlyMap<string, ArgumentPlace>;
  readonly bodyArgument: string | undefined;
}
export type ArgumentPlace = 'path' | 'query' | 'body';

let table: ReadonlyMap<string, Tool> | undefined;

/** Every tool by its name. Made on the first call, which takes some milliseconds. */
export function toolTable(): ReadonlyMap<string, Tool> {
  table ??= new Map(TOOL_LIST.map((spec) => [spec.operation, toolOf(spec)]));
  return table;
}

function toolOf(spec: ToolSpec): Tool {
  const operation = OPERATIONS.find(({ id }) => id === spec.operation)!;
  const { query, body } = operation;
  const places = new Map<string, ArgumentPlace>();
  const properties: Record<string, Json> = {};
  const required: string[] = [];
  const add = (place: ArgumentPlace, name: string, schema: Json, isRequired: boolean): void => {
    places.set(name, place);
    properties[name] = schema;
    if (isRequired) required.push(name);
  };
  for (const [, name] of operation.path.matchAll(/\{(\w+)\}/g)) {
    const { says, schema, example } = own(PATH_PARAMETERS, name!)!;
    add('path', name!, { ...schema, description: says, examples: [example] }, true);
  }
  for (const [name, schema, isRequired] of membersOf(query))
    if (spec.without?.includes(name) !== true) add('query', name, schema, isRequired);
  if (body !== undefined && spec.bodyArgument !== undefined)
    add('body', spec.bodyArgument, inlineSchema(body.schema), true);
  else for (const [name, schema, isRequired] of membersOf(body?.schema)) add('body', name, schema, isRequired);
  const shown = {
    name: operation.id,
    title: operation.summary,
    description: `${operation.summary}. ${spec.advice}`,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    annotations: annotationsOf(spec, operation),
  };
  const { id: name, action } = operation;
  return { name, action: action!, shown, operation, places, bodyArgument: spec.bodyArgument };
}

/** Members of an object's schema: name, schema, whether it must be there. */
function membersOf(schema: AnySchema | undefined): [string, Json, boolean][] {
  if (schema === undefined) return [];
  const whole = inlineSchema(schema) as { properties: JsonObject; required?: readonly string[] };
  return Object.entries(whole.properties).map(([name, member]) => [
    name,
    member,
    whole.required?.includes(name) === true,
  ]);
}

/** Hints for people who are asked before a tool runs. All tools stay within this server. */
function annotationsOf({ effect }: ToolSpec, { summary }: Operation): JsonObject {
  const shared = { title: summary, readOnlyHint: effect === 'reads', openWorldHint: false };
  if (effect === 'reads') return shared;
  return { ...shared, destructiveHint: effect === 'replaces', idempotentHint: effect === 'replaces' };
}
