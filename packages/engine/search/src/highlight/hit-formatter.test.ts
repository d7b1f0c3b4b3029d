import { parseDocument } from '@fossick/documents';
import { createTokenizer } from '@fossick/tokenizer';
import { describe, expect, it } from 'vitest';
import type { HitParams } from './field-plan.js';
import { buildHit, createHitFormatter } from './hit-formatter.js';
import type { LocatedTerm } from './matching-terms.js';

const tokenizer = createTokenizer({});
const PARAMS: HitParams = {
  attributesToRetrieve: null,
  attributesToHighlight: null,
  attributesToCrop: null,
  cropLength: 10,
  cropMarker: '…',
  highlightPreTag: '<em>',
  highlightPostTag: '</em>',
  showMatchesPosition: false,
  sort: null,
  locales: null,
  retrieveVectors: false,
};

/** The terms of a query of words and quoted phrases, none of them with typos. */
function termsOf(query: string, lastIsPrefix = false): LocatedTerm[] {
  let id = 0;
  const parts = query.match(/"[^"]*"|\S+/g) ?? [];
  return parts.map((part, index) => {
    const lemmas = tokenizer
      .tokenize(part)
      .filter(({ kind }) => kind === 'word')
      .map(({ lemma }) => lemma);
    const isPhrase = part.startsWith('"');
    const firstPosition = id;
    id += lemmas.length;
    return {
      words: isPhrase ? [] : lemmas,
      phrases: isPhrase ? [lemmas] : [],
      firstPosition,
      lastPosition: id - 1,
      isPrefix: lastIsPrefix && !isPhrase && index === parts.length - 1,
      originalWordChars: lemmas[0]!.length,
    };
  });
}

function namesOf(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => namesOf(item, prefix));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [`${prefix}${key}`, ...namesOf(inner, `${prefix}${key}.`)]);
}

function hit(
  document: Record<string, unknown>,
  params: Partial<HitParams>,
  terms: LocatedTerm[] = [],
  displayedAttributes = ['*'],
): Record<string, unknown> {
  const fieldNames = [...new Set(namesOf(document))];
  const settings = { displayedAttributes, localizedAttributes: null, embedders: { own: {} }, substringAttributes: [] };
  return buildHit(
    createHitFormatter({ fieldNames, settings, tokenizer, terms, params: { ...PARAMS, ...params } })(document),
  );
}

function show(text: string, terms: LocatedTerm[], params: Partial<HitParams> = {}): unknown {
  const shown = { attributesToHighlight: ['t'], ...params };
  return (hit({ t: text }, shown, terms)['_formatted'] as Record<string, unknown>)['t'];
}

describe('cropping', () => {
  const gaps = 'gap '.repeat(9);
  const fence = 'Grandpa kept one brush near a fence behind the barn that he built.';
  const crop = (text: string, cropLength: number): unknown =>
    show(text, termsOf('paint the fence'), { attributesToHighlight: null, attributesToCrop: ['t'], cropLength });
  it.each([
    [
      'My old tram car was over 20 minutes late, again? Yes, and it shook!',
      10,
      'My old tram car was over 20 minutes late, again…',
    ],
    [
      '(My old tram car was over 20 minutes late, again? Yes, and it shook!)',
      10,
      '(My old tram car was over 20 minutes late, again…',
    ],
    [':-)', 10, ':-)'],
    [
      'They sold that house. Paint The Fence was our song at school picnics last year. Nobody sang it.',
      10,
      '…Paint The Fence was our song at school picnics last…',
    ],
    [fence, 10, '…one brush near a fence behind the barn that he…'],
    [`${fence} Local songs: Boys Who Paint The Fence.`, 10, '…that he built. Local songs: Boys Who Paint The Fence.'],
    [`The fence paint ${gaps}paint the fence gap gap`, 10, '…gap gap gap gap gap paint the fence gap gap'],
    ['gap gap paint the fence gap gap.', 2, '…paint the…'],
    ['gap gap paint the fence gap gap.', 1, '…paint…'],
    ['gap gap paint the fence gap gap.', 0, 'gap gap paint the fence gap gap.'],
  ])('%s (%i)', (text, cropLength, expected) => {
    expect(crop(text, cropLength)).toBe(expected);
  });

  const valley =
    'Every autumn our village bakes a giant apple pie for visitors from the valley while visitors from the coast bring cheese!';
  it.each([
    ['"apple pie"', '…village bakes a giant <em>apple pie</em> for visitors from the…'],
    ['visitors "while visitors"', '…pie for <em>visitors</em> from the valley <em>while visitors</em> from the…'],
    [
      '"Every autumn our village bakes a giant apple pie for"',
      '<em>Every autumn our village bakes a giant apple pie for</em>…',
    ],
    [
      '"Every autumn our village bakes a giant apple pie for visitors from"',
      '<em>Every autumn our village bakes a giant apple pie for</em>…',
    ],
    [
      '"autumn our village" "visitors from the coast bring cheese!"',
      '…from the valley while <em>visitors from the coast bring cheese</em>…',
    ],
    [
      '"autumn our" "village bakes a giant apple pie for visitors from"',
      '…<em>our</em> <em>village bakes a giant apple pie for visitors from</em>…',
    ],
  ])('%s', (query, expected) => {
    expect(show(valley, termsOf(query), { attributesToCrop: ['t'] })).toBe(expected);
  });

  it('marks phrases of small words, and crops to a length of its own', () => {
    const text = "our men go in to work and let's he in and to";
    const tags = { highlightPreTag: '_', highlightPostTag: '_' };
    expect(show(text, termsOf('our "s he" into "in to"'), tags)).toBe(
      "_our_ men go _in to_ work and let'_s he_ in and to",
    );
    expect(show('The Old Harbor', termsOf('harbor'), { attributesToCrop: ['t:2'] })).toBe('…Old <em>Harbor</em>');
  });
});

