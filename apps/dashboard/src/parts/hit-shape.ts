import type { Document } from '../api/types.js';

/** The roles of a document's attributes when it is shown as a card. */
export interface HitShape {
  readonly title: string | undefined;
  /** The longest text. */
  readonly body: string | undefined;
  /** Lists of short texts. */
  readonly tags: readonly string[];
  /** Other attributes that fit in a line. */
  readonly facts: readonly string[];
}
const TITLE = /^(title|name|label|headline|subject|question|heading)$|(_|^)(title|name)$|(Title|Name)$/;
const LONG_TEXT_CHARS = 80;
const MAX_TAG_CHARS = 40;
const IS_ADDRESS = /^(https?:)?\/\//;

/** Chooses by names and values; the rest follows `ownOrder`. O(size of the document). */
export function shapeOf(document: Document, primaryKey: string | null): HitShape {
  const names = Object.keys(document).filter((name) => !name.startsWith('_'));
  const texts = names.filter((name) => typeof document[name] === 'string' && !IS_ADDRESS.test(String(document[name])));
  const title =
    texts.find((name) => TITLE.test(name)) ?? texts.find((name) => name !== primaryKey && !isLong(document[name]));
  const longest = texts.filter((name) => name !== title && isLong(document[name]));
  const body = longest.sort((left, right) => lengthOf(document[right]) - lengthOf(document[left]))[0];
  const rest = names.filter((name) => name !== title && name !== body && name !== primaryKey);
  const tags = rest.filter((name) => isTagList(document[name]));
  const facts = rest.filter((name) => !tags.includes(name) && isFact(document[name]));
  return { title, body, tags, facts };
}

function lengthOf(value: unknown): number {
  return String(value).length;
}
function isLong(value: unknown): boolean {
  return lengthOf(value) >= LONG_TEXT_CHARS;
}
function isTagList(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => (typeof one === 'string' || typeof one === 'number') && lengthOf(one) <= MAX_TAG_CHARS)
  );
}
function isFact(value: unknown): boolean {
  if (typeof value === 'string') return value !== '' && !isLong(value) && !IS_ADDRESS.test(value);
  return typeof value === 'number' || typeof value === 'boolean';
}

const PICTURE_NAME = /image|img|poster|picture|photo|cover|thumb|avatar|logo|icon|bild|foto/i;
const PICTURE_ADDRESS = /\.(avif|gif|jpe?g|png|svg|webp)([?#]|$)/i;

/** The address of a document's picture: of an attribute that is named like one, or whose address ends like one. */
export function pictureOf(document: Document): string | undefined {
  const addresses = Object.entries(document).flatMap(([name, value]) => {
    const first: unknown = Array.isArray(value) ? value[0] : value;
    return typeof first === 'string' && IS_ADDRESS.test(first) ? [{ name, address: first }] : [];
  });
  const found =
    addresses.find(({ address }) => PICTURE_ADDRESS.test(address)) ??
    addresses.find(({ name }) => PICTURE_NAME.test(name));
  return found?.address;
}
