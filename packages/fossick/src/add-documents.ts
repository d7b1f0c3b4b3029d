import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Progress, toJsonText } from '@fossick/server/in-process';

/** Where an addition is. */
export type AddProgress =
  | {
      /** Documents are taken from the caller and stored. */
      readonly phase: 'reading';
      readonly documents: number;
    }
  | {
      readonly phase: 'indexing';
      readonly documents: number;
      /** Of the batch that the addition is part of, 0 to 100. */
      readonly percentage: number;
      /** What is being done. */
      readonly step: string;
    };
export interface AddOptions {
  /** The field that tells documents apart; found out from the first document (`id`, or a name that ends so) when absent. */
  readonly primaryKey?: string | undefined;
  /** Hears where the addition is, some times a second. */
  readonly onProgress?: ((progress: AddProgress) => void) | undefined;
  /** Only documents that are there already are changed. */
  readonly skipCreation?: boolean | undefined;
}
export interface Added {
  /** Documents that were given. */
  readonly received: number;
  /** Documents that were indexed. */
  readonly indexed: number;
}

/** Anything that holds documents. */
export type DocumentSource<D> = Iterable<D> | AsyncIterable<D>;

/** The documents as lines of JSON, read as fast as they are stored and never more of them. What the source throws ends it. */
export function documentLines<D>(source: DocumentSource<D>, onRead: (count: number) => void): Readable {
  return Readable.from(chunksOf(source, onRead), { objectMode: false, highWaterMark: CHUNK_CHARACTERS });
}

/** Characters that are handed on together. */
const CHUNK_CHARACTERS = 64 * 1024;
/** For so long the caller's thread works on documents before whatever else it has to do gets its turn. */
const TURN_MS = 8;
/** Documents between two looks at the clock. */
const LOOK_DOCUMENTS = 16;

async function* chunksOf<D>(source: DocumentSource<D>, onRead: (count: number) => void): AsyncGenerator<Buffer> {
  const lines = new Lines(onRead);
  if (Symbol.asyncIterator in source)
    for await (const document of source) {
      if (lines.add(document)) yield* lines.chunks();
    }
  // waiting for each document of an array would cost more than writing it
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

  /** Whether there is a chunk to be handed on, or others have waited long enough. */
  add(document: unknown): boolean {
    this.text += `${toJsonText(document)}\n`;
    this.count += 1;
    return this.text.length >= CHUNK_CHARACTERS || (this.count % LOOK_DOCUMENTS === 0 && this.isLong());
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
    // no document at all is an addition of none, and not a mistake
    if (this.count === 0) this.text = '\n';
    return this.take();
  }

  private take(): Buffer {
    const bytes = Buffer.from(this.text);
    this.text = '';
    return bytes;
  }
  private isLong(): boolean {
    return performance.now() - this.sinceMs > TURN_MS;
  }
}

/** Tells a caller of the progress of its batch. The last steps are counted by themselves: what has been told is never taken back. */
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
