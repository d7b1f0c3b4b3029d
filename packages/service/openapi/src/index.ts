export { errorCodesOf, openApiDocument } from './document.js';
export { pageOf } from './page.js';
export { referenceJson, referencePage } from './reference.js';
export { keyChangeBody, keyCreationBody, keysQuery, webhookChangeBody, webhookCreationBody } from './schemas/access.js';
export { errorSchema } from './schemas/answers.js';
export { chatSettingsBody, completionBody } from './schemas/chats.js';
export {
  additionQuery,
  deletionBody,
  documentQuery,
  documentsQuery,
  editionBody,
  fetchBody,
  metadataQuery,
} from './schemas/documents.js';
export { fieldsBody, indexCreationBody, indexUpdateBody, pageQuery, statsQuery, swapBody } from './schemas/indexes.js';
export { exportBody, featuresBody, logStreamBody, networkBody, renderBody, stderrBody } from './schemas/instance.js';
export type { Operation } from './schemas/operation.js';
export { OPERATIONS } from './schemas/operations.js';
export { ruleBody, ruleListBody } from './schemas/rules.js';
export {
  facetSearchBody,
  multiSearchBody,
  searchBody,
  searchQuery,
  similarBody,
  similarQuery,
} from './schemas/search.js';
export { SETTINGS, settingsBody } from './schemas/settings.js';
export { taskFilterQuery, taskListQuery } from './schemas/tasks.js';