describe('highlighting', () => {
  it.each([
    ['Hello', 'hel', '<em>Hel</em>lo'],
    ['Břëàḑbôx', 'bread', '<em>Břëàḑ</em>bôx'],
    ['Fröst', 'fros', '<em>Frös</em>t'],
  ])('%s by the prefix %s', (text, query, expected) => {
    expect(show(text, termsOf(query, true))).toBe(expected);
  });

  it('marks words, phrases across punctuation, and typed length of a typo', () => {
    expect(show('Fröst', termsOf('frost'))).toBe('<em>Fröst</em>');
    expect(show('do, or not', termsOf('"do or"'))).toBe('<em>do, or</em> not');
    const helo = {
      words: ['hello'],
      phrases: [],
      firstPosition: 0,
      lastPosition: 0,
      isPrefix: true,
      originalWordChars: 4,
    };
    expect(show('hello', [helo])).toBe('<em>hell</em>o');
    expect(show('the cat', [{ ...helo, words: [], phrases: [['a', 'cat']], isPrefix: false }])).toBe('the cat');
  });

  it('takes numbers for text and merges options of parent and child', () => {
    const price = hit({ price: 3.5 }, { attributesToHighlight: ['*'] }, termsOf('3 5'));
    expect(price['_formatted']).toEqual({ price: '<em>3</em>.<em>5</em>' });
    const horses = { horses: [{ name: 'comet of stars', age: 7 }] };
    const merged = hit(
      horses,
      { attributesToHighlight: ['horses'], attributesToCrop: ['horses.name:2'] },
      termsOf('comet 7'),
    );
    expect(merged['_formatted']).toEqual({ horses: [{ name: '<em>comet</em> of…', age: '<em>7</em>' }] });
  });
});

