/**
 * Phrases with stop words, which are not indexed: the text of documents is read. Nothing is stored for them, so that stop words
 * cost no memory, and indexes of any age answer alike.
 */

import { LosslessFloat } from '@fossick/documents/stored';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import { localesOf } from '@fossick/settings';
import { lemmasOf, type Phrase } from '../../query/query-terms.js';
import type { BitmapPool } from './bitmap-pool.js';
import { fieldWeights } from './field-scope.js';

/** Documents that are taken from a bitmap at once. */
const READ_TOGETHER = 1024;

export class WholePhrases {
  private readonly view: IndexView;
  private readonly pool: BitmapPool;
  /** The searched fields, with their languages. */
  private readonly fields: ReadonlyMap<string, readonly string[] | undefined>;

  /** @param names the fields to search; null: all that are searchable */
  constructor(view: IndexView, pool: BitmapPool, names: readonly string[] | null) {
    this.view = view;
    this.pool = pool;
    const { weights } = fieldWeights(view);
    const searched = names ?? view.fieldNames.filter((_, id) => weights[id]! >= 0);
    this.fields = new Map(searched.map((name) => [name, localesOf(name, view.settings)]));
  }

  /**
   * target |= those of the documents that have the words of the phrase one after the other in a text. Reads each of them.
   * @throws SearchOverdue, and the target has what was found
   */
  orDocs(target: Bitmap, phrase: Phrase, docs: Bitmap): void {
    const { view } = this;
    const { bitmaps } = view.kernel;
    const walk = new PhraseWalk(lemmasOf(phrase));
    view.needDocuments?.([...bitmaps.members(docs, 0, view.bitCount)]);
    for (let skip = 0; ; skip += READ_TOGETHER) {
      const ids = bitmaps.members(docs, skip, READ_TOGETHER);
      for (const id of ids) {
        this.pool.checkTime();
        if (this.isIn(walk, view.documentFields(id), '')) bitmaps.set(target, id);
      }
      if (ids.length < READ_TOGETHER) return;
    }
  }

  /** Whether a text of the value has the phrase. `name`: of its field. */
  private isIn(walk: PhraseWalk, value: unknown, name: string): boolean {
    if (value === null || value === undefined) return false;
    if (Array.isArray(value)) return value.some((element) => this.isIn(walk, element, name));
    if (typeof value === 'object' && !(value instanceof LosslessFloat))
      return Object.entries(value).some(([key, member]) =>
        this.isIn(walk, member, name === '' ? key : `${name}.${key}`),
      );
    if (!this.fields.has(name)) return false;
    walk.start();
    this.view.formattingTokenizer.visitWords(String(value), 0, walk.take, this.fields.get(name));
    return walk.isFound;
  }
}

/** Finds a run of words among those of a text. */
class PhraseWalk {
  isFound = false;
  private readonly words: readonly string[];
  /** How many words of the phrase end at the last position, of each run that may become the phrase. */
  private runs: number[] = [];
  private last = 0;

  constructor(words: readonly string[]) {
    this.words = words;
  }

  start(): void {
    this.isFound = false;
    this.runs = [];
  }

  readonly take = (lemma: string, position: number, isSymbol: boolean): void => {
    if (isSymbol) return;
    const { words } = this;
    if (this.runs.length > 0) {
      this.runs = position === this.last + 1 ? this.runs.filter((length) => words[length] === lemma) : [];
      for (let at = 0; at < this.runs.length; at++) this.runs[at]! += 1;
    }
    if (words[0] === lemma) this.runs.push(1);
    if (this.runs[0] === words.length) {
      this.isFound = true;
      this.runs.shift();
    }
    this.last = position;
  };
}
