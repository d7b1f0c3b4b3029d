/** Messages of filters that are evaluated: searches, documents and facets each have a code of their own for them. */
export const CONDITION_MESSAGES = {
  /** `uid` is null where the request names the index in its path; `context` is the line with the condition, if any. */
  condition: (uid: string | null, text: string, context: string) =>
    `${uid === null ? '' : `Index \`${uid}\`: `}${text}${context}`,
  filterTooSlow: () =>
    'the filter takes too long: it must be evaluated within `searchCutoffMs`. Make it narrower or simpler.',
  notFilterable: (fields: string) => `${fields} is not filterable.`,
  notFilterableAmong: (fields: string, known: string) => `${fields} is not filterable; ${known}.`,
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
};
