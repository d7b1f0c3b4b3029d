/** An operation of the API that is a tool of the Model Context Protocol. */
export interface ToolSpec {
  /** Id of the operation, which is the name of the tool. */
  readonly operation: string;
  /** Said after the summary of the operation, for models that choose a tool. */
  readonly advice: string;
  /** The argument that is the whole body; without it every member of the body is an argument. */
  readonly bodyArgument?: string;
  /** Parameters of the query that are no arguments of the tool. */
  readonly without?: readonly string[];
  readonly effect: ToolEffect;
}
/** `adds` writes without losing anything, `replaces` may lose what was there before. */
export type ToolEffect = 'reads' | 'adds' | 'replaces';

const TASK = 'The answer is a task that runs afterwards: getTask shows its status and its error.';
/** JSON is the only format of a tool. */
const NO_CSV = ['csvDelimiter'];
const FOUND_BY_FILTER =
  'Filters need attributes of the setting filterableAttributes, sorting those of sortableAttributes; getSettings shows both.';

/** Every tool, in the order in which they are listed. */
export const TOOL_LIST: readonly ToolSpec[] = [
  {
    operation: 'search',
    effect: 'reads',
    advice: `Finds documents by words, with typos, filters, facets and sorting. ${FOUND_BY_FILTER} Keep answers small with limit and attributesToRetrieve.`,
  },
  {
    operation: 'multiSearch',
    effect: 'reads',
    advice: 'Each query names its index. With federation the hits of all are one ranked list.',
  },
  { operation: 'facetSearch', effect: 'reads', advice: 'The facet must be in filterableAttributes.' },
  { operation: 'similar', effect: 'reads', advice: 'Needs an index with an embedder.' },
  {
    operation: 'fetchDocuments',
    effect: 'reads',
    advice: `Not ranked; by ids, by a filter, or page by page. ${FOUND_BY_FILTER}`,
  },
  { operation: 'getDocument', effect: 'reads', advice: 'By its id.' },
  { operation: 'listIndexes', effect: 'reads', advice: 'Start here to learn which indexes there are.' },
  { operation: 'getIndex', effect: 'reads', advice: 'Its primary key and its dates.' },
  {
    operation: 'listFields',
    effect: 'reads',
    advice: 'Which fields can be searched, filtered by, sorted by and shown.',
  },
  { operation: 'getSettings', effect: 'reads', advice: 'How the index searches, filters and ranks.' },
  { operation: 'getStats', effect: 'reads', advice: 'Numbers of documents and sizes of all indexes.' },
  { operation: 'indexStats', effect: 'reads', advice: 'Number of documents, and how many have each field.' },
  { operation: 'listTasks', effect: 'reads', advice: 'Filter by status to find failures.' },
  {
    operation: 'getTask',
    effect: 'reads',
    advice: 'Its status is enqueued, processing, succeeded, failed or canceled.',
  },
  {
    operation: 'addDocuments',
    effect: 'replaces',
    bodyArgument: 'documents',
    without: NO_CSV,
    advice: `Creates the index if there is none. ${TASK}`,
  },
  {
    operation: 'updateDocuments',
    effect: 'replaces',
    bodyArgument: 'documents',
    without: NO_CSV,
    advice: `Fields that are not sent stay as they are. ${TASK}`,
  },
  { operation: 'deleteDocuments', effect: 'replaces', bodyArgument: 'ids', advice: TASK },
  { operation: 'deleteDocumentsByFilter', effect: 'replaces', advice: TASK },
  { operation: 'updateSettings', effect: 'replaces', advice: `Only the settings that are sent change. ${TASK}` },
  { operation: 'createIndex', effect: 'adds', advice: TASK },
  { operation: 'deleteIndex', effect: 'replaces', advice: `This cannot be undone. ${TASK}` },
];
