import { FieldCounter, type JsonObject } from '@fossick/documents';
import type { IndexManifest } from '@fossick/format';
import type { IndexSettings } from '@fossick/settings';
import { EmbeddingCounter } from './embedding-counter.js';

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
