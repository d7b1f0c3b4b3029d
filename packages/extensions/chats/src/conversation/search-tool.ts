import type { ChatSettings } from '../provider/chat-workspaces.js';
import type { Loose } from '../provider/chunk.js';
import { SEARCH_TOOL } from '../provider/special-tools.js';

/** The description of an index for the model. */
export interface DescribedIndex {
  readonly uid: string;
  readonly description: string;
  /** Filterable attributes, each with some of its values. */
  readonly facets: ReadonlyMap<string, readonly string[]>;
}

/**
 * The function that the model calls to search; undefined where there is no index to search. @param isStrict its
 * arguments must match the schema
 */
export function searchTool(
  prompts: ChatSettings['prompts'],
  indexes: readonly DescribedIndex[],
  isStrict: boolean,
): Loose | undefined {
  if (indexes.length === 0) return undefined;
  const properties = {
    index_uid: {
      type: 'string',
      enum: indexes.map(({ uid }) => uid),
      description: [prompts.searchIndexUidParam, ...indexes.flatMap(indexLine)].join('\n'),
    },
    q: { type: 'string', description: prompts.searchQParam },
    filter: {
      type: 'string',
      description: [prompts.searchFilterParam, ...indexes.flatMap(facetLines)].join('\n'),
    },
  };
  const parameters = {
    type: 'object',
    properties,
    required: isStrict ? Object.keys(properties) : ['index_uid', 'q'],
    ...(isStrict ? { additionalProperties: false } : {}),
  };
  const described = { name: SEARCH_TOOL, description: prompts.searchDescription, parameters };
  return { type: 'function', function: isStrict ? { ...described, strict: true } : described };
}

function indexLine({ uid, description }: DescribedIndex): string[] {
  return description === '' ? [] : [`- ${uid}: ${description}`];
}

function facetLines({ uid, facets }: DescribedIndex): string[] {
  if (facets.size === 0) return [];
  const lines = [...facets].map(([name, values]) =>
    values.length === 0 ? `  - ${name}` : `  - ${name}, with values such as ${values.join(', ')}`,
  );
  return [`- the index ${uid} can be filtered by`, ...lines];
}
