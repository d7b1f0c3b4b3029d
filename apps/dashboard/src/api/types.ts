/** The server's answers, as far as the page reads them. */
import type { IndexSettings, TaskStatus } from '@fossick/api';

export interface Page<T> {
  readonly results: readonly T[];
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
}
export interface IndexView {
  readonly uid: string;
  readonly primaryKey: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
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
export interface WireFault {
  readonly message: string;
  readonly code: string;
  readonly type: string;
  readonly link: string;
}
export type { TaskStatus } from '@fossick/api';
export interface Task {
  readonly uid: number;
  readonly batchUid: number | null;
  readonly indexUid: string | null;
  readonly status: TaskStatus;
  readonly type: string;
  readonly details?: Readonly<Record<string, unknown>> | null;
  readonly error: WireFault | null;
  readonly duration: string | null;
  readonly enqueuedAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}
export interface Batch {
  readonly uid: number;
  readonly progress: Progress | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly stats: {
    readonly totalNbTasks: number;
    readonly status: Readonly<Record<string, number>>;
    readonly types: Readonly<Record<string, number>>;
    readonly indexUids: Readonly<Record<string, number>>;
  };
  readonly duration: string | null;
  readonly startedAt: string;
  readonly finishedAt: string | null;
}
export interface Progress {
  readonly steps: readonly { readonly currentStep: string; readonly finished: number; readonly total: number }[];
  /** 0 to 100. */
  readonly percentage: number;
}
/** A page of a list that is continued from a uid. */
export interface UidPage<T> {
  readonly results: readonly T[];
  readonly total: number;
  readonly from: number | null;
  readonly next: number | null;
}
/** The answer to a write. */
/** Why a task left out one document. */
export interface DocumentError {
  readonly id: string | null;
  readonly line: number | null;
  readonly code: string;
  readonly reason: string;
}
export interface TaskReceipt {
  readonly taskUid: number;
  readonly indexUid: string | null;
}
export type Document = Readonly<Record<string, unknown>>;
export type ScoreDetails = Readonly<Record<string, unknown> & { order: number; score?: number }>;
export interface Hit extends Document {
  readonly _formatted?: Document;
  readonly _rankingScore?: number;
  readonly _rankingScoreDetails?: Readonly<Record<string, ScoreDetails>>;
}
export interface FacetStats {
  readonly min: number;
  readonly max: number;
}
export interface SearchAnswer {
  readonly hits: readonly Hit[];
  readonly totalHits?: number;
  readonly totalPages?: number;
  readonly page?: number;
  readonly facetDistribution?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly facetStats?: Readonly<Record<string, FacetStats>>;
  readonly processingTimeMs: number;
  readonly semanticHitCount?: number;
  readonly groups?: readonly HitGroup[];
  readonly aggregations?: Readonly<Record<string, Aggregated>>;
  /** Where it was asked for. */
  readonly metadata?: { readonly queryUid: string };
}
/** The best hits of a value. */
export interface HitGroup {
  readonly value: string | number;
  readonly documentCount: number;
  readonly hits: readonly Hit[];
}
/** Computed from the numbers of an attribute. */
export interface Computed {
  readonly stats?: Readonly<Record<string, number | null>>;
  readonly histogram?: readonly { readonly from: number; readonly to: number; readonly count: number }[];
}
export interface Aggregated extends Computed {
  readonly groups?: readonly (Computed & { readonly value: string | number; readonly documentCount: number })[];
}
export interface ApiKey {
  readonly uid: string;
  readonly key: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly actions: readonly string[];
  readonly indexes: readonly string[];
  readonly expiresAt: string | null;
  readonly createdAt: string;
}
/** Settings as the page edits them, where any value may be wrong still; members of objects are read by their path. */
export type Settings = Readonly<Partial<Record<SettingName, unknown>>> & Readonly<Record<string, unknown>>;
export type SettingName = keyof IndexSettings;

/** A node that follows the leader, as that one knows it. */
export interface ClusterNode {
  readonly id: string;
  readonly url: string;
  readonly position: number;
  readonly heardMs: number;
  readonly isInContact: boolean;
}
export interface ClusterStatus {
  readonly role: 'leader' | 'follower';
  readonly url: string;
  readonly epoch: number;
  /** Its address; null while there is none. */
  readonly leader: string | null;
  readonly position: number;
  readonly silentMs: number;
  readonly failure: string | null;
  /** Empty unless this node leads. */
  readonly nodes: readonly ClusterNode[];
}
