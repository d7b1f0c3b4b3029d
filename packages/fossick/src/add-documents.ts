import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GivenAddition } from '@fossick/api';
import { ADDITION_PARAMETERS, readFields, wrongType } from '@fossick/api';
import { toJsonText } from '@fossick/documents';
import type { DocumentError } from '@fossick/documents/document-errors';
import type { Progress } from '@fossick/tasks';
import { given, plain, unreadable } from './plain-arguments.js';

/** The progress of an addition. */
export type AddProgress =
  | {
      /** Documents are read from the caller and stored. */
      readonly phase: 'reading';
      readonly documents: number;
    }
  | {
      readonly phase: 'indexing';
      readonly documents: number;
      /** Of the batch that contains the addition, 0 to 100. */
      readonly percentage: number;
      /** The name of the running step. */
      readonly step: string;
    };
export interface AddOptions extends GivenAddition {
  /** Called with the progress of the addition, some times a second. */
  readonly onProgress?: ((progress: AddProgress) => void) | undefined;
}
export interface Added {
  /** Number of documents given. */
  readonly received: number;
  /** Number of documents indexed. */
  readonly indexed: number;
  /** Number of documents that were left out; only with `onDocumentError: 'skip'`. */
  readonly failed?: number;
  /** Why: the first 100,000 of them, in the order of the documents; only with `onDocumentError: 'skip'`. */
  readonly errors?: readonly DocumentError[];
}

/** Any source of documents. */
export type DocumentSource<D> = Iterable<D> | AsyncIterable<D>;

/** The options of an addition, checked. Throws ApiError. */
export function readAddOptions(options: AddOptions | null | undefined) {
  try {
    return addOptionsOf(options);
  } catch (error) {
    throw unreadable(error, 'The argument');
  }
}

function addOptionsOf(options: AddOptions | null | undefined) {
  const { onProgress = null } = (options ?? {}) as AddOptions;
  const { onProgress: _, ...others } = given({ ...options, onProgress: undefined });
  const { skipCreation = null, ...fields } = others;
  const { primaryKey = null, onDocumentError } = readFields(fields, ADD_OPTIONS);
  if (skipCreation !== null && typeof skipCreation !== 'boolean')
    throw wrongType({ code: 'invalid_skip_creation', path: '.skipCreation' }, 'a boolean', skipCreation);
  if (onProgress !== null && typeof onProgress !== 'function')
    throw wrongType({ code: 'bad_request', path: '.onProgress' }, 'a function', plain(onProgress));
  return { primaryKey, skipCreation: skipCreation ?? false, onDocumentError, onProgress: onProgress ?? undefined };
}
const ADD_OPTIONS = {
  primaryKey: ADDITION_PARAMETERS.primaryKey,
  onDocumentError: ADDITION_PARAMETERS.onDocumentError,
};

/** Throws ApiError malformed_payload for what is no source of documents. */
export function requireSource(source: unknown): void {
  let isSource = false;
  try {
    isSource =
      typeof source === 'object' && source !== null && (Symbol.asyncIterator in source || Symbol.iterator in source);
  } catch (error) {
    throw unreadable(error, 'The source of the documents');
  }
  if (!isSource)
    throw wrongType({ code: 'malformed_payload', path: '.documents' }, 'an iterable of documents', typeof source);
}

/** The documents as lines of JSON, read only as fast as they are stored. An error of the source ends it. */
export function documentLines<D>(source: DocumentSource<D>, onRead: (count: number) => void): Readable {
  return Readable.from(chunksOf(source, onRead), { objectMode: false, highWaterMark: CHUNK_CHARACTERS });
}

/** Characters passed on at once. */
const CHUNK_CHARACTERS = 64 * 1024;
/** The caller's thread works on documents for this long, in milliseconds, before other work runs. */
const SLICE_MS = 8;
/** Documents between two looks at the clock. */
const LOOK_DOCUMENTS = 16;

async function* chunksOf<D>(source: DocumentSource<D>, onRead: (count: number) => void): AsyncGenerator<Buffer> {
  const lines = new Lines(onRead);
  if (Symbol.asyncIterator in source)
    for await (const document of source) {
      if (lines.add(document)) yield* lines.chunks();
    }
  // awaiting each document of an array would cost more than writing it
  else
    for (const document of source) {
      if (lines.add(document)) yield* lines.chunks();
    }
  yield lines.last();
}

class Lines {
  private text = '';
  private count = 0;
  private sinceMs = performance.now();
  private readonly onRead: (count: number) => void;

  constructor(onRead: (count: number) => void) {
    this.onRead = onRead;
  }

  /** Whether a chunk is full, or other work should run. */
  add(document: unknown): boolean {
    this.text += `${this.textOf(document)}\n`;
    this.count += 1;
    return this.text.length >= CHUNK_CHARACTERS || (this.count % LOOK_DOCUMENTS === 0 && this.isLong());
  }

  /** An error of the document, of whatever kind, is that of a document that a request could not have. */
  private textOf(document: unknown): string {
    try {
      return toJsonText(document);
    } catch (error) {
      throw unreadable(error, `Document ${this.count + 1}`, 'malformed_payload');
    }
  }

  async *chunks(): AsyncGenerator<Buffer> {
    if (this.text.length >= CHUNK_CHARACTERS) yield this.take();
    if (!this.isLong()) return;
    this.onRead(this.count);
    await nextTurn();
    this.sinceMs = performance.now();
  }

  last(): Buffer {
    this.onRead(this.count);
    // an addition of no documents is valid
    if (this.count === 0) this.text = '\n';
    return this.take();
  }

  private take(): Buffer {
    const bytes = Buffer.from(this.text);
    this.text = '';
    return bytes;
  }
  private isLong(): boolean {
    return performance.now() - this.sinceMs > SLICE_MS;
  }
}

/** Reports the progress of a batch. The progress never goes back, so the last steps are counted separately. */
export function indexingProgress(
  onProgress: (progress: AddProgress) => void,
  documents: number,
): (progress: Progress) => void {
  let most = 0;
  return ({ steps, percentage }) => {
    most = Math.max(most, percentage);
    const step = steps.map(({ currentStep }) => currentStep).at(-1) ?? '';
    onProgress({ phase: 'indexing', documents, percentage: most, step });
  };
}
