import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addition } from '@fossick/documents/addition.test-support';
import { type EngineReader, type IndexAccess, NO_ACCESS, openEngineReader, WHOLE_ACCESS } from '@fossick/index';
import { openEngineWriter, type WriteContext } from '@fossick/index/writer';
import type { SettingsPatch } from '@fossick/settings';
import type { SearchRequest } from '@fossick/settings/parameters';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { federatedParts, federatedSearch, mergeParts } from '../federation/federated-search.js';
import type { FederationRequest } from '../federation/request.js';
import type { SearchHit } from '../request/search-response.js';
import { StageClock } from '../request/stage-clock.js';
import { DEFAULT_REQUEST } from '../scratch-index.test-support.js';
import { search, searchBytes } from '../search.js';

const context: WriteContext = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
const cooks = Array.from({ length: 1_020 }, (_, i) => ({
  id: `c${i + 1}`,
  rank: i + 1,
  pay: i,
  town: { name: 'Ulm', zip: i },
}));
const DOCUMENTS: Record<string, readonly object[]> = {
  cooks,
  dishes: [
    { id: 1, name: 'pea soup', cook: 'c1', helpers: ['c2', 'c9999'], shop: { no: 7 } },
    { id: 2, name: 'leek pie', cook: 'c2', helpers: ['c3', true, 'c50'], shop: [{ no: 8 }, { no: 7 }] },
    { id: 3, name: 'stew', cook: null, helpers: [] },
  ],
  shops: [{ id: 7, sign: 'Seven' }],
};
const SETTINGS: Record<string, SettingsPatch> = {
  cooks: {
    displayedAttributes: ['id', 'rank', 'town.name'],
    filterableAttributes: [
      'rank',
      { attributePatterns: ['pay'], features: { facetSearch: true, filter: { equality: true, comparison: false } } },
    ],
  },
  dishes: {
    filterableAttributes: ['id', 'cook', 'helpers', 'shop.no'],
    foreignKeys: [
      { foreignIndexUid: 'cooks', fieldName: 'cook' },
      { foreignIndexUid: 'cooks', fieldName: 'helpers' },
      { foreignIndexUid: 'shops', fieldName: 'shop.no' },
      { foreignIndexUid: 'nowhere', fieldName: 'lost' },
      { foreignIndexUid: 'cooks', fieldName: 'rival' },
    ],
  },
  shops: {},
};
const shown = (n: number): object => ({ id: `c${n}`, rank: n, town: { name: 'Ulm' } });
let folder: string;
let reader: EngineReader;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-foreign-'));
  const options = { rootFolder: join(folder, 'data'), maxSearchBytes: 16 << 20 };
  const writer = openEngineWriter(options);
  for (const [uid, documents] of Object.entries(DOCUMENTS)) {
    const payloadFile = join(folder, `${uid}.ndjson`);
    writeFileSync(payloadFile, documents.map((each) => JSON.stringify(each)).join('\n'));
    await writer.applyDocuments(uid, [addition(payloadFile, { primaryKey: 'id' })], context);
    await writer.applySettings(uid, [SETTINGS[uid]!], context);
  }
  await writer.close();
  reader = openEngineReader(options);
});
afterAll(async () => {
  await reader.close();
  rmSync(folder, { recursive: true, force: true });
});

function hitsOf(request: Partial<SearchRequest>, hydrates = true, access = WHOLE_ACCESS): readonly SearchHit[] {
  return reader.withView('dishes', (view) => search(view, { ...DEFAULT_REQUEST, ...request }, { hydrates }), access)
    .hits;
}
const idsOf = (filter: unknown): unknown[] => hitsOf({ filter }).map((hit) => hit.id);
const federation = (request: Partial<SearchRequest>, access = WHOLE_ACCESS): FederationRequest => ({
  queries: [{ indexUid: 'dishes', position: 0, weight: 1, request: { ...DEFAULT_REQUEST, ...request } }],
  range: { isPaged: false, from: 0, length: 20 },
  facetsByIndex: new Map(),
  mergeFacets: null,
  distinct: null,
  ruleBook: null,
  hydrates: true,
  access,
  marks: { remote: undefined, isProxied: false },
  clock: new StageClock(),
});

