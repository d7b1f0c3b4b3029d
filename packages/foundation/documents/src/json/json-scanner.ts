/** In an entry of a table: the scan stops at this byte. The other bits are the state after it. */
export const STOP = 0x80;
/** Both kinds of brackets, without the bit that tells them apart. */
const [OPENS, CLOSES, SAME_KIND] = [0x7b, 0x7d, 0x20];
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** States: a scan begins with the first. In the second only a quote or a backslash counts. */
const [OUTSIDE, IN_STRING, ESCAPED] = [0, 1, 2];

/**
 * The table of a scan that tells strings from all else: it stops at these characters outside of strings, and at the end of a string if `"` is one
 * of them. Whether the text is JSON is not its question.
 */
function outsideOfStrings(marks: string): Uint8Array {
  const table = new Uint8Array(3 * 256).fill(IN_STRING, IN_STRING << 8);
  for (let i = 0; i < marks.length; i++) table[marks.charCodeAt(i)] = OUTSIDE | STOP;
  table[QUOTE] = IN_STRING;
  table[(IN_STRING << 8) | QUOTE] = marks.includes('"') ? OUTSIDE | STOP : OUTSIDE;
  table[(IN_STRING << 8) | BACKSLASH] = ESCAPED;
  return table;
}

/**
 * Scans JSON in UTF-8 that arrives in pieces, byte by byte with a table: for each state and byte the state after it, and whether to stop there. What
 * reads JSON without making values of it is made of this: it finds the ends of documents, counts values, checks the grammar.
 */
export class JsonScanner {
  state = OUTSIDE;
  /** Brackets at which it stopped: those that open, less those that close. */
  depth = 0;
  private readonly table: Uint8Array;

  /** The characters to stop at outside of strings, or a table, whose states 0 and 1 are OUTSIDE and IN_STRING. */
  constructor(stops: string | Uint8Array) {
    this.table = typeof stops === 'string' ? outsideOfStrings(stops) : stops;
  }

  /** Goes on as after the quote that begins a string. */
  enterString(): void {
    this.state = IN_STRING;
  }

  /** The index of the next byte of this piece that the scan stops at; the length of the piece when there is none. O(bytes) */
  next(piece: Uint8Array, from: number): number {
    const { table } = this;
    const { length } = piece;
    let state = this.state;
    for (let at = from; at < length; at++) {
      // most bytes are in strings
      if (state === IN_STRING) {
        while (at < length && piece[at] !== QUOTE && piece[at] !== BACKSLASH) at++;
        if (at === length) break;
      }
      const byte = piece[at]!;
      const entry = table[(state << 8) | byte]!;
      if (entry === state) continue;
      state = entry & ~STOP;
      if (entry === state) continue;
      this.state = state;
      const kind = byte | SAME_KIND;
      if (kind === OPENS) this.depth += 1;
      else if (kind === CLOSES) this.depth -= 1;
      return at;
    }
    this.state = state;
    return length;
  }
}

/** What of a JSON text may be limited. `values`: lists, objects, and what follows a comma in them. `members`: of one object. */
export type JsonSize = 'depth' | 'containers' | 'values' | 'members';

/** Measures a JSON text that comes in pieces, without parsing it, which takes up to a microsecond for each value. */
export class JsonMeter {
  private readonly limits: Readonly<Record<JsonSize, number>>;
  private readonly scanner: JsonScanner;
  private containerCount = 0;
  private commaCount = 0;
  /** Of the innermost open container at each depth. */
  private readonly memberCounts: number[] = [];

  constructor(limits: Readonly<Partial<Record<JsonSize, number>>>) {
    const none = Number.POSITIVE_INFINITY;
    this.limits = { depth: none, containers: none, values: none, members: none, ...limits };
    const { values, members } = limits;
    this.scanner = new JsonScanner(`[]{}${values === undefined ? '' : ','}${members === undefined ? '' : ':'}`);
  }

  /** Scans the next piece up to where a limit is exceeded, and returns which. O(bytes) */
  exceeds(piece: Uint8Array): JsonSize | undefined {
    const { scanner, limits, memberCounts } = this;
    for (let at = scanner.next(piece, 0); at < piece.length; at = scanner.next(piece, at + 1)) {
      const byte = piece[at]!;
      if (byte === 0x3a) {
        memberCounts[scanner.depth] = (memberCounts[scanner.depth] ?? 0) + 1;
        if (memberCounts[scanner.depth]! > limits.members) return 'members';
      } else if (byte === 0x2c) this.commaCount += 1;
      else if ((byte | SAME_KIND) === OPENS) {
        memberCounts[scanner.depth] = 0;
        if (scanner.depth > limits.depth) return 'depth';
        if (++this.containerCount > limits.containers) return 'containers';
      }
      if (this.containerCount + this.commaCount > limits.values) return 'values';
    }
    return undefined;
  }
}
