/** Documents of a generated corpus. Fields are few and their values repeat, so that filters, facets and ties occur. */
import { makeText } from './vocabulary.mjs';

/** Fields that hold text, from the shortest to the longest. */
export const TEXT_FIELDS = ['title', 'subtitle', 'overview', 'body', 'parts', 'maker.name', 'maker.about'];
/** Fields with values to filter, count and sort by. */
export const FACET_FIELDS = ['colour', 'tags', 'year', 'price', 'sizes', 'flag', 'maker.country', 'mixed', 'code'];

const COLOURS = ['red', 'Red', 'green', 'blue', 'Blue ', 'deep blue', 'yellow', 'grün', '7'];
const COUNTRIES = ['France', 'france', 'Peru', 'Côte', 'Japan', 'Chile'];

/** One document with this id. Any field but `id` may be missing. */
export function makeDocument(random, words, id) {
  const text = (longest) => makeText(random, words, random.between(1, longest));
  const makers = {
    title: () => text(4),
    subtitle: () => text(6),
    overview: () => text(25),
    body: () => text(60),
    parts: () => Array.from({ length: random.below(4) }, () => text(5)),
    maker: () => makeMaker(random, text),
    colour: () => random.pick(COLOURS),
    tags: () => random.some(words.slice(0, 40), random.below(5)),
    year: () => random.between(1990, 2010),
    price: () => random.pick([random.below(30), random.below(100) / 4, -3, 0, 1e21]),
    sizes: () => Array.from({ length: random.below(4) }, () => random.below(12)),
    flag: () => random.chance(0.5),
    mixed: () => random.pick([null, '', [], {}, 3, '3', 'three', ['three', 3, null], false, { deep: 1 }]),
    code: () => `c${random.below(400)}`,
    _geo: () => ({ lat: random.between(-8, 8) * 10, lng: random.between(-17, 17) * 10 }),
  };
  const document = { id };
  for (const [name, make] of Object.entries(makers)) if (random.chance(0.85)) document[name] = make();
  return document;
}

function makeMaker(random, text) {
  const maker = { name: text(2), country: random.pick(COUNTRIES) };
  return random.chance(0.2) ? [maker, { name: text(2), about: text(8) }] : { ...maker, about: text(8) };
}
