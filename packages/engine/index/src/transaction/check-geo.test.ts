import { collectFacetValues } from '@fossick/columns';
import { DEFAULT_SETTINGS, type IndexSettings } from '@fossick/settings';
import { expect, test } from 'vitest';
import { checkGeo, geoChecksOf } from './check-geo.js';

const used = { ...DEFAULT_SETTINGS, filterableAttributes: ['_geo'] };
const wanted = /^The `_geo` field of the document `1` is invalid: `lng` must be a finite number or a numeric string\.$/;

/** Checks a document with this `lng`, of an index that uses `_geo`. */
function check(lng: unknown, { isReceived = true, before = used as IndexSettings } = {}): () => void {
  const document = { id: 1, _geo: { lat: '45.4777599', lng } } as never;
  return () => checkGeo(document, geoChecksOf(used, before), '1', isReceived);
}

test.each(['2', '+2', '-2.5', '.5', '5.', '1e2', '-1.5E-3', '007', 2, 2n])('%s is a number', (lng) => {
  expect(check(lng)).not.toThrow();
});

const EARLIER = ['0x10', '0b11', '0o7', ' 2 ', '2\n', '\ufeff2'];
const NEVER = [
  '',
  ' ',
  '.',
  '+',
  'e5',
  '1e',
  '1_000',
  '1,5',
  'Infinity',
  'inf',
  'NaN',
  '1e400',
  'two',
  '--2',
  true,
  null,
  [],
];

test.each([...EARLIER, ...NEVER])('%j is none', (lng) => {
  expect(check(lng)).toThrow(wanted);
});

test('stored points of earlier releases stay: they are read, and no write of other fields and no new setting is refused', () => {
  for (const lng of EARLIER) {
    expect(check(lng, { isReceived: false })).not.toThrow();
    const found: unknown[] = [];
    collectFacetValues(
      { _geo: { lat: 1, lng } },
      (field) => field === '_geo',
      (field, _kind, value) => found.push([field, value]),
    );
    expect(found).toContainEqual(['_geo.lng', Number(lng)]);
  }
  for (const lng of NEVER) expect(check(lng, { isReceived: false })).toThrow(wanted);
});

test('stored points that no setting used before are checked as received ones', () => {
  for (const lng of EARLIER) expect(check(lng, { isReceived: false, before: DEFAULT_SETTINGS })).toThrow(wanted);
});
