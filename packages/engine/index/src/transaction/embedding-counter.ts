import type { JsonObject } from '@fossick/documents';
import type { IndexSettings } from '@fossick/settings';
import { countEmbeddings, type VectorRules, vectorRulesOf } from '@fossick/vectors';

/** The number of embeddings in the documents of one index, updated as documents change. */
export class EmbeddingCounter {
  embeddingCount: number;
  documentCount: number;
  rules: VectorRules;

  constructor(settings: Pick<IndexSettings, 'embedders'>, embeddingCount: number, documentCount: number) {
    this.embeddingCount = embeddingCount;
    this.documentCount = documentCount;
    this.rules = vectorRulesOf(settings);
  }

  /** Counts a document that is added (1) or removed (-1). */
  count(document: JsonObject, step: 1 | -1): void {
    const embeddingCount = countEmbeddings(document, this.rules);
    this.embeddingCount += step * embeddingCount;
    if (embeddingCount > 0) this.documentCount += step;
  }

  clear(): void {
    this.embeddingCount = 0;
    this.documentCount = 0;
  }

  /** Applies a change of settings; true when embedders changed and every document must be counted again. */
  follow(settings: Pick<IndexSettings, 'embedders'>): boolean {
    const rules = vectorRulesOf(settings);
    if (JSON.stringify([...rules]) === JSON.stringify([...this.rules])) return false;
    this.rules = rules;
    this.clear();
    return rules.size > 0;
  }
}
