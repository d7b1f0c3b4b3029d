import { createHash, randomUUID } from 'node:crypto';
import { apiError } from '@fossick/base';
import type { ObjectStore } from '@fossick/objects';
import { ByteFields, fieldSize, numberSize } from '@fossick/storage/changes';

/** What a record's name ends in when its body is in an object. */
const IN_OBJECT = '.object';
const POSITION_DIGITS = 20;
const FORMAT = 1;
const encoder = new TextEncoder();

/** Name and body of a record. */
export interface NamedBody {
  readonly name: string;
  readonly body: Uint8Array;
}

/** Where a body is that is no part of its record. */
interface BodyReference {
  readonly key: string;
  readonly size: number;
  readonly sha256: Uint8Array;
}

/** An object that a record refers to is gone, or has other bytes. */
export class LostBodyError extends Error {}

export interface LargeBodiesOptions {
  readonly objects: ObjectStore;
  readonly logName: string;
  /** Longer bodies go into objects. */
  readonly inlineBytesMax: number;
}

/**
 * Bodies of records that are too long for the log: they are put into `data/LOG/POSITION-ID` first, and the record has
 * the key, the size and the hash. The position in the key is that of the node at the time, which is before the record's.
 */
export class LargeBodies {
  private readonly options: LargeBodiesOptions;
  /** Of bodies that were put or got. */
  bytes = 0;

  constructor(options: LargeBodiesOptions) {
    this.options = options;
  }

  /** The record to append. Rejects with ApiError cluster_log_unavailable when the store of objects does not answer. */
  async stored({ name, body }: NamedBody, position: number): Promise<NamedBody> {
    const { objects, logName, inlineBytesMax } = this.options;
    if (body.length <= inlineBytesMax) return { name, body };
    const key = `${dataPrefix(logName)}${String(position).padStart(POSITION_DIGITS, '0')}-${randomUUID()}`;
    try {
      await objects.put(key, body);
    } catch (error) {
      throw Object.assign(apiError('cluster_log_unavailable', 'objects'), { cause: error });
    }
    this.bytes += body.length;
    return { name: name + IN_OBJECT, body: encodeReference({ key, size: body.length, sha256: hashOf(body) }) };
  }

  /** The record with its whole body. Rejects with LostBodyError, and when the store of objects does not answer. */
  async loaded(record: NamedBody): Promise<NamedBody> {
    if (!record.name.endsWith(IN_OBJECT)) return record;
    const { key, size, sha256 } = decodeReference(record.body);
    const found = await this.options.objects.get(key);
    if (found === null) throw new LostBodyError(`the object ${key} is gone, to which the log refers`);
    const body = new Uint8Array(size);
    let at = 0;
    for await (const chunk of found) {
      if (at + chunk.length > size) throw new LostBodyError(`the object ${key} has more than ${size} bytes`);
      body.set(chunk, at);
      at += chunk.length;
    }
    if (at !== size || Buffer.compare(hashOf(body), sha256) !== 0)
      throw new LostBodyError(`the object ${key} is not what was put there`);
    this.bytes += size;
    return { name: record.name.slice(0, -IN_OBJECT.length), body };
  }
}

export function dataPrefix(logName: string): string {
  return `data/${logName}/`;
}

/** The position in the key of such an object. */
export function positionInKey(logName: string, key: string): number {
  return Number(key.slice(dataPrefix(logName).length, dataPrefix(logName).length + POSITION_DIGITS));
}

function encodeReference({ key, size, sha256 }: BodyReference): Uint8Array {
  const name = encoder.encode(key);
  const length = 1 + fieldSize(name) + numberSize(size) + fieldSize(sha256);
  const fields = new ByteFields(new Uint8Array(length), 'a reference to an object');
  fields.putByte(FORMAT);
  fields.put(name);
  fields.putNumber(size);
  fields.put(sha256);
  return fields.all;
}

function decodeReference(bytes: Uint8Array): BodyReference {
  const fields = new ByteFields(bytes, 'a reference to an object');
  const format = fields.takeByte();
  if (format !== FORMAT) throw new RangeError(`a reference to an object has format ${format}, not ${FORMAT}`);
  return { key: fields.takeText(), size: fields.takeNumber(), sha256: fields.take() };
}

function hashOf(body: Uint8Array): Uint8Array {
  return createHash('sha256').update(body).digest();
}
