import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3';
import { checkKey } from '../object-bytes.js';
import type { ObjectInfo, ObjectRange, ObjectStore, PutOptions } from '../port.js';
import { ATTEMPT_TIMING, type AttemptOptions, type AttemptTiming, attempt } from './attempts.js';
import type { S3Credentials } from './credentials.js';
import { type MultipartRequests, PartReader, uploadParts } from './multipart.js';
import { connectS3, type S3Connection } from './s3-connection.js';
import { cutOff, errorOf, type Failure, failureOf, S3Error } from './s3-error.js';
import type { S3Location } from './s3-url.js';

/** The smallest part that AWS takes, unless it is the last. */
export const PART_BYTES_MIN = 5 << 20;
/** The number of parts that AWS takes. */
export const PARTS_MAX = 10_000;
/** 10,000 of them are 160 GB. */
const PART_BYTES = 16 << 20;
/** With the part that is being filled: 80 MiB. */
const IN_FLIGHT_PARTS = 4;
/** Objects up to this are read within one attempt. */
const READ_AT_ONCE = 256 << 10;

export interface S3ObjectsOptions {
  readonly location: S3Location;
  /** From the environment when absent. */
  readonly credentials?: S3Credentials;
  readonly timing?: Partial<AttemptTiming>;
  /** Of streams that are longer; 16 MiB when absent. An object has at most 10,000. */
  readonly partBytes?: number;
  /** Parts of one stream that are sent at a time; 4 when absent. Each is held in memory. */
  readonly inFlightParts?: number;
}

/**
 * Objects in a bucket of Amazon S3, or of a store that speaks its protocol. Needs the package @aws-sdk/client-s3, which is
 * loaded by the constructor. All methods throw S3Error when the store does not do what it was asked for.
 *
 * A stream of more than a part is a multipart upload. A create if absent is not repeated when it may have been done: it
 * would be answered with `exists`, although the object is its own.
 */
export class S3Objects implements ObjectStore {
  private readonly connection: S3Connection;
  private readonly location: S3Location;
  private readonly timing: AttemptTiming;
  private readonly partBytes: number;
  private readonly inFlightParts: number;

  /** Throws S3Error when the client of AWS is not installed, RangeError for sizes of parts that no store takes. */
  constructor({ location, credentials = { from: 'environment' }, timing, ...parts }: S3ObjectsOptions) {
    const { partBytes = PART_BYTES, inFlightParts = IN_FLIGHT_PARTS } = parts;
    if (partBytes < PART_BYTES_MIN) throw new RangeError(`parts have at least ${PART_BYTES_MIN} bytes`);
    if (inFlightParts < 1) throw new RangeError('one part at least is sent at a time');
    this.location = location;
    this.timing = { ...ATTEMPT_TIMING, ...timing };
    this.partBytes = partBytes;
    this.inFlightParts = inFlightParts;
    this.connection = connectS3(location, credentials, this.timing.answerMs);
  }

  /** The store and the bucket, for messages. */
  get place(): string {
    const { bucket, endpoint } = this.location;
    return `the bucket ${bucket} of the object store at ${endpoint ?? 'AWS'}`;
  }

