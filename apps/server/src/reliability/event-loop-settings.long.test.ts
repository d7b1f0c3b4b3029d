/** As in event-loop-budget.long.test.ts: requests about the fields of an index, its settings, and templates hold up nobody. */
import { readFileSync } from 'node:fs';
import { MAX_NAMES, MAX_TEMPLATE_UNITS } from '@fossick/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { expectHarmless, many, type Row } from './hostile-row.test-support.js';

const FIELDS = 20_000;
const LISTED = '/indexes/wide/fields';
/** Memory beyond that before: what a thread with templates and their parsed form may take. */
const MAX_MORE_BYTES = 400 * 2 ** 20;

const fields = (name: string, statuses: readonly number[], body: () => unknown, path = LISTED): Row => ({
  name,
  path,
  statuses,
  body,
});
/** It takes time, and makes no text, which has a limit of its own. */
const SEARCH_LOOP = '{% for i in (1..1000) %}{% if media.name contains "zz" %}{% endif %}{% endfor %}';
const LOOP = '{% for i in (1..1000) %}{{ doc.name | append: "x" }}{% endfor %}';
const renders = (name: string, statuses: readonly number[], template: () => object): Row => ({
  name: `render ${name}`,
  path: '/render-template',
  statuses,
  body: () => ({ template: template(), input: { kind: 'inlineDocument', inline: { name: 'n'.repeat(10_000) } } }),
});
const text = (units: number, part: string): string => part.repeat(Math.floor(units / part.length));
const embedders = (count: number, units: number): object =>
  Object.fromEntries(
    many(count, (i) => [
      `e${i}`,
      {
        source: 'rest',
        url: 'http://192.0.2.1/',
        request: '{{text}}',
        response: '{{embedding}}',
        dimensions: 3,
        documentTemplate: text(units, `{{ doc.a${i} }}`),
      },
    ]),
  );

const ROWS: readonly Row[] = [
  fields('fields by 30,000 patterns', [400], () => ({ filter: { attributePatterns: many(30_000, (i) => `p${i}`) } })),
  ...['p', '*p', '*p*'].map((kind) =>
    fields(`fields by ${MAX_NAMES} patterns like ${kind}`, [200], () => ({
      limit: 1,
      filter: { attributePatterns: many(MAX_NAMES, (i) => kind.replace('p', `p${i}x`)), searchable: true },
    })),
  ),
  fields('fields of an index with 10,000 searchable attributes', [200], () => ({ limit: 1 }), '/indexes/named/fields'),
  fields(
    'all of these fields',
    [200],
    () => ({ limit: 100_000, filter: { filterable: true } }),
    '/indexes/named/fields',
  ),
  {
    name: '30,000 ranking rules',
    method: 'PATCH',
    path: '/indexes/ranked/settings',
    statuses: [400],
    body: () => ({ rankingRules: many(30_000, (i) => `f${i}:asc`) }),
  },
  {
    name: '1,000 scores with large expressions',
    method: 'PATCH',
    path: '/indexes/ranked/settings',
    statuses: [400],
    body: () => ({ rankingRules: many(1_000, (i) => ({ score: `${'('.repeat(400)}f${i}${')'.repeat(400)}` })) }),
  },
  {
    name: 'a score of 1 MB',
    method: 'PATCH',
    path: '/indexes/ranked/settings',
    statuses: [400],
    body: () => ({ rankingRules: [{ score: text(1_000_000, '1 + ') }] }),
  },
  ...[
    ['1 MB of output', '{{ doc.name }}'],
    ['1 MB of tags', '{% if doc.name %}{% endif %}'],
    ['1 MB of filters', '{{ doc.name | append: doc.name | upcase }}'],
  ].map(([name, part]) =>
    renders(name!, [400], () => ({ kind: 'inlineDocumentTemplate', inline: text(1_000_000, part!) })),
  ),
  ...[
    ['tags', '{% if doc.name %}{% endif %}'],
    ['loops', LOOP],
  ].map(([name, part]) =>
    renders(`${MAX_TEMPLATE_UNITS} characters of ${name}`, [200, 400], () => ({
      kind: 'inlineDocumentTemplate',
      inline: text(MAX_TEMPLATE_UNITS, part!),
    })),
  ),
  renders('a fragment of 9 x 930 KB', [400, 413], () => ({
    kind: 'inlineFragment',
    inline: many(9, (i) => text(930_000, `{{ doc.name }}${i}`)),
  })),
  renders('a fragment of 4,000 loops', [400], () => ({ kind: 'inlineFragment', inline: many(4_000, () => LOOP) })),
  renders('a fragment of 60,000 texts', [400], () => ({
    kind: 'inlineFragment',
    inline: many(60_000, () => '{{ doc.name }}'),
  })),
  ...[
    [60, 1_000_000, 400],
    [8, 1_000_000, 400],
    [8, MAX_TEMPLATE_UNITS, 202],
    [256, MAX_TEMPLATE_UNITS, 400],
  ].map(
    ([count, units, status]): Row => ({
      name: `${count} embedders with templates of ${units} characters`,
      method: 'PATCH',
      path: '/indexes/embedded/settings',
      statuses: [status!],
      body: () => ({ embedders: embedders(count!, units!) }),
    }),
  ),
  ...[
    { name: 'numbers and a surrogate pair', items: `"\\ud83d\\ude00",${'1,'.repeat(4_500_000)}1` },
    { name: 'members with names of their own', items: many(190_000, (i) => `{"a${i}":1}`).join(',') },
  ].map(
    ({ name, items }): Row => ({
      name: `media of megabytes of ${name}`,
      path: '/indexes/pictured/search',
      statuses: [400],
      body: () => `{"media":{"items":[${items}]},"hybrid":{"embedder":"looping"}}`,
    }),
  ),
  {
    name: 'media of many searches',
    path: '/multi-search',
    statuses: [400],
    body: () =>
      `{"queries":[${many(9_000, (i) => `{"indexUid":"pictured","media":{"a${i}":[${many(10, (k) => k)}]},"hybrid":{"embedder":"looping"}}`)}]}`,
  },
  {
    name: 'a search that fills seven fragments of loops',
    path: '/indexes/pictured/search',
    statuses: [400],
    body: () => ({
      media: { name: 'n'.repeat(10_000) },
      hybrid: { embedder: 'looping', semanticRatio: 1 },
    }),
  },
];