describe('fields', () => {
  const farm = {
    id: 31,
    farm: 'orval',
    owner: 'sabine',
    horses: [
      { name: 'comet', age: 7 },
      { name: 'cloud', age: 9 },
    ],
    mule: 'pésto',
  };
  const names = { horses: [{ name: 'comet' }, { name: 'cloud' }] };
  const texts = {
    horses: [
      { name: 'comet', age: '7' },
      { name: 'cloud', age: '9' },
    ],
  };
  const pesto = termsOf('pésto');
  const position = { mule: [{ start: 0, length: 6 }] };
  it.each<[Partial<HitParams>, string[], Record<string, unknown>]>([
    [{ attributesToRetrieve: ['horses.name'] }, ['*'], names],
    [{ attributesToRetrieve: [], attributesToHighlight: ['horses.name'] }, ['*'], { _formatted: names }],
    [
      { attributesToRetrieve: ['horses.name'], attributesToHighlight: ['horses.age'] },
      ['*'],
      { ...names, _formatted: texts },
    ],
    [
      { attributesToRetrieve: [], attributesToHighlight: ['horses.age'], attributesToCrop: ['horses.name'] },
      ['*'],
      { _formatted: texts },
    ],
    [
      { attributesToRetrieve: ['*'], attributesToHighlight: ['id'], showMatchesPosition: true },
      ['id', 'mule'],
      { id: 31, mule: 'pésto', _formatted: { id: '31', mule: 'pésto' }, _matchesPosition: position },
    ],
    [
      {
        attributesToRetrieve: ['farm', 'owner'],
        attributesToHighlight: ['farm', 'owner', '*'],
        attributesToCrop: ['horses'],
        showMatchesPosition: true,
      },
      ['id', 'mule'],
      { _formatted: { id: '31', mule: '<em>pésto</em>' }, _matchesPosition: position },
    ],
    [
      { attributesToRetrieve: ['farm', 'id'], attributesToHighlight: ['owner'], attributesToCrop: ['mule'] },
      ['id'],
      { id: 31 },
    ],
    [{ attributesToRetrieve: ['farm'], attributesToHighlight: ['*'] }, ['id'], { _formatted: { id: '31' } }],
  ])('%j', (params, displayed, expected) => {
    expect(hit(farm, params, pesto, displayed)).toEqual(expected);
  });

  it('tells where matches are, by path and array index', () => {
    const found = hit(farm, { showMatchesPosition: true }, termsOf('comet'));
    expect(found).toEqual({ ...farm, _matchesPosition: { 'horses.name': [{ start: 0, length: 5, indices: [0] }] } });
    const tags = hit(
      { tags: ['red fox', 'blue fox'] },
      { attributesToHighlight: ['tags'], showMatchesPosition: true },
      termsOf('fox'),
    );
    expect(tags['_formatted']).toEqual({ tags: ['red <em>fox</em>', 'blue <em>fox</em>'] });
    // The recordings have one value for each path, the last that matches.
    expect(tags['_matchesPosition']).toEqual({ tags: [{ start: 5, length: 3, indices: [1] }] });
  });

  it('removes keys from hits and leaves the rest unchanged, while formatted fields lose all that is not selected', () => {
    const nested = { a: [1, { b: 2, c: 3 }, { c: 4 }, [{ c: 5 }]] };
    expect(hit(nested, { attributesToRetrieve: ['a.b'] })).toEqual({ a: [1, { b: 2 }, {}, [{}]] });
    expect(hit({ a: 5 }, { attributesToRetrieve: ['a.b'] }, [], ['a.b', 'a'])).toEqual({});
    const formatted = hit(nested, { attributesToRetrieve: [], attributesToHighlight: ['a.b'] });
    expect(formatted).toEqual({ _formatted: { a: [{ b: '2' }, []] } });
  });

  it('hides vectors', () => {
    expect(hit({ id: 1, _vectors: { e: [1] } }, {})).toEqual({ id: 1 });
    expect(hit({ id: 1, _vectors: { e: [1] } }, { retrieveVectors: true })).toEqual({ id: 1, _vectors: {} });
  });

  it('formats the vectors that belong to no embedder, and places matches in them', () => {
    const document = { t: 'red', _vectors: { z: [5, 2], own: [5], e: null } };
    const asked = { attributesToHighlight: ['t'], showMatchesPosition: true };
    const shown = hit(document, asked, termsOf('red 5'));
    expect(shown['t']).toBe('red');
    expect(shown).not.toHaveProperty('_vectors');
    expect(shown['_formatted']).toEqual({ t: '<em>red</em>', _vectors: { z: ['5', '2'], e: [] } });
    expect(shown['_matchesPosition']).toHaveProperty(['_vectors.z'], [{ start: 0, length: 1, indices: [0] }]);
    expect(hit({ t: 'red', _vectors: { own: [5] } }, asked)['_formatted']).toEqual({ t: 'red' });
  });

  it('formats floats in their own spelling', () => {
    const document = parseDocument('{"n":1.0,"o":{"m":[1e3]}}');
    const shown = hit(document, { attributesToHighlight: ['*'] }, termsOf('1'));
    expect(shown['_formatted']).toEqual({ n: '<em>1</em>.0', o: { m: ['1000.0'] } });
  });

  it('measures the distance to the point of the sort', () => {
    const near = { _geo: { lat: 0, lng: '1' } };
    expect(hit(near, { sort: ['_geoPoint(0, 0):asc'] })).toEqual({ ...near, _geoDistance: 111_195 });
  });
});
