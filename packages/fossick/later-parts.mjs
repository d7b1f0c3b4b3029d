/**
 * Parts of `fossick/web/search` that a first search does not need. Each is a file of its own, which is fetched with the first
 * search that calls one of its functions: the call throws LibraryMissing, and the search is repeated with the part, as with
 * blocks and dictionaries that are missing (src/web/parts/missing-parts.ts). Modules are named by their path from the packages; all
 * that only they import is in the file of the part. Others may call their functions and construct their classes while they
 * work, but extend no class, ask for no `instanceof` and read no constants but plain data.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

/** Modules of each part. */
export const PARTS = {
  /** The texts of errors. */
  errors: ['foundation/base/dist/api-error.js', 'foundation/base/dist/closest-name.js'],
  /** Filters, sorting, facets, groups and other uses of columns; pinned documents; expressions of queries. */
  columns: [
    'foundation/filter/dist/parse.js',
    'foundation/filter/dist/pattern-list.js',
    'foundation/filter/dist/gated.js',
    'foundation/filter/dist/sort.js',
    'foundation/filter/dist/canonical.js',
    'foundation/filter/dist/score/parse-score.js',
    'engine/columns/dist/bytes/column-format.js',
    'engine/columns/dist/bytes/geo-points-format.js',
    'engine/columns/dist/facets/distinct.js',
    'engine/columns/dist/facets/distribution.js',
    'engine/columns/dist/facets/number-summary.js',
    'engine/columns/dist/facets/search-facet.js',
    'engine/columns/dist/facets/value-docs.js',
    'engine/columns/dist/filter/evaluate-filter.js',
    'engine/columns/dist/reading/column-reader.js',
    'engine/columns/dist/reading/geo-points.js',
    'engine/columns/dist/geo-distance.js',
    'engine/columns/dist/geo/geo-nearest.js',
    'engine/columns/dist/sort/geo-order.js',
    'engine/columns/dist/sort/sorter.js',
    'engine/postings/dist/reading/infix-words.js',
    'engine/search/dist/foreign/hydrate-hits.js',
    'engine/search/dist/highlight/geo-distance.js',
    'engine/search/dist/grouped/aggregations.js',
    'engine/search/dist/grouped/groups.js',
    'engine/search/dist/search-rules/place-pins.js',
    'engine/search/dist/search-rules/rule-effects.js',
    'engine/search/dist/search-rules/weight-groups.js',
    'engine/search/dist/query/boolean-query.js',
    'engine/search/dist/ranked/score-items.js',
    'engine/search/dist/ranking/rules/document-splitter.js',
    'engine/search/dist/ranking/rules/sort.js',
    'engine/search/dist/ranking/scores/score-rule.js',
    'engine/columns/dist/expiry.js',
    'engine/columns/dist/facets/group-walk.js',
    'engine/columns/dist/facets/hierarchy.js',
    'engine/columns/dist/filter/value-ranges.js',
    'engine/columns/dist/reading/column-spellings.js',
    'engine/columns/dist/reading/sorted-groups.js',
    'engine/columns/dist/reading/stored-column.js',
    'engine/search/dist/ranked/merge-ranked.js',
  ],
  /** Search by vectors. */
  vectors: [
    'engine/vectors/dist/reading/vector-reader.js',
    'engine/vectors/dist/rows/document-vectors.js',
    'engine/search/dist/ranked/query-target.js',
    'engine/search/dist/ranked/rank-hybrid.js',
    'engine/search/dist/ranking/rules/vector-rule.js',
    'foundation/kernel/dist/vectors/vector-graph.js',
    'foundation/kernel/dist/vectors/vector-set.js',
  ],
  /** Highlighted and cropped texts, details of scores, and plans that are explained. */
  highlights: [
    'engine/search/dist/highlight/leaf-formatter.js',
    'engine/search/dist/ranked/explanation.js',
    'engine/search/dist/ranking/rules/ranking-rule.js',
    'engine/search/dist/ranking/rules/score-details.js',
  ],
  /** Words of languages without spaces between them. */
  languages: [
    'foundation/tokenizer/dist/dictionaries/han-variants.js',
    'foundation/tokenizer/dist/dictionaries/package-file.js',
    'foundation/tokenizer/dist/segmenters.js',
    'foundation/tokenizer/dist/segmenting/word-trie.js',
    'foundation/tokenizer/dist/segmenting/chinese.js',
    'foundation/tokenizer/dist/segmenting/german.js',
    'foundation/tokenizer/dist/segmenting/japanese-korean.js',
    'foundation/tokenizer/dist/segmenting/southeast-asian.js',
  ],
  /** Ranking of three words and more over many documents, and phrases. */
  proximity: ['engine/search/dist/ranking/paths/forward-finder.js', 'engine/search/dist/ranking/terms/phrase-docs.js'],
  /** Documents by their ids and in pages. */
  documents: ['fossick/dist/web/document-answers.js'],
  /** What readers of a single commit never call: no page fetches it. */
  writing: [
    'engine/format/dist/page-changes.js',
    'foundation/kernel/dist/inverting/inverter.js',
    'foundation/kernel/dist/inverting/window-writer.js',
    'foundation/storage/dist/memory/memory-store.js',
    'engine/settings/dist/settings-table.js',
    'engine/settings/dist/embedders/check-embedder.js',
    'foundation/documents/dist/templates/liquid-text.js',
  ],
};