let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = newDatabaseFolder();
  server = await startServerProcess(folder, ['--search-threads', '1']);
  await server.call('PATCH', '/experimental-features', { renderRoute: true, multimodal: true });
  await server.call('POST', '/indexes/probe/documents', [{ id: 1, name: 'probe' }]);
  const wide = Object.fromEntries(many(FIELDS, (i) => [`p${i}`, i]));
  await server.call('POST', '/indexes/wide/documents', [{ id: 1, ...wide }]);
  const names = many(10_000, (i) => `p${i * 2 + 1}`);
  await server.call('PATCH', '/indexes/named/settings', {
    searchableAttributes: names,
    displayedAttributes: names,
    filterableAttributes: names,
    sortableAttributes: names,
  });
  await server.call('POST', '/indexes/named/documents', [{ id: 1, ...wide }]);
  const fragment = { value: { text: text(MAX_TEMPLATE_UNITS - 1, SEARCH_LOOP) } };
  const looping = {
    ...{ source: 'rest', url: 'http://192.0.2.1/', request: '{{fragment}}', response: '{{embedding}}', dimensions: 3 },
    indexingFragments: { one: { value: '{{ doc.name }}' } },
    searchFragments: Object.fromEntries(many(7, (i) => [`f${i}`, fragment])),
  };
  await server.call('PATCH', '/indexes/pictured/settings', { embedders: { looping } });
  const tasks = await server.allTasksDone();
  expect(tasks.filter(({ status }) => status === 'failed')).toEqual([]);
}, 120_000);

afterAll(async () => {
  await server?.kill();
  removeFolder(folder);
});

/** Memory of the server that is no file's, in bytes; 0 where the system does not tell. */
function ownBytes(): number {
  if (process.platform !== 'linux') return 0;
  return Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) * 1_024;
}

test.each(ROWS)('$name', { timeout: 120_000 }, async (row) => {
  const before = ownBytes();
  await expectHarmless(server, row);
  expect(ownBytes() - before).toBeLessThan(MAX_MORE_BYTES);
});
