import { describeError, type ErrorCode, errorToJson, own } from '@fossick/base';
import { PRODUCT_VERSION } from '../names/product-version.js';
import { type Json, type JsonObject, NamedSchemas } from './json-schema.js';
import { PATH_PARAMETERS, type PathParameters } from './path-parameters.js';
import { errorSchema } from './schemas/answers.js';
import { ANY_KEY, type Operation } from './schemas/operation.js';
import { operationsWith } from './schemas/operations.js';

const TAGS: Readonly<Record<string, string>> = {
  Search: 'Finding documents, by words and by meaning.',
  Documents: 'What is found.',
  Indexes: 'Sets of documents.',
  Settings: 'How an index searches.',
  Tasks: 'What was registered, runs and is done.',
  Keys: 'Who may do what.',
  'Search rules': 'Documents that are pinned among hits.',
  Conversations: 'Models that search the indexes.',
  Instance: 'The server itself.',
};
const DESCRIPTION = `A search engine whose HTTP API many clients speak already.

Requests carry their key as \`Authorization: Bearer KEY\`; without a master key the server asks for none. Writing requests are answered with a
task, which is done after the answer. A path that does not exist is answered 404, a method that a path does not have 405, both without a body.
Bodies may be compressed (\`Content-Encoding\`: gzip, deflate, br), and answers are where the client accepts it.`;

const ALWAYS: readonly ErrorCode[] = [
  'bad_request',
  'internal',
  'invalid_store_file',
  'io_error',
  'too_many_open_files',
  'store_unavailable',
  'too_many_answers',
  'headers_too_large',
];
const WITH_KEY: readonly ErrorCode[] = ['missing_authorization_header', 'invalid_api_key'];
const WITH_BODY: readonly ErrorCode[] = [
  ...(['missing_content_type', 'invalid_content_type', 'malformed_payload', 'missing_payload'] as const),
  ...(['payload_too_large', 'payload_timeout', 'too_many_payloads'] as const),
];
const WRITING: readonly ErrorCode[] = ['no_space_left_on_device'];

/** What is added to the operations of the core. */
export interface MoreOperations {
  /** Families by their names, with a sentence each. */
  readonly tags: Readonly<Record<string, string>>;
  readonly operations: readonly Operation[];
  /** Parameters of their paths that those of the core have not. */
  readonly pathParameters?: PathParameters;
  /** Names of experimental features. */
  readonly features?: readonly string[];
  /** Types of tasks. */
  readonly taskTypes?: readonly string[];
}

/** The OpenAPI 3.1 document of all operations. Takes some milliseconds: make it once. */
export function openApiDocument(more: readonly MoreOperations[] = []): JsonObject {
  const schemas = new NamedSchemas();
  const paths = new Map<string, Record<string, Json>>();
  schemas.of(errorSchema);
  const inPath = Object.assign({}, PATH_PARAMETERS, ...more.map((part) => part.pathParameters)) as PathParameters;
  const features = more.flatMap((part) => part.features ?? []);
  const taskTypes = more.flatMap((part) => part.taskTypes ?? []);
  for (const operation of [...operationsWith(features, taskTypes), ...more.flatMap(({ operations }) => operations)]) {
    const methods = paths.get(operation.path) ?? {};
    methods[operation.method] = describe(operation, schemas, inPath);
    paths.set(operation.path, methods);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fossick',
      version: PRODUCT_VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This server.' }],
    tags: [TAGS, ...more.map((part) => part.tags)]
      .flatMap(Object.entries<string>)
      .map(([name, description]) => ({ name, description })),
    security: [{ key: [] }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'The master key, an API key, or a tenant token.' },
      },
      schemas: withTaskTypes(schemas.all(), taskTypes),
    },
  };
}

/** The same schemas with more types of tasks. */
function withTaskTypes(schemas: JsonObject, added: readonly string[]): JsonObject {
  const type = schemas['TaskType'] as { readonly enum: readonly string[] };
  return { ...schemas, TaskType: { ...type, enum: [...new Set([...type.enum, ...added])] } };
}

