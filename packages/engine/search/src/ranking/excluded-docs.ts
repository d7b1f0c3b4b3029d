/** The documents that queries exclude: each set of excluded words and phrases is looked up once in a search, whatever multiplies its queries. */
import { apiError } from '@fossick/base';
import type { Bitmap } from '@fossick/kernel';
import type { Exclusions } from './keyword-query.js';
import { SearchOverdue } from './terms/bitmap-pool.js';
import type { TermDocs } from './terms/term-docs.js';

export class ExcludedDocs {
  private readonly docs: TermDocs;
  private readonly untilMs: number;
  private readonly bySet = new Map<Exclusions, Bitmap>();

  /** @param untilMs deadline on the clock of performance.now() */
  constructor(docs: TermDocs, untilMs: number) {
    this.docs = docs;
    this.untilMs = untilMs;
  }

  /**
   * Removes documents with a word or phrase of the set.
   * @throws ApiError invalid_search_q past the deadline: a partial result would have documents that the query excludes
   */
  removeFrom(universe: Bitmap, set: Exclusions): void {
    let excluded = this.bySet.get(set);
    if (excluded === undefined) {
      excluded = this.find(set);
      this.bySet.set(set, excluded);
    }
    this.docs.pool.kernel.bitmaps.andNot(universe, excluded);
  }

  private find({ negativeWords, negativePhrases }: Exclusions): Bitmap {
    const { pool } = this.docs;
    const found = pool.empty();
    try {
      pool.withDeadline(this.untilMs, () => {
        for (const phrase of [...negativeWords.map((word) => [word]), ...negativePhrases]) {
          pool.checkTime();
          this.docs.orPhrase(found, phrase);
        }
      });
    } catch (error) {
      if (!(error instanceof SearchOverdue)) throw error;
      throw apiError('invalid_search_q');
    }
    return found;
  }
}