/** Small modules that several parts need: they are in the file that every search loads. */
const SHARED = ['engine/columns/dist/column-readers.js', 'foundation/documents/dist/fields/named-parents.js'];

/** The module whose list of parts the build fills in. */
const LIST = 'fossick/dist/web/parts/later-parts.js';

/** Whether it is a class rather than a function. */
const isClass = (value) => /^class\b/.test(Function.prototype.toString.call(value));

/**
 * The plugin of rolldown that cuts the parts off. A first build finds which exports of a part are used outside of it: `names`
 * is null then, and afterwards what `firstBuild` made of its output.
 */
export function laterParts(packages, names) {
  const partOf = new Map(
    Object.entries(PARTS).flatMap(([part, modules]) => modules.map((module) => [join(packages, module), part])),
  );
  const fileOf = (part) => join(packages, `fossick/dist/web/later/${part}.js`);
  return {
    name: 'later-parts',
    async resolveId(name, importer) {
      if (importer === undefined) return null;
      if (name.startsWith(LOADED)) return { id: name, moduleSideEffects: false };
      if (name.startsWith('part:')) return fileOf(name.slice(5));
      const found = await this.resolve(name, importer, { skipSelf: true });
      if (found === null || !partOf.has(found.id)) return found;
      const part = partOf.get(found.id);
      // modules that a part lists import each other as they are
      if (partOf.get(importer) === part || importer === fileOf(part)) return found;
      return { id: STUB + found.id, moduleSideEffects: false };
    },
    async load(id) {
      if (id === join(packages, LIST)) {
        const rows = Object.keys(PARTS).map((part) => `'fossick/${part}': () => import('part:${part}'),`);
        return `export const LATER_PARTS = { ${rows.join(' ')} };`;
      }
      if (id.startsWith(LOADED)) return loaded(id.slice(LOADED.length));
      if (id.startsWith(STUB)) {
        const module = id.slice(STUB.length);
        return stub(await import(pathToFileURL(module).href), partOf.get(module));
      }
      const part = Object.keys(PARTS).find((name) => fileOf(name) === id);
      if (part === undefined) return null;
      const modules = PARTS[part].map((module) => join(packages, module));
      const lines = modules.map(async (module) => {
        const used = names === null ? await functionsOf(module) : (names.get(module) ?? []);
        return `export { ${used.join(', ')} } from ${JSON.stringify(module)};`;
      });
      return (await Promise.all(lines)).join('\n');
    },
  };
}

async function functionsOf(module) {
  const all = Object.entries(await import(pathToFileURL(module).href));
  return all.filter(([, value]) => typeof value === 'function').map(([name]) => name);
}

const STUB = '\0later:';
const LOADED = '\0loaded:';

/** Functions that call those of a part, classes that construct its classes, and its constants that are plain data. */
function stub(module, part) {
  const lines = Object.entries(module).map(([name, value]) => `export const ${name} = ${stubbed(name, value)};`);
  return `import { missing, part } from ${JSON.stringify(LOADED + part)};\n${lines.join('\n')}`;
}

/** What the stubs of a part share. */
const loaded = (part) => `import { libraryLoader } from '@fossick/base';
const load = /* @__PURE__ */ libraryLoader('');
export const part = () => load('fossick/${part}');
export const missing = (name) => { throw new Error('a part that is loaded later has the constant ' + name); };`;

function stubbed(name, value) {
  if (typeof value !== 'function') {
    const text = JSON.stringify(value);
    return isDeepStrictEqual(JSON.parse(text), value) ? text : `/* @__PURE__ */ missing('${name}')`;
  }
  const called = `(...given) => part().${name}`;
  if (!isClass(value)) return `${called}(...given)`;
  const ofClass = Object.getOwnPropertyNames(value).filter((own) => !['length', 'name', 'prototype'].includes(own));
  const methods = ofClass.map((own) => `${own}: ${called}.${own}(...given)`).join(', ');
  const constructed = `function (...given) { return new (part().${name})(...given); }`;
  return methods === '' ? constructed : `/* @__PURE__ */ Object.assign(${constructed}, { ${methods} })`;
}

/** The names that are used of each module outside of its part, and whether a module is in the file that every search loads. */
export function firstBuild(packages, output) {
  const names = new Map();
  const byFile = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  for (const { modules = {} } of output)
    for (const [id, { renderedExports }] of Object.entries(modules))
      if (id.startsWith(STUB)) names.set(id.slice(STUB.length), renderedExports);
  const first = new Set([...SHARED.map((module) => join(packages, module))]);
  const files = new Set(output.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
  for (const file of files) {
    for (const id of Object.keys(byFile.get(file).modules)) first.add(id);
    for (const imported of byFile.get(file).imports) files.add(imported);
  }
  const isFirst = (id) => first.has(id) || id.startsWith(STUB) || id.startsWith(LOADED);
  return { names, isFirst };
}
