/** Names that a message lists at most. */
const LISTED_MAX = 20;
/** Code units that it shows of one of them. */
const UNITS_MAX = 200;

/**
 * Names in a message, `a, b, c`: the first 20, how many more there are, then `last`. Settings have up to 60,000 names, and
 * failed tasks store their messages. `quote` is put around each name.
 */
export function listedNames(names: readonly string[], quote = '', last: readonly string[] = []): string {
  const shown = names.slice(0, LISTED_MAX).map((name) => `${quote}${cut(name)}${quote}`);
  const moreCount = names.length - shown.length;
  if (moreCount > 0) shown.push(`… and ${moreCount.toLocaleString('en-US')} more`);
  return [...shown, ...last].join(', ');
}

/** Characters of two code units stay whole. */
function cut(name: string): string {
  if (name.length <= UNITS_MAX) return name;
  return `${name.slice(0, UNITS_MAX).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** What an index allows a filter to name, as part of a sentence. */
export const filterableAre = (patterns: readonly string[]): string =>
  patterns.length === 0 ? 'the index has no filterable attributes' : `filterable are: ${listedNames(patterns)}`;

/** The same as a sentence; `kind` is `filterable` or `sortable`. */
export const indexAttributes = (kind: string, patterns: readonly string[]): string =>
  patterns.length === 0
    ? `This index has no ${kind} attributes.`
    : `${kind[0]!.toUpperCase()}${kind.slice(1)} attributes: \`${listedNames(patterns)}\`.`;

/** Searchable attributes; some that the index does not display are `hidden`. */
export function searchableShown(names: readonly string[], isPartial: boolean): string {
  const listed = listedNames(names, '', isPartial ? ['<..hidden-attributes>'] : []);
  return listed === '' ? 'none' : `\`${listed}\``;
}

/** Messages that several codes share: about values, members and their locations in requests, and conditions of filters. */
export const SHARED_MESSAGES = {
  // filters that are evaluated: searches, documents and facets each have a code of their own for them
  /** `uid` is null where the request names the index in its path; `context` is the line with the condition, if any. */
  condition: (uid: string | null, text: string, context: string) =>
    `${uid === null ? '' : `Index \`${uid}\`: `}${text}${context}`,
  filterTooSlow: () =>
    'the filter takes too long: it must be evaluated within `searchCutoffMs`. Make it narrower or simpler.',
  notFilterable: (fields: string) => `${fields} is not filterable.`,
  notFilterableAmong: (fields: string, patterns: readonly string[]) =>
    `${fields} is not filterable; ${filterableAre(patterns)}.`,
  operatorOff: (operator: string, field: string, list: string, rule: number, feature: string) =>
    `the operator \`${operator}\` is not enabled for \`${field}\`; allowed are ${list}. Rule ${rule} of ` +
    `\`filterableAttributes\` decides: switch on \`${feature}\` in its \`features.filter\`, or put a more generous rule ahead of it.`,
  notEvaluated: (name: string) => `\`${name}\` cannot be evaluated on this index.`,
  latitude: (lat: number) => `latitude \`${lat}\` must be between -90 and 90.`,
  longitude: (lng: number, inside: number) =>
    `longitude \`${lng}\` must be between -180 and 180; the equivalent value inside is \`${inside}\`.`,
  resolution: (resolution: number, min: number, max: number) =>
    `resolution \`${resolution}\` must be between ${min} and ${max}.`,
  boxUpsideDown: (top: number, bottom: number) =>
    `the top latitude \`${top}\` is below the bottom latitude \`${bottom}\`.`,
  notUid: (text: string) => `\`${text}\` in the path is not a uid: a non-negative integer is wanted.`,
  notApart: (field: string) =>
    `\`${field}[\` is for attributes whose elements are kept apart, and \`${field}\` is not among the setting \`elementAttributes\`.`,
  notHierarchical: (field: string) =>
    `\`UNDER\` is for paths, and \`${field}\` is not among the setting \`hierarchicalFacets\`.`,
  notOverNetwork: (name: string) =>
    `\`${name}\` is for a search in one index of one instance: drop it, or drop \`useNetwork\`.`,
  notInFederation: (name: string, location: string) =>
    `\`${name}\` is not allowed in a query of a federated search: drop it, or drop \`federation\`. ${location}`,
  ofRemote: (name: string, message: string) => `Remote \`${name}\`: ${message}`,
  inQuery: (path: string, note: string, reason: string) => `Inside \`${path}\`${note}: ${reason}`,
  noEmbedder: (uid: string, embedder: string, embedders: readonly string[]) =>
    `Index \`${uid}\`: there is no embedder named \`${embedder}\`. ${embedders.length === 0 ? 'It has none.' : `Embedders: \`${listedNames(embedders)}\`.`}`,
  answerTooLarge: (maxMib: number) =>
    `The answer would be larger than ${maxMib} MiB. Ask for fewer documents at a time, or for fewer of their fields.`,
  immutable: (at: string) => `\`${at}\` cannot be changed.`,
  missingField: (name: string, location: string) => `The field \`${name}\`${location} is missing.`,
  missingParameter: (name: string) => `The query parameter \`${name}\` is missing.`,
  wrongType: (location: string, expected: string, type: string) =>
    `${location} must be ${expected}, but it is ${type}.`,
  wrongValue: (path: string, message: string) => `Invalid value at \`${path}\`: ${message}`,
  unknownMember: (kind: string, name: string, location: string, hint: string, list: string) =>
    `Unknown ${kind} \`${name}\`${location}.${hint} ${list}`,
  missingMember: (path: string, kind: string, name: string) => `\`${path}\` of kind \`${kind}\` needs \`${name}\`.`,
  extraMember: (path: string, kind: string, name: string) =>
    `\`${path}\` of kind \`${kind}\` does not take \`${name}\`.`,
  uid: (uid: string, what: string, maxBytes: number) =>
    `\`${uid}\` is not a valid ${what}: it takes 1 to ${maxBytes} of the characters a-z, A-Z, 0-9, \`-\` and \`_\`.`,
};
