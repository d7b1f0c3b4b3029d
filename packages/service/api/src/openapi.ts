/** The OpenAPI document and its schemas: only who shows them loads zod. */

export { objectSchema, querySchema } from '@fossick/base/contract';
export { errorCodesOf, openApiDocument } from './openapi/document.js';
export { pageOf } from './openapi/page.js';
export { referenceJson, referencePage } from './openapi/reference.js';
export {
  keyChangeBody,
  keyCreationBody,
  keysQuery,
  webhookChangeBody,
  webhookCreationBody,
} from './openapi/schemas/access.js';
export { errorSchema } from './openapi/schemas/answers.js';
export { chatSettingsBody, completionBody } from './openapi/schemas/chats.js';
export {
  additionQuery,
  deletionBody,
  documentQuery,
  documentsQuery,
  editionBody,
  fetchBody,
  metadataQuery,
} from './openapi/schemas/documents.js';
export {
  fieldsBody,
  indexCreationBody,
  indexUpdateBody,
  pageQuery,
  statsQuery,
  swapBody,
} from './openapi/schemas/indexes.js';
export {
  exportBody,
  featuresBody,
  logStreamBody,
  networkBody,
  renderBody,
  stderrBody,
} from './openapi/schemas/instance.js';
export type { Operation } from './openapi/schemas/operation.js';
export { OPERATIONS } from './openapi/schemas/operations.js';
export { ruleBody, ruleListBody } from './openapi/schemas/rules.js';
export {
  facetSearchBody,
  multiSearchBody,
  searchBody,
  searchQuery,
  similarBody,
  similarQuery,
} from './openapi/schemas/search.js';
export { settingsBody } from './openapi/schemas/settings.js';
export { taskFilterQuery, taskListQuery } from './openapi/schemas/tasks.js';
export { type AnySchema, zodOf } from './openapi/schemas/zod-schema.js';
export { type ToolRequest, toolRequest } from './tools/tool-request.js';
export { type Tool, toolTable } from './tools/tool-table.js';
