import { editDistance } from '@fossick/base/closest-name';
import { type FilterCursor, shown } from './cursor.js';
import type { FilterNode, FilterValue, GeoPair, VectorPart } from './tree.js';

const RADIUS_FORM = '`_geoRadius(latitude, longitude, radius in metres[, resolution])`';
const BOX_FORM =
  '`_geoBoundingBox([latitude, longitude], [latitude, longitude])`: top right corner, then bottom left corner';
const POLYGON_FORM = '`_geoPolygon([latitude, longitude], [latitude, longitude], [latitude, longitude], …)`';
const FLOAT = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const VECTOR_PARTS = ['fragments', 'userProvided', 'documentTemplate', 'regenerate'] as const;

function takeFloat(cursor: FilterCursor, form: string): FilterValue {
  cursor.skipSpace();
  const sign = cursor.text[cursor.at] === '+' ? 1 : 0;
  const start = cursor.at;
  cursor.at += sign;
  let text = cursor.peekWord();
  cursor.at += text.length;
  if (/[eE]$/.test(text) && cursor.text[cursor.at] === '+') {
    cursor.at += 1;
    const exponent = cursor.peekWord();
    cursor.at += exponent.length;
    text += exponent;
  }
  if (/^[+-]?(inf|infinity|nan)$/i.test(text)) cursor.fail(`\`${text}\`: the number must be finite.`, start, cursor.at);
  if (!FLOAT.test(text)) cursor.fail(`The arguments are malformed; expected ${form}.`, start);
  if (!Number.isFinite(Number(text))) cursor.fail(`\`${text}\`: the number must be finite.`, start, cursor.at);
  return { text, start, end: cursor.at };
}

function takePair(cursor: FilterCursor, form: string): GeoPair {
  const start = cursor.at;
  if (!cursor.takeSymbol('[')) cursor.fail(`The arguments are malformed; expected ${form}.`, start);
  const values: FilterValue[] = [];
  do values.push(takeFloat(cursor, form));
  while (cursor.takeSymbol(','));
  if (!cursor.takeSymbol(']')) cursor.fail(`A \`]\` is missing; expected ${form}.`, start);
  const [lat, lng] = values;
  if (lat === undefined || lng === undefined || values.length !== 2) {
    cursor.fail(`A point has 2 coordinates, ${values.length} given; expected ${form}.`, start, cursor.at);
  }
  return [lat, lng];
}

function takeOpening(cursor: FilterCursor, word: string, form: string): FilterValue {
  const start = cursor.at;
  cursor.at += word.length;
  const name = { text: word, start, end: cursor.at };
  if (!cursor.takeSymbol('(')) cursor.fail(`\`${word}\` needs its arguments; expected ${form}.`, start);
  return name;
}

function closeArguments(cursor: FilterCursor, form: string, start: number): void {
  if (cursor.takeSymbol(')')) return;
  if (cursor.isAtEnd) cursor.fail(`\`${shown(cursor.text.slice(start))}\` is not closed: \`)\` is missing.`, start);
  cursor.fail(`The arguments are malformed; expected ${form}.`, start);
}

function takePoints(cursor: FilterCursor, form: string): GeoPair[] {
  const points: GeoPair[] = [];
  for (;;) {
    cursor.skipSpace();
    if (points.length > 0 && cursor.text[cursor.at] === ')') return points;
    points.push(takePair(cursor, form));
    if (!cursor.takeSymbol(',')) return points;
  }
}

function takeRadius(cursor: FilterCursor): FilterNode {
  const name = takeOpening(cursor, '_geoRadius', RADIUS_FORM);
  const values: FilterValue[] = [];
  do values.push(takeFloat(cursor, RADIUS_FORM));
  while (cursor.takeSymbol(','));
  closeArguments(cursor, RADIUS_FORM, name.start);
  const [lat, lng, radius, resolution] = values;
  if (lat === undefined || lng === undefined || radius === undefined || values.length > 4) {
    return cursor.fail(
      `\`_geoRadius\` takes 3 or 4 arguments, ${values.length} given; expected ${RADIUS_FORM}.`,
      name.start,
      cursor.at,
    );
  }
  return { kind: 'geoRadius', name, center: [lat, lng], radius, resolution: resolution ?? null };
}

