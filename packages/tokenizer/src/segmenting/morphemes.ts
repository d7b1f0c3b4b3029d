/**
 * What a lattice needs of a morphological dictionary. Entries (one surface has several: each with a part of speech)
 * lie by surface: those of number n are [starts[n], starts[n + 1]).
 */
export interface MorphemeTable {
  readonly starts: Uint32Array;
  /** Context ids on the left and right side of an entry, and what the entry costs by itself. */
  readonly lefts: Int16Array;
  readonly rights: Int16Array;
  readonly costs: Int16Array;
}

/** How characters of one kind make unknown words. */
export interface CharacterKind {
  /** Also where the dictionary knows a word. */
  readonly isAlways: boolean;
  /** As long as characters of the kind follow; else one character. */
  readonly isGrouped: boolean;
}

export type FoundWord = (end: number, surface: number) => void;

export interface MorphemeDictionary {
  /** Tells every word that UTF-8 text has at `start`: where it ends, and its surface number in `words`; the shortest first. */
  visitWords(bytes: Uint8Array, start: number, found: FoundWord): void;
  readonly words: MorphemeTable;
  /** By number of the character kind. */
  readonly unknown: MorphemeTable;
  readonly kinds: readonly CharacterKind[];
  /** Kinds of a character, the main one first. */
  kindsOf(code: number): readonly number[];
  /** Cost of an entry with the right id r before one with the left id l: connections[r * width + l]. Id 0 is the text's end. */
  readonly connections: Int16Array;
  readonly width: number;
}
