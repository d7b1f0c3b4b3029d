import type { Field, Fields, Schema } from './fields.js';

/** The JSON schema of a body with these members. */
export function objectSchema(fields: Fields, { ignoresUnknown = false } = {}): Schema {
  const members = Object.entries(fields);
  const required = members.filter(([, { missing }]) => missing !== undefined).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, field]) => [name, memberSchema(field)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: ignoresUnknown ? {} : false,
  };
}

/** The JSON schema of the parameters of a query string; their lists have no limit but that of the address. */
export function querySchema(fields: Fields): Schema {
  const parameters = Object.entries(fields).map(([name, field]): [string, Field<unknown>] => {
    const { maxItems: _, ...schema } = field.kind.schema;
    return [name, { ...field, kind: { ...field.kind, schema } }];
  });
  return objectSchema(Object.fromEntries(parameters));
}

function memberSchema({ kind: { schema }, missing, refusesNull, default: byDefault }: Field<unknown>): Schema {
  const shown = byDefault === null || byDefault === undefined ? schema['default'] : byDefault;
  const { default: _, ...plain } = schema;
  const described = plain['description'] === undefined ? {} : { description: plain['description'] };
  const outside = shown === undefined ? {} : { ...described, default: shown };
  if (missing !== undefined) return plain;
  if (refusesNull === true) return { ...plain, ...outside };
  return { ...outside, anyOf: [plain, { type: 'null' }] };
}