describe('_foreign', () => {
  it('finds documents by what they refer to', () => {
    expect(idsOf('_foreign(cook, rank = 1)')).toEqual([1]);
    expect(idsOf('_foreign(helpers, rank 2 TO 3)')).toEqual([1, 2]);
    expect(idsOf('NOT _foreign(cook, rank = 1)')).toEqual([2, 3]);
    expect(idsOf(['id > 1', ['_foreign(cook, rank <= 2)', 'id = 3']])).toEqual([2, 3]);
    expect(idsOf('_foreign(cook, rank = 5000)')).toEqual([]);
  });

  it('takes at most 1,000 documents of one index, however many conditions find them', () => {
    expect(idsOf('_foreign(cook, rank <= 1000)')).toEqual([1, 2]);
    expect(idsOf('_foreign(cook, rank <= 600) OR _foreign(helpers, rank <= 600)')).toEqual([1, 2]);
    const refused = expect.objectContaining({ code: 'invalid_search_filter' });
    expect(() => idsOf('_foreign(cook, rank <= 1001)')).toThrow(refused);
    expect(() => idsOf('_foreign(cook, rank <= 600) OR _foreign(helpers, rank > 600)')).toThrow(refused);
    expect(() => idsOf('id = 99 AND _foreign(cook, rank <= 1001)')).toThrow(refused);
  });

  it.each([
    ['a field without a foreign key', '_foreign(id, rank = 1)', 'invalid_search_filter'],
    ['a condition within a condition', '_foreign(cook, _foreign(cook, rank = 1))', 'invalid_search_filter'],
    ['a field that the foreign index does not filter by', '_foreign(cook, town = x)', 'invalid_document_filter'],
    ['an operator that the foreign index does not allow', '_foreign(cook, pay > 1)', 'invalid_search_filter'],
    ['a foreign index that does not exist', '_foreign(lost, rank = 1)', 'index_not_found'],
    ['a foreign key that is not filterable', '_foreign(rival, rank = 5000)', 'invalid_search_filter'],
  ])('refuses %s', (_, filter, code) => {
    expect(() => idsOf(filter)).toThrow(expect.objectContaining({ code }));
  });
});

describe('hydration', () => {
  it('shows documents as their index displays them, and nothing for an id without one', () => {
    const [soup, pie, stew] = hitsOf({});
    expect(soup).toEqual({
      id: 1,
      name: 'pea soup',
      cook: shown(1),
      helpers: [shown(2), {}],
      shop: { no: { id: 7, sign: 'Seven' } },
    });
    expect(pie!.shop).toEqual([{ no: {} }, { no: { id: 7, sign: 'Seven' } }]);
    expect(stew).toEqual({ id: 3, name: 'stew', cook: null, helpers: [] });
  });

  it('reads a list up to the first item that is no id', () => {
    expect(hitsOf({ filter: 'id = 2' })[0]!.helpers).toEqual([shown(3), true, 'c50']);
  });

  it('leaves highlighted ids in _formatted alone', () => {
    const attributesToRetrieve = ['cook', 'helpers'];
    const [hit] = hitsOf({ q: 'c1', attributesToRetrieve, attributesToHighlight: ['*'], filter: 'id = 1' });
    expect(hit!.cook).toEqual(shown(1));
    expect(hit!._formatted).toMatchObject({ cook: '<em>c1</em>', helpers: [shown(2), {}] });
  });

  it('happens only on request, and does not read fields that are not retrieved', () => {
    expect(hitsOf({}, false)[0]!.cook).toBe('c1');
    expect(hitsOf({ attributesToRetrieve: ['id'], limit: 1 })).toEqual([{ id: 1 }]);
  });

  it('is the same in the JSON text', () => {
    const text = reader.withView(
      'dishes',
      (view) => searchBytes(view, DEFAULT_REQUEST, { hydrates: true }, () => ({ more: 1 })).toString(),
      WHOLE_ACCESS,
    );
    expect(JSON.parse(text)).toMatchObject({ hits: hitsOf({}), more: 1 });
  });

  it('is part of a federated search, here and in the parts for another instance', () => {
    const request = federation({ q: 'soup', attributesToHighlight: ['name'] });
    const { hits } = federatedSearch(reader, request);
    expect(hits[0]).toMatchObject({
      cook: shown(1),
      _federation: { indexUid: 'dishes' },
      _formatted: { cook: shown(1) },
    });
    expect(mergeParts(federatedParts(reader, request), request).hits).toEqual(hits);
  });
});