function takeBox(cursor: FilterCursor): FilterNode {
  const name = takeOpening(cursor, '_geoBoundingBox', BOX_FORM);
  const points = takePoints(cursor, BOX_FORM);
  closeArguments(cursor, BOX_FORM, name.start);
  const [topRight, bottomLeft] = points;
  if (topRight === undefined || bottomLeft === undefined || points.length !== 2) {
    return cursor.fail(
      `\`_geoBoundingBox\` takes 2 points, ${points.length} given; expected ${BOX_FORM}.`,
      name.start,
      cursor.at,
    );
  }
  return { kind: 'geoBox', name, topRight, bottomLeft };
}

function takePolygon(cursor: FilterCursor): FilterNode {
  const name = takeOpening(cursor, '_geoPolygon', POLYGON_FORM);
  const points = takePoints(cursor, POLYGON_FORM);
  closeArguments(cursor, POLYGON_FORM, name.start);
  if (points.length < 3) {
    cursor.fail(
      `\`_geoPolygon\` needs at least 3 points, ${points.length} given; expected ${POLYGON_FORM}.`,
      name.start,
      cursor.at,
    );
  }
  return { kind: 'geoPolygon', name, points };
}

/** The geo function at the cursor, if there is one. Throws for reserved names that are no filters. */
export function takeGeo(cursor: FilterCursor): FilterNode | undefined {
  const word = cursor.peekWord();
  if (word === '_geoRadius') return takeRadius(cursor);
  if (word === '_geoBoundingBox') return takeBox(cursor);
  if (word === '_geoPolygon') return takePolygon(cursor);
  if (word === '_geo' || word === '_geoPoint' || word === '_geoDistance') {
    cursor.fail(`\`${word}\` is reserved and cannot filter; use ${RADIUS_FORM} or ${BOX_FORM}.`);
  }
  return undefined;
}

/** One dot-separated part of `_vectors.…`: quoted or bare. */
function takeVectorPart(cursor: FilterCursor, what: string): FilterValue & { readonly isQuoted: boolean } {
  const quote = cursor.text[cursor.at];
  if (quote === '"' || quote === "'") {
    const value = cursor.takeValue();
    if (value !== undefined && value.text !== '') return { ...value, isQuoted: true };
  }
  const word = /^[\p{Alphabetic}\p{N}_-]+/u.exec(cursor.text.slice(cursor.at))?.[0];
  if (word === undefined) return cursor.fail(`The ${what} after \`_vectors\` is missing or invalid.`);
  const start = cursor.at;
  cursor.at += word.length;
  return { text: word, start, end: cursor.at, isQuoted: false };
}

const takeDot = (cursor: FilterCursor): boolean => {
  const isDot = cursor.text[cursor.at] === '.';
  if (isDot) cursor.at += 1;
  return isDot;
};

/** `_vectors[.embedder[.part]]`, up to but without `EXISTS`; undefined when it does not start here. */
export function takeVectors(cursor: FilterCursor): Extract<FilterNode, { kind: 'vectors' }> | undefined {
  const word = cursor.peekWord();
  if (word !== '_vectors' && !word.startsWith('_vectors.')) return undefined;
  const start = cursor.at;
  cursor.at += '_vectors'.length;
  const name = { text: '_vectors', start, end: cursor.at };
  let embedder: FilterValue | null = null;
  let part: VectorPart = null;
  let fragment: FilterValue | null = null;
  if (takeDot(cursor)) {
    embedder = takeVectorPart(cursor, 'embedder name');
    if (takeDot(cursor)) {
      const last = takeVectorPart(cursor, 'last part');
      part = vectorPartOf(cursor, last);
      if (part === 'fragments') {
        if (!takeDot(cursor)) cursor.fail('The fragment name after `fragments` is missing.');
        fragment = takeVectorPart(cursor, 'fragment name');
      }
      if (takeDot(cursor)) {
        const second = takeVectorPart(cursor, 'last part');
        cursor.fail(`\`${last.text}\` and \`${shown(second.text)}\` cannot be combined.`, second.start, second.end);
      }
    }
  }
  return { kind: 'vectors', name, embedder, part, fragment };
}

function vectorPartOf(cursor: FilterCursor, last: FilterValue & { readonly isQuoted: boolean }): VectorPart {
  const part = VECTOR_PARTS.find((name) => name === last.text);
  if (part === undefined) {
    const near = VECTOR_PARTS.find((name) => last.text.length < 32 && editDistance(name, last.text) <= 2);
    const advice = near === undefined ? '' : `, perhaps \`${near}\``;
    return cursor.fail(`\`${shown(last.text)}\` is none of ${VECTOR_PARTS.join(', ')}${advice}.`, last.start, last.end);
  }
  if (last.isQuoted) cursor.fail(`\`${part}\` must not be quoted here.`, last.start, last.end);
  return part;
}
