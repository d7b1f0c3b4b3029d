import { FieldCounter, type JsonObject } from '@fossick/documents';
import type { IndexManifest } from '@fossick/format';
import type { IndexSettings } from '@fossick/settings';
import { countEmbeddings, type VectorRules, vectorRulesOf } from '@fossick/vectors';

/** The manifest's figures about all documents of an index, updated as documents change. */
export class DocumentCounter {
  readonly embeddings: EmbeddingCounter;
  private readonly fields: FieldCounter;
  private bytes: number;

  constructor(manifest: IndexManifest, settings: IndexSettings) {
    const { embeddingCount = 0, embeddedDocumentCount = 0, documentBytes, fieldDistribution } = manifest;
    this.embeddings = new EmbeddingCounter(settings, embeddingCount, embeddedDocumentCount);
    this.fields = new FieldCounter(fieldDistribution);
    this.bytes = documentBytes;
  }

  /** Counts a document that is added (1) or removed (-1), and the bytes of its row. O(fields + embeddings) */
  count(document: JsonObject, byteCount: number, step: 1 | -1): void {
    this.fields.count(document, step);
    this.embeddings.count(document, step);
    this.bytes += step * byteCount;
  }

  clear(): void {
    this.fields.clear();
    this.embeddings.clear();
    this.bytes = 0;
  }

  get facts(): Pick<IndexManifest, 'documentBytes' | 'embeddingCount' | 'embeddedDocumentCount' | 'fieldDistribution'> {
    const { embeddingCount, documentCount: embeddedDocumentCount } = this.embeddings;
    const fieldDistribution = this.fields.distribution();
    return { documentBytes: this.bytes, embeddingCount, embeddedDocumentCount, fieldDistribution };
  }
}

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
