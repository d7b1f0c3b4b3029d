/** What the steps of a multipart upload ask of the store. Each throws S3Error. */
export interface MultipartRequests {
  /** The id of a new upload. */
  create(): Promise<string>;
  /** The tag of a part. @param number 1 for the first */
  upload(uploadId: string, number: number, body: Uint8Array): Promise<string>;
  complete(uploadId: string, tags: readonly string[]): Promise<'put' | 'exists'>;
  abort(uploadId: string): Promise<void>;
}

/** Parts of a stream, all of the same size but the last: some stores need that. */
export class PartReader {
  private readonly chunks: AsyncIterator<Uint8Array>;
  private readonly partBytes: number;
  private rest: Uint8Array = new Uint8Array(0);
  private isOver = false;

  constructor(body: AsyncIterable<Uint8Array>, partBytes: number) {
    this.chunks = body[Symbol.asyncIterator]();
    this.partBytes = partBytes;
  }

  /** The next part; an empty one at the end. Rejects with what the stream threw. */
  async next(): Promise<Uint8Array> {
    let part: Buffer | null = null;
    let filled = 0;
    while (filled < this.partBytes) {
      if (this.rest.length === 0 && !(await this.more())) break;
      // memory of a whole part is taken only if the stream has more than one chunk for it
      part ??= Buffer.allocUnsafe(this.partBytes);
      const taken = this.rest.subarray(0, this.partBytes - filled);
      part.set(taken, filled);
      filled += taken.length;
      this.rest = this.rest.subarray(taken.length);
    }
    return part === null ? new Uint8Array(0) : part.subarray(0, filled);
  }

  /** Tells the stream that no more is wanted. */
  async close(): Promise<void> {
    if (!this.isOver) await this.chunks.return?.();
  }

  private async more(): Promise<boolean> {
    while (!this.isOver) {
      const { done, value } = await this.chunks.next();
      if (done === true) this.isOver = true;
      else if (value.length > 0) {
        this.rest = value;
        return true;
      }
    }
    return false;
  }
}

/**
 * Uploads a stream in parts, `inFlight` at a time. When anything fails, what was uploaded is removed, as far as the store
 * answers. Memory: `inFlight` + 1 parts. Throws what the requests and the stream throw.
 *
 * @param first the first part, which was read already
 */
export async function uploadParts(
  requests: MultipartRequests,
  parts: PartReader,
  first: Uint8Array,
  inFlight: number,
): Promise<'put' | 'exists'> {
  const uploadId = await requests.create();
  try {
    const tags = await uploadAll(requests, uploadId, parts, first, inFlight);
    const outcome = await requests.complete(uploadId, tags);
    if (outcome === 'exists') await requests.abort(uploadId);
    return outcome;
  } catch (error) {
    // when this fails too, rules of the bucket remove what is left
    await requests.abort(uploadId).catch(() => undefined);
    throw error;
  }
}

async function uploadAll(
  requests: MultipartRequests,
  uploadId: string,
  parts: PartReader,
  first: Uint8Array,
  inFlight: number,
): Promise<string[]> {
  const tags: string[] = [];
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const begin = (part: Uint8Array, number: number): void => {
    const upload = requests.upload(uploadId, number, part).then(
      (tag) => {
        tags[number - 1] = tag;
      },
      (error: unknown) => void failures.push(error),
    );
    const done = upload.finally(() => running.delete(done));
    running.add(done);
  };
  try {
    for (let part = first, number = 1; part.length > 0 && failures.length === 0; number++) {
      begin(part, number);
      while (running.size >= inFlight) await Promise.race(running);
      part = await parts.next();
    }
  } finally {
    // parts that arrive after an abort would stay
    await Promise.all(running);
  }
  if (failures.length > 0) throw failures[0];
  return tags;
}
