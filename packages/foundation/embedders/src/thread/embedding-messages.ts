import type { MessagePort } from '@fossick/threads';
import type { EmbedderConfiguration } from '../configuration.js';
import type { EmbeddingFault } from '../embedding-error.js';
import type { RequestOrigin } from '../http/request-slots.js';
import type { EmbedderInput, RequestReport } from '../port.js';
import type { SharedLimits } from './shared-limits.js';

/** The start message of a thread that makes vectors. */
export interface EmbeddingStart {
  /** Private networks that providers may be in, in the command line's form. */
  readonly allowedNetworks: string | null;
  readonly limits: SharedLimits;
  /** Whether it serves searches or indexing. */
  readonly requestSide: RequestOrigin;
  readonly port: MessagePort;
  /** Of the bell that is rung with each report, and that ends with the thread. */
  readonly bell: SharedArrayBuffer;
}

/** Requests to the thread; `id` names them in its reports. `side` matters only to a composite embedder. */
export type EmbeddingQuestion =
  | { readonly kind: 'dimensions' }
  | { readonly kind: 'embed'; readonly inputs: readonly EmbedderInput[]; readonly side: 'indexing' | 'search' }
  /** Of a search: the one fragment that it fills is rendered in this thread, which may take seconds. */
  | { readonly kind: 'fill'; readonly fragments: SearchFragments; readonly variables: SearchVariables };

/** Fragments by name: JSON whose strings are templates. */
export type SearchFragments = Readonly<Record<string, { readonly value: unknown }>>;
export interface SearchVariables {
  readonly q?: string;
  readonly media?: Readonly<Record<string, unknown>>;
}
export type EmbeddingCommand =
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly configuration: EmbedderConfiguration;
      readonly question: EmbeddingQuestion;
      /** Time limit in milliseconds; absent: the default limits. */
      readonly timeoutMs?: number;
    }
  | { readonly kind: 'abort'; readonly id: number }
  /** Nothing is needed now: local models are unloaded. */
  | { readonly kind: 'rest' }
  | { readonly kind: 'end' };

export type EmbeddingAnswer =
  | { readonly kind: 'dimensions'; readonly id: number; readonly dimCount: number }
  /** The vectors one after another. */
  | { readonly kind: 'vectors'; readonly id: number; readonly dimCount: number; readonly values: Float32Array }
  | {
      readonly kind: 'fault';
      readonly id: number;
      readonly fault: EmbeddingFault;
      readonly message: string;
      readonly inputIndex: number | undefined;
    };
export type EmbeddingReport =
  | EmbeddingAnswer
  | { readonly kind: 'request'; readonly id: number; readonly report: RequestReport };