  async put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    { ifAbsent = false }: PutOptions = {},
  ): Promise<'put' | 'exists'> {
    checkKey(key);
    if (body instanceof Uint8Array) return await this.putBytes(key, body, ifAbsent);
    const parts = new PartReader(body, this.partBytes);
    try {
      const first = await parts.next();
      if (first.length < this.partBytes) return await this.putBytes(key, first, ifAbsent);
      return await uploadParts(this.multipart(key, ifAbsent), parts, first, this.inFlightParts);
    } finally {
      await parts.close();
    }
  }

  async get(key: string, range?: ObjectRange): Promise<AsyncIterable<Uint8Array> | null> {
    checkKey(key);
    const { start = 0, end } = range ?? {};
    if (end !== undefined && end <= start) return (await this.exists(key)) ? nothing() : null;
    const found = await this.open(key, start, end);
    if (found === null || 'content' in found) return found === null ? null : once(found.content);
    const reopen = async (skipped: number, tag: string | undefined): Promise<OpenedObject | null> => {
      const next = await this.open(key, start + skipped, start + found.bytes, tag);
      if (next === null || 'stream' in next) return next;
      return { stream: Readable.from([next.content]), bytes: next.content.length, tag };
    };
    return bodyOf(found, reopen, this.timing, this.place);
  }

  async *list(prefix: string, after?: string): AsyncGenerator<ObjectInfo> {
    const { client, commands } = this.connection;
    const { bucket, prefix: own } = this.location;
    for (let next: string | undefined; ; ) {
      const page = new commands.ListObjectsV2Command({
        Bucket: bucket,
        Prefix: own + prefix,
        ...(next === undefined ? {} : { ContinuationToken: next }),
        ...(after === undefined || after === '' ? {} : { StartAfter: own + after }),
      });
      const answer = await attempt((abortSignal) => client.send(page, { abortSignal }), this.repeated());
      for (const { Key: key, Size: bytes } of answer.Contents ?? []) {
        if (key !== undefined && bytes !== undefined) yield { key: key.slice(own.length), bytes };
      }
      next = answer.NextContinuationToken;
      if (answer.IsTruncated !== true || next === undefined) return;
    }
  }

  async delete(key: string): Promise<void> {
    checkKey(key);
    const { client, commands } = this.connection;
    const command = new commands.DeleteObjectCommand(this.object(key));
    await attempt(
      async (abortSignal) => void (await client.send(command, { abortSignal })),
      this.repeated(),
      (failure) => (isAbsence(failure) ? null : undefined),
    );
  }

  /** Aborts uploads of an object that were begun and not ended, by whomever. Does nothing without the right to list them. */
  async abortUploads(key: string): Promise<void> {
    const { client, commands } = this.connection;
    const { Bucket, Key: Prefix } = this.object(key);
    const command = new commands.ListMultipartUploadsCommand({ Bucket, Prefix });
    const answer = await attempt(
      async (abortSignal): Promise<ListMultipartUploadsCommandOutput | null> => client.send(command, { abortSignal }),
      this.repeated(),
      ({ kind }) => (kind === 'access' || kind === 'refused' ? null : undefined),
    );
    for (const { Key, UploadId } of answer?.Uploads ?? [])
      if (Key === Prefix && UploadId !== undefined) await this.multipart(key, false).abort(UploadId);
  }

  private object(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.location.bucket, Key: this.location.prefix + key };
  }

  private repeated(bytes = 0): AttemptOptions {
    return { timing: this.timing, place: this.place, bytes, isRepeatable: true };
  }

  private async putBytes(key: string, body: Uint8Array, ifAbsent: boolean): Promise<'put' | 'exists'> {
    const { client, commands } = this.connection;
    const condition = ifAbsent ? { IfNoneMatch: '*' } : {};
    const command = new commands.PutObjectCommand({ ...this.object(key), Body: body, ...condition });
    return await attempt<'put' | 'exists'>(
      async (abortSignal) => {
        await client.send(command, { abortSignal });
        return 'put';
      },
      { ...this.repeated(body.length), isRepeatable: !ifAbsent },
      (failure) => (ifAbsent && failure.status === 412 ? 'exists' : undefined),
    );
  }

  private async exists(key: string): Promise<boolean> {
    const { client, commands } = this.connection;
    const command = new commands.HeadObjectCommand(this.object(key));
    return await attempt(
      async (abortSignal) => {
        await client.send(command, { abortSignal });
        return true;
      },
      this.repeated(),
      (failure) => (isAbsence(failure) ? false : undefined),
    );
  }

  /** Small objects with their bytes, larger ones to be read. Null when there is none, or with `tag` no such one. */
  private async open(
    key: string,
    start: number,
    end: number | undefined,
    tag?: string,
  ): Promise<OpenedObject | { readonly content: Uint8Array } | null> {
    const { client, commands } = this.connection;
    const isWhole = start === 0 && end === undefined;
    const command = new commands.GetObjectCommand({
      ...this.object(key),
      ...(isWhole ? {} : { Range: `bytes=${start}-${end === undefined ? '' : end - 1}` }),
      ...(tag === undefined ? {} : { IfMatch: tag }),
    });
    return await attempt<OpenedObject | { readonly content: Uint8Array } | null>(
      async (abortSignal) => {
        const { Body, ContentLength, ETag } = await client.send(command, { abortSignal });
        // in Node.js it is always this
        const stream = Body as Readable;
        if (ContentLength === undefined)
          throw new S3Error('refused', `${this.place} sends objects without their length`);
        if (ContentLength > READ_AT_ONCE) return { stream, bytes: ContentLength, tag: ETag };
        const content = await buffer(stream);
        if (content.length !== ContentLength) throw cutOff();
        return { content };
      },
      this.repeated(READ_AT_ONCE),
      (failure) => {
        if (isAbsence(failure) || (tag !== undefined && failure.status === 412)) return null;
        // the range begins after the end of the object
        return failure.status === 416 ? { content: new Uint8Array(0) } : undefined;
      },
    );
  }

  private multipart(key: string, ifAbsent: boolean): MultipartRequests {
    const { client, commands } = this.connection;
    const object = this.object(key);
    return {
      create: () =>
        attempt(async (abortSignal) => {
          const command = new commands.CreateMultipartUploadCommand(object);
          return this.said((await client.send(command, { abortSignal })).UploadId);
        }, this.repeated()),
      upload: (UploadId, PartNumber, Body) => {
        if (PartNumber > PARTS_MAX)
          throw new S3Error('setup', `an object has at most ${PARTS_MAX} parts: use larger ones`);
        return attempt(async (abortSignal) => {
          const command = new commands.UploadPartCommand({ ...object, UploadId, PartNumber, Body });
          return this.said((await client.send(command, { abortSignal })).ETag);
        }, this.repeated(Body.length));
      },
      complete: (UploadId, tags) => {
        const MultipartUpload = { Parts: tags.map((ETag, at) => ({ ETag, PartNumber: at + 1 })) };
        const condition = ifAbsent ? { IfNoneMatch: '*' } : {};
        const command = new commands.CompleteMultipartUploadCommand({
          ...object,
          UploadId,
          MultipartUpload,
          ...condition,
        });
        return attempt<'put' | 'exists'>(
          async (abortSignal) => {
            await client.send(command, { abortSignal });
            return 'put';
          },
          // an upload that was completed is gone, so the second answer would be that there is none
          { ...this.repeated(), isRepeatable: false },
          (failure) => (ifAbsent && failure.status === 412 ? 'exists' : undefined),
        );
      },
      abort: async (UploadId) => {
        const command = new commands.AbortMultipartUploadCommand({ ...object, UploadId });
        await attempt((abortSignal) => client.send(command, { abortSignal }), this.repeated());
      },
    };
  }

  private said(value: string | undefined): string {
    if (value === undefined) throw new S3Error('refused', `${this.place} leaves out what an answer has`);
    return value;
  }
}

