/** Experimental features in shown order. */
export const FEATURE_NAMES = [
  'metrics',
  'logsRoute',
  'tasksStreamingRoute',
  'editDocumentsByFunction',
  'containsFilter',
  'dynamicSearchRules',
  'network',
  'getTaskDocumentsRoute',
  'taskQueueCompactionRoute',
  'compositeEmbedders',
  'chatCompletions',
  'multimodal',
  'foreignKeys',
  'disableDocumentsFetchQueue',
  'legacySearch',
  'renderRoute',
  'mcpRoute',
] as const;
/** Features that are on until they are switched off. */
export const ON_AT_FIRST: readonly string[] = ['mcpRoute'];
export type FeatureName = (typeof FEATURE_NAMES)[number];
