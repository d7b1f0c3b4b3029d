/**
 * What a lattice needs of a morphological dictionary. A surface has several entries, each for a part of speech: those
 * of surface n are [starts[n], starts[n + 1]).
 */
export interface MorphemeTable {
  readonly starts: Uint32Array;
  /** Context ids on the left and right side of an entry, and its own cost. */
  readonly lefts: Int16Array;
  readonly rights: Int16Array;
  readonly costs: Int16Array;
}

/** How unknown words are made of characters of one kind. */
export interface CharacterKind {
  /** Unknown words are added also where the dictionary has a word. */
  readonly isAlways: boolean;
  /** True: an unknown word takes all following characters of the kind; else one character. */
  readonly isGrouped: boolean;
}

export type FoundWord = (end: number, surface: number) => void;

export interface MorphemeDictionary {
  /** Reports every word that UTF-8 text has at `start`, shortest first: its end, and its surface number in `words`. */
  visitWords(bytes: Uint8Array, start: number, found: FoundWord): void;
  readonly words: MorphemeTable;
  /** Entries of unknown words, by character kind. */
  readonly unknown: MorphemeTable;
  readonly kinds: readonly CharacterKind[];
  /** Kinds of a character, the main one first. */
  kindsOf(code: number): readonly number[];
  /** Cost of an entry with the right id r before one with the left id l: connections[r * width + l]. Id 0 is the text's end. */
  readonly connections: Int16Array;
  readonly width: number;
}
