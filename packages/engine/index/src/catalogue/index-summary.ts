import { own } from '@fossick/base';
import { hasExpiryAttribute, readManifest, rowsOf } from '@fossick/format';
import type { Store } from '@fossick/storage';
import type { IndexInfo, IndexStats } from '../port.js';
import type { CatalogueEntry } from './catalogue-entry.js';

/** Figures of an index at one commit of its store. */
export interface IndexSummary {
  readonly commit: number;
  readonly updatedAt: string;
  readonly stats: IndexStats;
  /** Bytes of live pages. */
  readonly usedBytes: number;
  /** Bytes of the file; absent in summaries of earlier releases. */
  readonly diskBytes?: number;
  /**
   * Whether segments wait to be merged, rows of dropped ones to be removed, or all words to be cut again; absent in summaries that readers wrote.
   */
  readonly isMergeDue?: boolean;
  /** As in the manifest; absent in summaries of earlier releases. */
  readonly wordRules?: number;
  /** From the manifest; a summary without it may be of an earlier release, which did not know that an upgrade is due. */
  readonly numberForm?: 'exact' | undefined;
  /** Whether its documents may expire; absent: no. */
  readonly hasExpiry?: true;
}

/** `isMergeDue`: the writer's knowledge of the index. */
export function summaryOf(store: Store, commit: number, isMergeDue?: boolean): IndexSummary {
  const manifest = readManifest(rowsOf(store));
  const { documentCount, documentBytes, fieldDistribution } = manifest;
  const names = Object.keys(fieldDistribution).sort();
  return {
    commit,
    updatedAt: manifest.updatedAt,
    stats: {
      numberOfDocuments: documentCount,
      rawDocumentDbSize: documentBytes,
      avgDocumentSize: documentCount === 0 ? 0 : Math.floor(documentBytes / documentCount),
      numberOfEmbeddings: manifest.embeddingCount ?? 0,
      numberOfEmbeddedDocuments: manifest.embeddedDocumentCount ?? 0,
      fieldDistribution: Object.fromEntries(names.map((name) => [name, own(fieldDistribution, name)!])),
    },
    ...store.size(),
    ...(isMergeDue === undefined ? {} : { isMergeDue }),
    ...(manifest.wordRules === undefined ? {} : { wordRules: manifest.wordRules }),
    ...(manifest.numberForm === undefined ? {} : { numberForm: manifest.numberForm }),
    ...(hasExpiryAttribute(rowsOf(store)) ? { hasExpiry: true as const } : {}),
  };
}

/** Figures of an index whose store cannot be read and that has no summary. */
export function unknownSummary(updatedAt: string): IndexSummary {
  const stats = {
    numberOfDocuments: 0,
    rawDocumentDbSize: 0,
    avgDocumentSize: 0,
    numberOfEmbeddings: 0,
    numberOfEmbeddedDocuments: 0,
    fieldDistribution: {},
  };
  return { commit: 0, updatedAt, stats, usedBytes: 0 };
}

/** The public figures of an index. Its date is read on first access. */
export function indexInfo(uid: string, { primaryKey, createdAt }: CatalogueEntry, updatedAt: () => string): IndexInfo {
  return {
    uid,
    primaryKey,
    createdAt,
    get updatedAt() {
      return updatedAt();
    },
  };
}