/** HEAD has no body, so no code either. The bucket is another matter. */
function isAbsence({ kind, status }: Failure): boolean {
  return status === 404 && kind !== 'bucket';
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** An answer to a request for an object, whose bytes were not read yet. */
interface OpenedObject {
  readonly stream: Readable;
  /** Bytes of the answer. */
  readonly bytes: number;
  /** Differs when the object is replaced. */
  readonly tag: string | undefined;
}

/**
 * The bytes of an answer. When the connection breaks they go on with another request, from where they had come to.
 *
 * @param reopen asks for what follows the first `skipped` bytes of the answer; null: the object was removed or replaced
 */
async function* bodyOf(
  opened: OpenedObject,
  reopen: (skipped: number, tag: string | undefined) => Promise<OpenedObject | null>,
  timing: AttemptTiming,
  place: string,
): AsyncGenerator<Uint8Array> {
  let received = 0;
  for (let failures = 0, current = opened; received < opened.bytes; ) {
    let thrown: unknown = cutOff();
    try {
      for await (const chunk of current.stream as AsyncIterable<Uint8Array>) {
        received += chunk.length;
        failures = 0;
        yield chunk;
      }
    } catch (error) {
      thrown = error;
    } finally {
      current.stream.destroy();
    }
    if (received >= opened.bytes) return;
    failures += 1;
    if (failures >= timing.attempts) throw errorOf(failureOf(thrown), place);
    await timing.pause(timing.pauseMs * failures);
    const next = await reopen(received, opened.tag);
    if (next === null) throw new Error('an object was replaced or removed while it was read');
    current = next;
  }
}
