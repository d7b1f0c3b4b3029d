import { MAX_JSON_DEPTH } from '@fossick/base';
import { JsonScanner, STOP } from './json-scanner.js';

const BLANK = ' \t\r\n';
const DIGITS = '0123456789';
const HEX = `${DIGITS}abcdefABCDEF`;

/** State, characters, next state; `!` stops the scan. What no rule names is a fault. */
type Rule = readonly [from: string, characters: string, to: string];

const VALUE_RULES: readonly Rule[] = ['value', 'value or end'].flatMap((from): Rule[] => [
  [from, BLANK, from],
  [from, '"', 'text'],
  [from, '{', 'name or end!'],
  [from, '[', 'value or end!'],
  [from, '-', 'minus'],
  [from, '0', 'zero'],
  [from, '123456789', 'integer'],
  ...['true', 'false', 'null'].map((word): Rule => [from, word[0]!, word[0]!]),
]);
const WORD_RULES: readonly Rule[] = ['true', 'false', 'null'].flatMap((word) =>
  [...word.slice(1)].map((letter, at): Rule => {
    const next = word.slice(0, at + 2);
    return [word.slice(0, at + 1), letter, next === word ? 'after' : next];
  }),
);
const NUMBER_RULES: readonly Rule[] = [
  ['minus', '0', 'zero'],
  ['minus', '123456789', 'integer'],
  ['integer', DIGITS, 'integer'],
  ...['zero', 'integer'].map((from): Rule => [from, '.', 'point']),
  ...['point', 'fraction'].map((from): Rule => [from, DIGITS, 'fraction']),
  ...['zero', 'integer', 'fraction'].map((from): Rule => [from, 'eE', 'exponent']),
  ['exponent', '+-', 'sign of exponent'],
  ...['exponent', 'sign of exponent', 'power'].map((from): Rule => [from, DIGITS, 'power']),
];
/** States in which a number may end. */
const WHOLE_NUMBERS = ['zero', 'integer', 'fraction', 'power'];
const PLAIN_ASCII = String.fromCharCode(...Array.from({ length: 0x60 }, (_, i) => 0x20 + i)).replace(/["\\]/g, '');

/** A string that is followed by `end`. Halves of a surrogate pair come as a pair. */
const stringRules = (text: string, end: string): readonly Rule[] => [
  [text, PLAIN_ASCII, text],
  [text, '"', end],
  [text, '\\', `${text} \\`],
  [`${text} \\`, '"\\/bfnrt', text],
  [`${text} \\`, 'u', `${text} u`],
  [`${text} u`, HEX.replace(/d/gi, ''), `${text} u0`],
  [`${text} u`, 'dD', `${text} ud`],
  [`${text} ud`, '01234567', `${text} u00`],
  [`${text} ud`, '89abAB', `${text} first0`],
  [`${text} ud`, 'cdefCDEF', `${text} second0`],
  [`${text} u0`, HEX, `${text} u00`],
  [`${text} u00`, HEX, `${text} u000`],
  [`${text} u000`, HEX, text],
  [`${text} second0`, HEX, `${text} second00`],
  [`${text} second00`, HEX, 'half!'],
  [`${text} first0`, HEX, `${text} first00`],
  [`${text} first00`, HEX, `${text} half`],
  [`${text} half`, '\\', `${text} half \\`],
  [`${text} half \\`, 'u', `${text} half u`],
  [`${text} half u`, 'dD', `${text} half ud`],
  [`${text} half ud`, 'cdefCDEF', `${text} u00`],
];

const RULES: readonly Rule[] = [
  ...VALUE_RULES,
  ['value or end', ']', 'after!'],
  ...['name', 'name or end'].flatMap((from): Rule[] => [
    [from, BLANK, from],
    [from, '"', 'name text'],
  ]),
  ['name or end', '}', 'after!'],
  ['colon', BLANK, 'colon'],
  ['colon', ':', 'value'],
  ...['after', ...WHOLE_NUMBERS].flatMap((from): Rule[] => [
    [from, BLANK, 'after'],
    [from, ',]}', 'after!'],
  ]),
  ...WORD_RULES,
  ...NUMBER_RULES,
  ...stringRules('text', 'after'),
  ...stringRules('name text', 'colon'),
];

/** In the order of their numbers. The second one is JsonScanner's own: here strings are checked byte by byte. */
const STATES = [
  ...new Set(['value', 'unused', 'fault', ...RULES.flatMap(([from, , to]) => [from, to.replace('!', '')])]),
];
const [VALUE, FAULT, HALF, NAME] = [0, 2, STATES.indexOf('half'), STATES.indexOf('name')];
const ENDS = new Set(['after', ...WHOLE_NUMBERS].map((name) => STATES.indexOf(name)));
const [COMMA, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

/** The grammar of JSON but for its nesting. Bytes beyond ASCII are allowed in strings. */
function grammarTable(): Uint8Array {
  const table = new Uint8Array(STATES.length << 8);
  STATES.forEach((name, state) => {
    table.fill((name.includes(' half') ? HALF : FAULT) | STOP, state << 8, (state + 1) << 8);
    if (name === 'text' || name === 'name text') table.fill(state, (state << 8) | 0x80, (state + 1) << 8);
  });
  for (const [from, characters, to] of RULES) {
    const entry = STATES.indexOf(to.replace('!', '')) | (to.endsWith('!') ? STOP : 0);
    for (let i = 0; i < characters.length; i++) table[(STATES.indexOf(from) << 8) | characters.charCodeAt(i)] = entry;
  }
  return table;
}
const GRAMMAR = grammarTable();

/**
 * Checks one JSON value in UTF-8 that arrives in pieces, by the rules of JSON.parse, and: its depth, no half of a
 * surrogate pair. Each piece is read once and not kept. O(bytes), memory for its depth.
 */
export class JsonCheck {
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true });
  private readonly scanner = new JsonScanner(GRAMMAR);
  /** The brackets that are open. */
  private readonly open = new Uint8Array(MAX_JSON_DEPTH + 2);
  private seenBytes = 0;

  /** Bytes of all pieces so far. */
  get byteCount(): number {
    return this.seenBytes;
  }

  /** What is wrong with the value up to the end of this piece; undefined when nothing is so far. */
  push(piece: Uint8Array): string | undefined {
    try {
      this.utf8.decode(piece, { stream: true });
    } catch {
      return 'it is not valid UTF-8';
    }
    const { scanner } = this;
    for (let at = scanner.next(piece, 0); at < piece.length; at = scanner.next(piece, at + 1))
      if (!this.take(piece[at]!)) return this.fault(piece, at);
    this.seenBytes += piece.length;
    return undefined;
  }

  /** What is wrong with the whole value; called after its last piece. */
  end(): string | undefined {
    try {
      this.utf8.decode();
    } catch {
      return 'it is not valid UTF-8';
    }
    return this.scanner.depth === 0 && ENDS.has(this.scanner.state) ? undefined : 'it ends in the middle';
  }

  /** Handles a byte that the scan stopped at; false when it is invalid. */
  private take(byte: number): boolean {
    const { scanner, open } = this;
    const { depth } = scanner;
    if (scanner.state === FAULT || scanner.state === HALF || depth > MAX_JSON_DEPTH) return false;
    if (byte === CLOSE_ARRAY) return open[depth + 1] === OPEN_ARRAY;
    if (byte === CLOSE_OBJECT) return open[depth + 1] === OPEN_OBJECT;
    if (byte === COMMA) {
      scanner.state = open[depth] === OPEN_OBJECT ? NAME : VALUE;
      return depth > 0;
    }
    open[depth] = byte;
    return true;
  }

  private fault(piece: Uint8Array, at: number): string {
    if (this.scanner.state === HALF) return 'an escape names half of a surrogate pair';
    if (this.scanner.state !== FAULT && this.scanner.depth > MAX_JSON_DEPTH)
      return `it is nested more than ${MAX_JSON_DEPTH} levels deep`;
    const near = Buffer.from(piece.subarray(at, at + 20)).toString('utf8');
    return `byte ${this.seenBytes + at} of it starts \`${near}\``;
  }
}
