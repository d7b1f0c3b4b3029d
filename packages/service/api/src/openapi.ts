/** The OpenAPI document and its schemas: only who shows them loads zod. */

export { objectSchema, querySchema } from '@fossick/base/contract';
export { errorCodesOf, openApiDocument } from './openapi/document.js';
export { pageOf, Reference } from './openapi/page.js';
export type { PathParameters } from './openapi/path-parameters.js';
export { errorSchema, registers } from './openapi/schemas/answers.js';
export {
  type AnswerOf,
  codesOf,
  count,
  date,
  flag,
  type Operation,
  operationsOf,
  pageOf as pageSchema,
  shows,
  text,
} from './openapi/schemas/operation.js';
export { OPERATIONS } from './openapi/schemas/operations.js';
export { type AnySchema, zodOf } from './openapi/schemas/zod-schema.js';
export { toolRequest } from './tools/tool-request.js';
export { type Tool, toolTable } from './tools/tool-table.js';
