import { type DocId, type DocIds, type FieldId, type LocalOrdinal, MAX_STORED_WORD_COUNT } from '@fossick/base';
import { ByteReader, ByteWriter, NO_DOCUMENT } from '@fossick/format/building';

const COUNT_SLOTS = MAX_STORED_WORD_COUNT + 1;

/** Documents of one (field, word count) pair, ascending. */
export interface WordCountGroup {
  readonly fieldId: FieldId;
  readonly wordCount: number;
  readonly docIds: DocIds;
}

/** The key of a group. */
export function wordCountKey(fieldId: FieldId, wordCount: number): number {
  return fieldId * COUNT_SLOTS + wordCount;
}

/** Collects (field, word count) -> documents while a segment is built. */
export class WordCountTable {
  private readonly groups = new Map<number, (DocId | LocalOrdinal)[]>();
  /** Rough bytes held. */
  heldBytes = 0;

  /** Counts outside 1..30 are ignored. `doc`: an ordinal when `encode` gets docids. */
  add(fieldId: FieldId, wordCount: number, doc: DocId | LocalOrdinal): void {
    if (wordCount < 1 || wordCount > MAX_STORED_WORD_COUNT) return;
    const key = wordCountKey(fieldId, wordCount);
    const docIds = this.groups.get(key);
    if (docIds === undefined) this.groups.set(key, [doc]);
    else docIds.push(doc);
    this.heldBytes += 8;
  }

  /**
   * `[varint key delta][varint count][varint docid deltas]` for each group, by (field, word count); key = field * 31 +
   * count. With `docIds` documents were added by ordinals into it; those of NO_DOCUMENT are left out.
   */
  encode(docIds?: Uint32Array): Uint8Array {
    const writer = new ByteWriter(this.heldBytes / 4);
    let previous = 0;
    for (const key of [...this.groups.keys()].sort((left, right) => left - right)) {
      let members = Uint32Array.from(this.groups.get(key)!);
      if (docIds !== undefined) members = members.map((ordinal) => docIds[ordinal]!).filter((id) => id !== NO_DOCUMENT);
      if (members.length === 0) continue;
      writer.varint(key - previous);
      writer.docIds(members.sort() as DocIds);
      previous = key;
    }
    return writer.bytes();
  }
}

/** The groups of an encoded table in order. */
export function decodeWordCounts(bytes: Uint8Array): WordCountGroup[] {
  const groups: WordCountGroup[] = [];
  const reader = new ByteReader(bytes);
  for (let key = 0; !reader.isAtEnd; ) {
    key += reader.varint();
    groups.push({
      fieldId: Math.floor(key / COUNT_SLOTS) as FieldId,
      wordCount: key % COUNT_SLOTS,
      docIds: reader.docIds(),
    });
  }
  return groups;
}