describe('what the request may see', () => {
  const noCooks: IndexAccess = { ...WHOLE_ACCESS, allowsIndex: (uid) => uid !== 'cooks' && uid !== 'nowhere' };
  const evenCooks: IndexAccess = { ...WHOLE_ACCESS, filterOf: (uid) => (uid === 'cooks' ? 'rank = 2' : null) };

  it('applies to every hit: ids of forbidden indexes stay, filtered documents count as missing', () => {
    expect(hitsOf({}, true, noCooks)[0]).toEqual({
      id: 1,
      name: 'pea soup',
      cook: 'c1',
      helpers: ['c2', 'c9999'],
      shop: { no: { id: 7, sign: 'Seven' } },
    });
    expect(hitsOf({}, true, evenCooks)[0]).toMatchObject({ cook: {}, helpers: [shown(2), {}] });
    const shut = hitsOf({}, true, NO_ACCESS)[0];
    expect(shut).toEqual(DOCUMENTS.dishes![0]);
    expect(reader.withView('dishes', (view) => search(view, DEFAULT_REQUEST, { hydrates: true })).hits[0]).toEqual(
      shut,
    );
  });

  it('decides in federated searches as well', () => {
    expect(federatedSearch(reader, federation({ q: 'soup' }, noCooks)).hits[0]).toMatchObject({ cook: 'c1' });
    expect(federatedSearch(reader, federation({ q: 'soup' }, evenCooks)).hits[0]).toMatchObject({ cook: {} });
    expect(federatedParts(reader, federation({ q: 'soup' }, noCooks))[0]!.hits[0]!.make()).toMatchObject({
      cook: 'c1',
    });
  });

  it('is all that a condition can ask about', () => {
    const ids = (filter: string, access: IndexAccess): unknown[] =>
      hitsOf({ filter }, true, access).map(({ id }) => id);
    const refused = expect.objectContaining({ code: 'invalid_api_key' });
    for (const filter of ['_foreign(cook, rank = 1)', '_foreign(cook, rank = 5000)', '_foreign(lost, rank = 1)'])
      expect(() => ids(filter, noCooks)).toThrow(refused);
    expect(ids('_foreign(cook, rank = 1)', evenCooks)).toEqual([]);
    expect(ids('_foreign(cook, rank <= 2)', evenCooks)).toEqual([2]);
    // what cannot be seen does not count for the bound of a hundred either
    expect(ids('_foreign(cook, rank > 0)', evenCooks)).toEqual([2]);
    expect(() => ids('_foreign(cook, rank = 1)', NO_ACCESS)).toThrow(refused);
  });

  it('is refused when its own filter cannot be evaluated or looks further', () => {
    for (const filter of ['rank = ', 'secret = 1', '_foreign(cook, rank = 1)']) {
      const broken: IndexAccess = { ...WHOLE_ACCESS, filterOf: (uid) => (uid === 'cooks' ? filter : null) };
      expect(() => hitsOf({}, true, broken)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^invalid_(search|document)_filter$/) }),
      );
    }
  });
});
