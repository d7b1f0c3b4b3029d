import type { Message } from '../../packages/foundation/base/src/messages/message-row.js';

/** Example values for the parts of a text, by the name of the parameter. */
const PARTS: Readonly<Record<string, string | number | boolean | readonly string[]>> = {
  action: 'indexes.swap',
  context: '1:9 director CONTAINS "spiel"',
  document: '{"title":"Jaws"}',
  documentId: '42',
  embedder: 'own',
  entry: 'director',
  expiresAt: '2026-01-01T00:00:00Z',
  host: 'films.example',
  searchable: ['title'],
  sortable: ['price'],
  patterns: ['genre'],
  embedders: ['default'],
  isPartial: false,
  excerpt: '{"title":"Jaws"}',
  expectedDimCount: 384,
  dimCount: 383,
  expected: 384,
  externalId: '42',
  facetName: 'director',
  fault: 'it is not an object',
  feature: 'containsFilter',
  field: 'year',
  file: 'data.mdb',
  header: 'text/plain',
  id: '42',
  indexes: 'Indexes `books`, `films`',
  known: '`price`',
  left: '',
  leftOrder: 'alpha',
  leftUid: 'films',
  list: '`application/json`',
  name: 'own',
  names: ['id', 'film_id'],
  notes: '',
  operator: 'CONTAINS',
  option: '`--experimental-allowed-ip-networks`',
  order: 'count',
  parameters: '`uids`, `statuses`',
  path: '.embedders.own',
  place: 'data.fossick/indexes',
  position: 3,
  primaryKey: 'id',
  reason: 'it ends too early',
  remote: 'east',
  requested: 'director',
  right: '',
  rule: 1,
  said: ': it is busy',
  sides: '',
  before: 'it is as it is',
  damage: 'damage',
  endings: 'endings',
  exist: 'exist',
  folder: 'folder',
  has: 'has',
  hostname: 'hostname',
  keyText: 'keyText',
  lacks: 'lacks',
  message: 'it is as it is',
  method: 'method',
  near: 'near',
  oneTypo: 'oneTypo',
  origin: 'origin',
  source: 'source',
  table: 'table',
  twoTypos: 'twoTypos',
  type: 'type',
  slots: '16 searches are',
  text: 'it is busy',
  uid: 'films',
  uidOrValue: 'abc',
  url: 'films.example',
  uuid: '00000000-0000-0000-0000-000000000000',
  value: 'a b',
  wanted: 5,
  what: 'A network with a leader',
};
/** For numbers that are a count, or the limit of a count. */
const COUNT = 512;

/**
 * The text with example values: parts by the names of its parameters, numbers where the name says so. Throws for a part
 * that has no example.
 */
export function exampleOf(message: Message): string {
  const parts = parametersOf(message).map((name) => {
    if (Object.hasOwn(PARTS, name)) return PARTS[name];
    if (/count|bytes|depth|max|seconds|minutes|mib|position|status|number|row|at|size/i.test(name)) return COUNT;
    throw new Error(`no example for \`${name}\`: name it in tools/errors/examples.ts`);
  });
  const text = (message as (...given: unknown[]) => string)(...parts);
  return text.replaceAll('\n', ' ');
}

/** Names of the parameters in the program text. */
function parametersOf(message: Message): string[] {
  const list = /^\(([^)]*)\)/.exec(String(message))?.[1] ?? '';
  return list.split(',').flatMap((part) => /\w+/.exec(part)?.[0] ?? []);
}
