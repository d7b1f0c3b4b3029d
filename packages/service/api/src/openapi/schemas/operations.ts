import { ACCESS_OPERATIONS } from './access.js';
import { DOCUMENT_OPERATIONS } from './documents.js';
import { featureOperations } from './features.js';
import { INDEX_OPERATIONS } from './indexes.js';
import { INSTANCE_OPERATIONS } from './instance.js';
import { MCP_OPERATION } from './mcp.js';
import type { Operation } from './operation.js';
import { RULE_OPERATIONS } from './rules.js';
import { SEARCH_OPERATIONS } from './search.js';
import { SETTING_OPERATIONS } from './settings.js';
import { taskOperations } from './tasks.js';

/** Every operation of the API but those of extensions, family by family. `features`, `taskTypes`: names that extensions add. */
export const operationsWith = (features: readonly string[], taskTypes: readonly string[]): Operation[] => [
  ...SEARCH_OPERATIONS,
  ...DOCUMENT_OPERATIONS,
  ...INDEX_OPERATIONS,
  ...SETTING_OPERATIONS,
  ...taskOperations(taskTypes),
  ...ACCESS_OPERATIONS,
  ...RULE_OPERATIONS,
  MCP_OPERATION,
  ...INSTANCE_OPERATIONS,
  ...featureOperations(features),
];

/** The same without extensions. */
export const OPERATIONS: readonly Operation[] = operationsWith([], []);
