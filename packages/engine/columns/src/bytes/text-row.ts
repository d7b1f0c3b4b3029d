/** Text i is text[textOffsets[i]..textOffsets[i + 1]]. */
export interface AllTexts {
  readonly textOffsets: Uint32Array;
  readonly text: Uint8Array;
}
