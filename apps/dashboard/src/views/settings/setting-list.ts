import type { SettingName } from '../../api/types.js';

/** How a setting is edited. `path` is its path within the settings object. */
export interface SettingField {
  readonly path: readonly [SettingName, ...string[]];
  readonly label: string;
  readonly help: string;
  readonly kind:
    | 'names'
    | 'ordered'
    | 'rules'
    | 'words'
    | 'switch'
    | 'number'
    | 'name'
    | 'choice'
    | 'text'
    | 'embedders'
    | 'json';
  /** Value and label of each choice. */
  readonly choices?: readonly (readonly [string, string])[];
  /** The minimum of a number. */
  readonly min?: number;
  readonly max?: number;
  /** Whether an empty field means null. */
  readonly isOptional?: boolean;
  /** Whether names of attributes are suggested. */
  readonly ofAttributes?: boolean;
}
export interface SettingGroup {
  readonly id: string;
  readonly title: string;
  /** The setting that all fields are members of: it may be edited as a whole. */
  readonly object?: SettingName;
  readonly fields: readonly SettingField[];
}

export const RANKING_RULES = [
  'words',
  'typo',
  'proximity',
  'attribute',
  'attributeRank',
  'wordPosition',
  'sort',
  'exactness',
];

const GROUPS = [
  {
    id: 'attributes',
    title: 'Attributes',
    fields: [
      {
        path: ['searchableAttributes'],
        label: 'Searchable attributes',
        help: 'Where words are looked for, the most important first. * stands for all of them.',
        kind: 'ordered',
        ofAttributes: true,
      },
      {
        path: ['filterableAttributes'],
        label: 'Filterable attributes',
        help: 'What searches may filter by, and count for facets.',
        kind: 'names',
        ofAttributes: true,
      },
      {
        path: ['sortableAttributes'],
        label: 'Sortable attributes',
        help: 'What searches may sort by.',
        kind: 'names',
        ofAttributes: true,
      },
      {
        path: ['displayedAttributes'],
        label: 'Displayed attributes',
        help: 'What searches show of a document. * stands for all of it.',
        kind: 'names',
        ofAttributes: true,
      },
      {
        path: ['substringAttributes'],
        label: 'Attributes searched by parts of words',
        help: 'Their words are found by any three or more characters of them. The filter CONTAINS is fast on them. A change indexes all documents again.',
        kind: 'names',
        ofAttributes: true,
      },
      {
        path: ['elementAttributes'],
        label: 'Attributes with elements apart',
        help: 'Arrays of objects: a filter variants[ color = red AND size = 42 ] asks for both of the same one.',
        kind: 'names',
        ofAttributes: true,
      },
      {
        path: ['distinctAttribute'],
        label: 'Distinct attribute',
        help: 'Of the documents that share its value only the best one is shown.',
        kind: 'name',
        isOptional: true,
        ofAttributes: true,
      },
      {
        path: ['expiryAttribute'],
        label: 'Expiry attribute',
        help: 'From the time in this attribute on a document is not found any more; it is deleted within a minute. The time is a Unix time or a date of ISO 8601.',
        kind: 'name',
        isOptional: true,
        ofAttributes: true,
      },
    ],
  },
  {
    id: 'ranking',
    title: 'Ranking',
    fields: [
      {
        path: ['rankingRules'],
        label: 'Ranking rules',
        help: 'They decide one after another: each only between documents that the ones before it found equal. price:asc ranks by a value, score(decay(publishedAt, 30d)) by one that is computed.',
        kind: 'rules',
      },
      {
        path: ['proximityPrecision'],
        label: 'Proximity of words',
        help: 'By attribute is faster to index and says only whether words share an attribute.',
        kind: 'choice',
        choices: [
          ['byWord', 'By the words between them'],
          ['byAttribute', 'By the attribute they share'],
        ],
      },
    ],
  },
  {
    id: 'typos',
    title: 'Typo tolerance',
    fields: [
      { path: ['typoTolerance', 'enabled'], label: 'Forgive typos', help: '', kind: 'switch' },
      {
        path: ['typoTolerance', 'minWordSizeForTypos', 'oneTypo'],
        label: 'One typo from this length on',
        help: 'Letters of the word',
        kind: 'number',
        min: 0,
        max: 255,
      },
      {
        path: ['typoTolerance', 'minWordSizeForTypos', 'twoTypos'],
        label: 'Two typos from this length on',
        help: 'Letters of the word',
        kind: 'number',
        min: 0,
        max: 255,
      },
      {
        path: ['typoTolerance', 'disableOnWords'],
        label: 'Words without typos',
        help: 'Found only as they are written',
        kind: 'words',
      },
      {
        path: ['typoTolerance', 'disableOnAttributes'],
        label: 'Attributes without typos',
        help: 'Numbers of articles, for example',
        kind: 'names',
        ofAttributes: true,
      },
      { path: ['typoTolerance', 'disableOnNumbers'], label: 'No typos in numbers', help: '', kind: 'switch' },
    ],
  },
  {
    id: 'facets',
    title: 'Facets and pages',
    fields: [
      {
        path: ['faceting', 'maxValuesPerFacet'],
        label: 'Values per facet',
        help: 'The most values that are counted.',
        kind: 'number',
        min: 0,
      },
      {
        path: ['faceting', 'sortFacetValuesBy'],
        label: 'Order of facet values',
        help: 'Per attribute, or * for all: "alpha" or "count".',
        kind: 'json',
      },
      {
        path: ['hierarchicalFacets'],
        label: 'Facets of levels',
        help: 'A list of { "attribute": "categories", "separator": " > " }: values are paths, A > B > C.',
        kind: 'json',
      },
      { path: ['facetSearch'], label: 'Search for facet values', help: '', kind: 'switch' },
      {
        path: ['pagination', 'maxTotalHits'],
        label: 'Most hits of a search',
        help: 'No page goes beyond them. More of them make searches slower.',
        kind: 'number',
        min: 1,
      },
    ],
  },
  {
    id: 'words',
    title: 'Words and languages',
    fields: [
      {
        path: ['prefixSearch'],
        label: 'Beginnings of words',
        help: 'Finds words by their first letters, as one types.',
        kind: 'choice',
        choices: [
          ['indexingTime', 'Found'],
          ['disabled', 'Not found'],
        ],
      },
      { path: ['separatorTokens'], label: 'Also separate words', help: 'Such as | or §', kind: 'words' },
      { path: ['nonSeparatorTokens'], label: 'Do not separate words', help: 'Such as # or @', kind: 'words' },
      { path: ['dictionary'], label: 'Words that stay whole', help: 'Such as J.R.R.', kind: 'words' },
      {
        path: ['localizedAttributes'],
        label: 'Languages of attributes',
        help: 'A list of { "attributePatterns": […], "locales": […] }, or null.',
        kind: 'json',
      },
      {
        path: ['searchCutoffMs'],
        label: 'Longest search, in milliseconds',
        help: 'Then it answers with what it has. Empty for 1500.',
        kind: 'number',
        min: 0,
        isOptional: true,
      },
    ],
  },
  {
    id: 'embedders',
    title: 'Embedders',
    fields: [
      {
        path: ['embedders'],
        label: 'Embedders',
        help: 'What turns documents and queries into vectors, by name: { "default": { "source": "ollama", "url": …, "model": … } }. Sources: openAi, ollama, rest, huggingFace, userProvided, composite.',
        kind: 'embedders',
      },
    ],
  },
  {
    id: 'chat',
    title: 'Chat',
    object: 'chat',
    fields: [
      {
        path: ['chat', 'description'],
        label: 'What the index holds',
        help: 'The model decides by it when to search here.',
        kind: 'text',
      },
      {
        path: ['chat', 'documentTemplate'],
        label: 'What the model reads of a document',
        help: 'Such as {{ doc.title }}: {{ doc.overview }}',
        kind: 'text',
      },
      { path: ['chat', 'documentTemplateMaxBytes'], label: 'Bytes of that at most', help: '', kind: 'number', min: 1 },
      {
        path: ['chat', 'searchParameters'],
        label: 'Parameters of its searches',
        help: 'Such as { "limit": 8, "matchingStrategy": "all" }',
        kind: 'json',
      },
    ],
  },
] as const satisfies readonly SettingGroup[];

/** Synonyms and stop words have their own view; foreign keys are an experiment and have none. */
type ListedElsewhere = 'synonyms' | 'stopWords' | 'foreignKeys';
type Unlisted = Exclude<SettingName, (typeof GROUPS)[number]['fields'][number]['path'][0] | ListedElsewhere>;
/** Every setting of an index that this view edits. The compiler refuses the list when one is missing. */
export const SETTING_GROUPS: [Unlisted] extends [never] ? readonly SettingGroup[] : Unlisted = GROUPS;
