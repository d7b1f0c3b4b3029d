import {
  MAX_LOCALE_PATTERNS,
  MAX_NAMES,
  MAX_RANKING_RULES,
  MAX_SETTING_ATTRIBUTES,
  MAX_SETTING_WORDS,
  own,
} from '@fossick/base';
import { isJsonObject, parsers, type Where, wrongValue } from '@fossick/base/contract';
import { TemplateSizes } from '@fossick/documents/templates';

/** Refuses a value that is too large, before anything of it is read; values of wrong types pass. Throws ApiError. */
export type SizeCheck = (value: unknown, where: Where) => void;

const memberOf = (where: Where, path: string): Where => ({ code: where.code, path: `${where.path}${path}` });

const itemsUpTo =
  (maxItems: number): SizeCheck =>
  (value, where) => {
    if (Array.isArray(value)) parsers.checkLength(value.length, maxItems, where);
  };
const members =
  (checks: Readonly<Record<string, SizeCheck>>): SizeCheck =>
  (value, where) => {
    if (!isJsonObject(value)) return;
    for (const [name, check] of Object.entries(checks)) check(own(value, name), memberOf(where, `.${name}`));
  };
/** Rules with attribute patterns: all patterns together, and each rule without any as one. */
const patternsUpTo =
  (maxPatterns: number): SizeCheck =>
  (value, where) => {
    if (!Array.isArray(value)) return;
    let count = 0;
    for (const rule of value as readonly unknown[]) {
      const patterns = isJsonObject(rule) ? rule['attributePatterns'] : undefined;
      count += Array.isArray(patterns) ? Math.max(1, patterns.length) : 1;
    }
    parsers.checkLength(count, maxPatterns, where);
  };

const localized: SizeCheck = (value, where) => {
  patternsUpTo(MAX_LOCALE_PATTERNS)(value, where);
  if (!Array.isArray(value)) return;
  for (const [at, rule] of value.entries())
    members({ locales: itemsUpTo(MAX_LOCALE_PATTERNS) })(rule, memberOf(where, `[${at}]`));
};

/** The templates and fragments of an embedder, and of those inside it, with their paths. */
function* templatesOf(config: unknown, path: string): Generator<readonly [path: string, template: unknown]> {
  if (!isJsonObject(config)) return;
  yield [`${path}.documentTemplate`, config['documentTemplate']];
  for (const field of ['indexingFragments', 'searchFragments'])
    for (const [name, fragment] of Object.entries(config[field] ?? {})) yield [`${path}.${field}.${name}`, fragment];
  for (const field of ['searchEmbedder', 'indexingEmbedder']) yield* templatesOf(config[field], `${path}.${field}`);
}

/** The first template that is too large, or too much with those before it; undefined for none. O(templates) */
function largeTemplate(embedders: object, path: string): { readonly path: string; readonly fault: string } | undefined {
  const sizes = new TemplateSizes();
  for (const [name, config] of Object.entries(embedders))
    for (const [at, template] of templatesOf(config, `${path}.${name}`)) {
      const fault = sizes.add(template);
      if (fault !== undefined) return { path: at, fault };
    }
  return undefined;
}

const embedders: SizeCheck = (value, { code, path }) => {
  const large = isJsonObject(value) ? largeTemplate(value, path) : undefined;
  if (large !== undefined) throw wrongValue({ code, path: large.path }, `${large.fault}.`);
};

/**
 * Refuses a change after which the embedders of an index have too many templates. Where they have too many already, from an earlier
 * release, they may be changed one by one.
 */
export function checkMergedTemplates(merged: object, stored: object): void {
  if (largeTemplate(stored, '') !== undefined) return;
  embedders(merged, { code: 'invalid_settings_embedders', path: '.embedders' });
}

const documentTemplate: SizeCheck = (value, { path }) => {
  const fault = new TemplateSizes().add(value);
  if (fault !== undefined) throw wrongValue({ code: 'invalid_chat_setting_document_template', path }, `${fault}.`);
};

/** How large the settings of a request may be. Copies, and databases of earlier releases, may hold larger ones. */
export const SETTING_LIMITS = {
  displayedAttributes: itemsUpTo(MAX_SETTING_ATTRIBUTES),
  searchableAttributes: itemsUpTo(MAX_SETTING_ATTRIBUTES),
  filterableAttributes: patternsUpTo(MAX_SETTING_ATTRIBUTES),
  sortableAttributes: itemsUpTo(MAX_SETTING_ATTRIBUTES),
  elementAttributes: itemsUpTo(MAX_SETTING_ATTRIBUTES),
  hierarchicalFacets: itemsUpTo(MAX_NAMES),
  substringAttributes: itemsUpTo(MAX_SETTING_ATTRIBUTES),
  foreignKeys: itemsUpTo(MAX_NAMES),
  rankingRules: itemsUpTo(MAX_RANKING_RULES),
  typoTolerance: members({
    disableOnWords: itemsUpTo(MAX_SETTING_WORDS),
    disableOnAttributes: itemsUpTo(MAX_SETTING_ATTRIBUTES),
  }),
  faceting: members({
    sortFacetValuesBy: (value, where) => {
      if (isJsonObject(value)) parsers.checkLength(Object.keys(value).length, MAX_SETTING_ATTRIBUTES, where);
    },
  }),
  embedders,
  localizedAttributes: localized,
  chat: members({
    documentTemplate,
    searchParameters: members({ sort: itemsUpTo(MAX_NAMES), attributesToSearchOn: itemsUpTo(MAX_NAMES) }),
  }),
} satisfies Readonly<Record<string, SizeCheck>>;
