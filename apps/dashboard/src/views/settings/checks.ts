import type { Settings } from '../../api/types.js';
import { isObject, valueAt } from './draft.js';
import { RANKING_RULES, type SettingField, type SettingGroup } from './setting-list.js';

const CUSTOM_RULE = /^(?!_)[^:]+:(asc|desc)$/;
/** Required members of an embedder, by source. */
const EMBEDDER_NEEDS: Readonly<Record<string, readonly string[]>> = {
  openAi: [],
  huggingFace: [],
  ollama: ['model'],
  userProvided: ['dimensions'],
  rest: ['url', 'request', 'response'],
  composite: ['searchEmbedder', 'indexingEmbedder'],
};

/** The first error in the settings of a group, or null. */
export function faultOfGroup({ object, fields }: SettingGroup, draft: Settings): string | null {
  const whole = object === undefined ? undefined : draft[object];
  if (whole !== undefined && !isObject(whole)) return 'A JSON object';
  for (const field of fields) {
    const fault = faultOf(field, draft);
    if (fault !== null) return object === undefined ? fault : `${field.path.slice(1).join('.')}: ${fault}`;
  }
  return null;
}

/** The error in a setting's value, in a sentence, or null: what the server would reject is reported before it is sent. */
export function faultOf(field: SettingField, draft: Settings): string | null {
  const value = valueAt(draft, field.path);
  // of a disabled feature, or omitted in a text: it is not sent
  if (value === undefined) return null;
  switch (field.kind) {
    case 'number':
      return faultOfNumber(field, value) ?? faultOfTypoSizes(field, draft);
    case 'rules':
      return Array.isArray(value) ? faultOfRules(value) : 'A list of rules';
    case 'embedders':
    case 'json':
      return faultOfJson(field.path, value);
    default:
      return null;
  }
}

function faultOfNumber(
  { min = 0, max = Number.MAX_SAFE_INTEGER, isOptional }: SettingField,
  value: unknown,
): string | null {
  if (value === null) return isOptional === true ? null : 'A number is needed';
  if (typeof value !== 'number' || !Number.isInteger(value)) return 'A whole number is needed';
  if (value < min) return `Not below ${min}`;
  return value > max ? `Not above ${max}` : null;
}

function faultOfTypoSizes({ path }: SettingField, draft: Settings): string | null {
  if (path.at(-1) !== 'twoTypos') return null;
  const one = valueAt(draft, [...path.slice(0, -1), 'oneTypo']);
  return Number(valueAt(draft, path)) < Number(one) ? 'Not below the length for one typo' : null;
}

/** The error in a list of ranking rules, or null. */
export function faultOfRules(list: readonly unknown[]): string | null {
  const scores = list.filter(isObject);
  if (scores.some(({ score }) => typeof score !== 'string' || score.trim() === ''))
    return 'A score needs an expression';
  const isCount = (buckets: unknown) => Number.isInteger(buckets) && Number(buckets) >= 2 && Number(buckets) <= 1_000;
  if (scores.some(({ buckets }) => buckets != null && !isCount(buckets))) return 'A score has 2 to 1000 buckets';
  const rules = list.filter((rule) => !isObject(rule)).map(String);
  const wrong = rules.find((rule) => !RANKING_RULES.includes(rule) && !CUSTOM_RULE.test(rule));
  if (wrong !== undefined)
    return `“${wrong}” is no rule: rules are ${RANKING_RULES.join(', ')}, or attribute:asc, attribute:desc, score(…)`;
  const split = ['attributeRank', 'wordPosition'].filter((rule) => rules.includes(rule));
  if (rules.includes('attribute') && split.length > 0)
    return `attribute does what ${split.join(' and ')} do: one of them only`;
  return null;
}

function faultOfJson(path: readonly string[], value: unknown): string | null {
  if (path[0] === 'embedders') return faultOfEmbedders(value);
  if (path[0] === 'localizedAttributes') {
    if (value === null) return null;
    const isRule = (rule: unknown) =>
      isObject(rule) && Array.isArray(rule['attributePatterns']) && Array.isArray(rule['locales']);
    return Array.isArray(value) && value.every(isRule) ? null : 'A list of { attributePatterns, locales }, or null';
  }
  if (path[0] === 'hierarchicalFacets') {
    const isFacet = (facet: unknown) => isObject(facet) && typeof facet['attribute'] === 'string';
    return Array.isArray(value) && value.every(isFacet) ? null : 'A list of { attribute, separator }';
  }
  if (path.at(-1) === 'sortFacetValuesBy') {
    const isOrder = (order: unknown) => order === 'alpha' || order === 'count' || order === 'sampledCount';
    return isObject(value) && Object.values(value).every(isOrder) ? null : 'Per attribute "alpha" or "count"';
  }
  if (path[0] === 'filterableAttributes') {
    const isRule = (rule: unknown) =>
      typeof rule === 'string' || (isObject(rule) && Array.isArray(rule['attributePatterns']));
    return Array.isArray(value) && value.every(isRule) ? null : 'A list of names or of { attributePatterns, features }';
  }
  return isObject(value) ? null : 'A JSON object';
}

function faultOfEmbedders(value: unknown): string | null {
  if (!isObject(value)) return 'Embedders by name: { "default": { "source": … } }';
  for (const [name, embedder] of Object.entries(value)) {
    if (embedder === null) continue;
    if (!isObject(embedder)) return `${name}: an object is needed`;
    const source = embedder['source'] ?? 'openAi';
    const needs =
      typeof source === 'string' && Object.hasOwn(EMBEDDER_NEEDS, source) ? EMBEDDER_NEEDS[source] : undefined;
    if (needs === undefined) return `${name}: the source is one of ${Object.keys(EMBEDDER_NEEDS).join(', ')}`;
    const missing = needs.find((need) => embedder[need] === undefined || embedder[need] === null);
    if (missing !== undefined) return `${name}: ${source} needs ${missing}`;
    const dimensions = embedder['dimensions'];
    if (dimensions !== undefined && dimensions !== null && !(Number.isInteger(dimensions) && Number(dimensions) > 0))
      return `${name}: dimensions are a whole number above 0`;
  }
  return null;
}
