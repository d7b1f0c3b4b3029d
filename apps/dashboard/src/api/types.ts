/** The server's answers, as far as the page reads them. */
import type { IndexSettings, SearchAnswer as WholeSearchAnswer } from '@fossick/api';

export interface Page<T> {
  readonly results: readonly T[];
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
}
export interface IndexStats {
  readonly numberOfDocuments: number;
  readonly indexSize: number;
  readonly usedIndexSize: number;
  readonly rawDocumentDbSize: number;
  readonly avgDocumentSize: number;
  readonly isIndexing: boolean;
  readonly numberOfEmbeddings: number;
  readonly numberOfEmbeddedDocuments: number;
  readonly fieldDistribution: Readonly<Record<string, number>>;
  readonly internalDatabaseSizes?: Readonly<Record<string, number>>;
}
export interface Stats {
  readonly databaseSize: number;
  readonly usedDatabaseSize: number;
  readonly lastUpdate: string | null;
  readonly indexes: Readonly<Record<string, IndexStats>>;
}
export type {
  BatchAnswer as Batch,
  IndexAnswer as IndexView,
  KeyAnswer as ApiKey,
  SummarizedTaskAnswer as TaskReceipt,
  TaskAnswer as Task,
} from '@fossick/api';
/** A page of a list that is continued from a uid. */
export interface UidPage<T> {
  readonly results: readonly T[];
  readonly total: number;
  readonly from: number | null;
  readonly next: number | null;
}
/** Why a task left out one document. */
export interface DocumentError {
  readonly id: string | null;
  readonly line: number | null;
  readonly code: string;
  readonly reason: string;
}
export type Document = Readonly<Record<string, unknown>>;
export type ScoreDetails = Readonly<Record<string, unknown> & { order: number; score?: number }>;
export interface Hit extends Document {
  readonly _formatted?: Document;
  readonly _rankingScore?: number;
  readonly _rankingScoreDetails?: Readonly<Record<string, ScoreDetails>>;
}
export interface SearchAnswer extends Omit<WholeSearchAnswer, 'hits' | 'groups' | 'query'> {
  readonly hits: readonly Hit[];
  readonly groups?: readonly HitGroup[];
}
export type FacetStep = NonNullable<SearchAnswer['facetLevels']>[string][number];
/** The best hits of a value. */
export interface HitGroup extends Omit<NonNullable<WholeSearchAnswer['groups']>[number], 'hits'> {
  readonly hits: readonly Hit[];
}
/** Computed from the numbers of an attribute. */
export type Aggregated = NonNullable<SearchAnswer['aggregations']>[string];
export type Computed = Omit<Aggregated, 'groups'>;
/** Settings as the page edits them, where any value may be wrong still; members of objects are read by their path. */
export type Settings = Readonly<Partial<Record<SettingName, unknown>>> & Readonly<Record<string, unknown>>;
export type SettingName = keyof IndexSettings;

/** What a node of a cluster knows of it, as far as the page shows it. */
export interface ClusterStatus {
  readonly url: string;
  readonly role: 'leader' | 'follower';
  readonly epoch: number;
  readonly leader: string | null;
  readonly position: number;
  readonly silentMs: number;
  readonly failure: string | null;
  readonly nodes: readonly ClusterNode[];
}
interface ClusterNode {
  readonly id: string;
  readonly url: string;
  readonly position: number;
  readonly heardMs: number;
  readonly isInContact: boolean;
}
export type ClusterAnswer = ClusterStatus | { readonly role: 'single' };
