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
] as const;
export type FeatureName = (typeof FEATURE_NAMES)[number];
