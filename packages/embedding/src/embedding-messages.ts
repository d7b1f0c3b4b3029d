import type { MessagePort } from 'node:worker_threads';
import type {
  EmbedderConfiguration,
  EmbedderInput,
  EmbeddingFault,
  RequestReport,
  RequestSide,
} from '@fossick/embedders';
import type { SharedLimits } from './embedder-configuration.js';

/** What a thread that makes vectors is given at its start. */
export interface EmbeddingStart {
  /** Private networks that providers may be on, as the command line names them. */
  readonly allowedNetworks: string | null;
  readonly limits: SharedLimits;
  /** Whose requests it makes. */
  readonly requestSide: RequestSide;
  readonly port: MessagePort;
  /** Numbers of 32 bits: BELL counts reports, ENDED is 1 once the thread is gone. Who waits for a report waits for a change of the first. */
  readonly signals: SharedArrayBuffer;
}
export const BELL = 0;
export const ENDED = 1;
export const SIGNAL_BYTES = 8;

/** What is asked of the thread; `id` names it in its reports. `side` matters to a composite embedder. */
export type EmbeddingQuestion =
  | { readonly kind: 'dimensions' }
  | { readonly kind: 'embed'; readonly inputs: readonly EmbedderInput[]; readonly side: 'indexing' | 'search' };
export type EmbeddingCommand =
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly configuration: EmbedderConfiguration;
      readonly question: EmbeddingQuestion;
      /** Milliseconds until it has to be over; absent: as the limits say. */
      readonly timeoutMs?: number;
    }
  | { readonly kind: 'abort'; readonly id: number }
  /** Nobody asks for now: local models are let go. */
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