/** The error codes that an operation may return. */
export function errorCodesOf({ action, body, errors, method, answers }: Operation): ErrorCode[] {
  const isWriting = method !== 'get' && answers.some(({ status }) => status !== 200);
  return [
    ...new Set([
      ...ALWAYS,
      ...(action === null ? [] : WITH_KEY),
      ...(body === undefined ? [] : WITH_BODY),
      ...(isWriting ? WRITING : []),
      ...errors,
    ]),
  ];
}

function describe(operation: Operation, schemas: NamedSchemas, inPath: PathParameters): JsonObject {
  const { id, tag, summary, action, feature, body } = operation;
  const needs = [rightOf(action), ...(feature === undefined ? [] : [`Needs the experimental feature \`${feature}\`.`])];
  const parameters = [...pathParameters(operation.path, inPath), ...queryParameters(operation, schemas)];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: needs.join(' '),
    ...(action === null ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(operation, schemas) }),
    responses: { ...answersOf(operation, schemas), ...errorsOf(operation) },
  };
}

function rightOf(action: string | null): string {
  if (action === null) return 'Anybody may ask.';
  if (action === '*') return 'Needs the master key, or a key with all actions (`*`) and all indexes.';
  return action === ANY_KEY ? 'Needs any valid key or tenant token.' : `Needs a key with the action \`${action}\`.`;
}

function pathParameters(path: string, known: PathParameters): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const { says, schema, example } = own(known, name!)!;
    return { name: name!, in: 'path', required: true, description: says, schema, example };
  });
}

function queryParameters({ query }: Operation, schemas: NamedSchemas): JsonObject[] {
  if (query === undefined) return [];
  const whole = schemas.of(query) as { properties: Record<string, JsonObject>; required?: readonly string[] };
  return Object.entries(whole.properties).map(([name, schema]) => {
    const { description, default: preset, ...plain } = withoutNull(schema) as Record<string, Json>;
    const isList = plain['type'] === 'array';
    return {
      name,
      in: 'query',
      ...(whole.required?.includes(name) === true ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      ...(isList ? { style: 'form', explode: false } : {}),
      schema: { ...plain, ...(preset === undefined ? {} : { default: preset }) },
    };
  });
}

/** Query parameters are never null. */
function withoutNull(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema as { anyOf?: readonly JsonObject[] };
  if (anyOf !== undefined) {
    const others = anyOf.filter(({ type }) => type !== 'null');
    return others.length === 1 ? { ...others[0]!, ...rest } : { ...rest, anyOf: others };
  }
  const { type } = schema;
  if (!Array.isArray(type)) return schema;
  const left = (type as readonly string[]).filter((name) => name !== 'null');
  return { ...schema, type: left.length === 1 ? left[0]! : left };
}

function requestBody({ body }: Operation, schemas: NamedSchemas): JsonObject {
  const { schema, example, otherMedia = {} } = body!;
  const others = Object.entries(otherMedia).map(([type, text]) => [
    type,
    { schema: { type: 'string' }, example: text },
  ]);
  return {
    required: true,
    content: {
      'application/json': { schema: schemas.of(schema), example: example as Json },
      ...Object.fromEntries(others),
    },
  };
}

function answersOf({ answers }: Operation, schemas: NamedSchemas): JsonObject {
  const described = answers.map(({ status, says, schema, mediaType = 'application/json', otherMediaType, example }) => {
    if (schema === undefined) return [String(status), { description: says }];
    const content = { schema: schemas.of(schema), ...(example === undefined ? {} : { example: example as Json }) };
    const other = otherMediaType === undefined ? {} : { [otherMediaType]: { schema: { type: 'string' } } };
    return [String(status), { description: says, content: { [mediaType]: content, ...other } }];
  });
  return Object.fromEntries(described) as JsonObject;
}

/** Errors by status, each with its possible codes and an example. */
function errorsOf(operation: Operation): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(operation)) {
    const { status } = describeError(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const taken = new Set(operation.answers.map(({ status }) => status));
  const described = [...byStatus]
    .filter(([status]) => !taken.has(status))
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => [
      String(status),
      {
        description: `An error: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            example: { ...errorToJson(codes[0]!, 'What was wrong with this request.') },
          },
        },
      },
    ]);
  return Object.fromEntries(described) as JsonObject;
}
