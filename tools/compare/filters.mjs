/** Filter expressions, chosen at random over the fields of the generated documents. */
const COMPARED = ['year', 'price', 'sizes', 'colour', 'code', 'mixed'];
const FIELDS = [...COMPARED, 'tags', 'flag', 'maker.country', 'title'];

/** An expression, or the same as nested arrays. */
export function makeFilter(random, words, depth = 0) {
  const kind = random.fraction();
  if (depth < 3 && kind < 0.2) return `(${inner(random, words, depth)} AND ${inner(random, words, depth)})`;
  if (depth < 3 && kind < 0.4) return `(${inner(random, words, depth)} OR ${inner(random, words, depth)})`;
  if (depth < 3 && kind < 0.48) return `NOT ${inner(random, words, depth)}`;
  if (depth === 0 && kind < 0.53)
    return [condition(random, words), [condition(random, words), condition(random, words)]];
  return condition(random, words);
}

const inner = (random, words, depth) => makeFilter(random, words, depth + 1);

function condition(random, words) {
  const value = () => valueText(random, words);
  switch (random.below(8)) {
    case 0:
    case 1:
      return `${random.pick(FIELDS)} ${random.pick(['=', '!='])} ${value()}`;
    case 2:
      return `${random.pick(COMPARED)} ${random.pick(['<', '>', '<=', '>='])} ${value()}`;
    case 3:
      return `${random.pick(['year', 'price', 'sizes'])} ${random.below(20)} TO ${random.between(5, 2005)}`;
    case 4:
      return `${random.pick(FIELDS)} ${random.pick(['IN', 'NOT IN'])} [${value()}, ${value()}, ${value()}]`;
    case 5:
      return `${random.pick([...FIELDS, 'maker'])} ${random.pick(['EXISTS', 'NOT EXISTS', 'IS NULL', 'IS NOT NULL', 'IS EMPTY'])}`;
    case 6:
      return `_geoRadius(${random.between(-80, 80)}, ${random.between(-170, 170)}, ${random.between(1, 60) * 100_000})`;
    default:
      return box(random);
  }
}

function valueText(random, words) {
  const fixed = [
    'red',
    "'deep blue'",
    'France',
    '7',
    '3',
    'three',
    '2000',
    '1995',
    '10.25',
    '-3',
    'true',
    'false',
    'c12',
  ];
  return random.chance(0.7) ? random.pick(fixed) : `"${random.pickEarly(words)}"`;
}

function box(random) {
  const [south, north] = [random.between(-89, 40), random.between(41, 89)];
  return `_geoBoundingBox([${north}, ${random.between(-179, 179)}], [${south}, ${random.between(-179, 179)}])`;
}
