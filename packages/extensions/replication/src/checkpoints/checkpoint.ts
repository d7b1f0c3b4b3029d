import { createHash } from 'node:crypto';
import { bytesOf, checkKey, type ObjectStore } from '@fossick/objects';
import { DamagedCheckpointError } from '../log-errors.js';

/** Digits of a position in a key: keys are in the order of the numbers. */
const POSITION_DIGITS = 20;
const PART_DIGITS = 8;
const FORMAT = 1;
/** 100,000 parts of 64 MiB are 6 TiB; an entry of the manifest has less than 160 bytes. */
const MANIFEST_BYTES_MAX = 16 << 20;
const SUM_DIGITS = 64;
/** The name of the manifest; no writer has it. */
const MANIFEST = 'manifest';

/** Which checkpoint. */
export interface CheckpointName {
  readonly log: string;
  /** The last position of the log whose effects are in the rows. */
  readonly position: number;
  /** The store whose rows it has. */
  readonly store: string;
}

export interface CheckpointPart {
  readonly key: string;
  readonly bytes: number;
  readonly rows: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/**
 * All rows of one commit of a store, as objects:
 *
 *     checkpoints/LOG/00000000000000000120/STORE/WRITER/00000000   rows in key order, table by table
 *     checkpoints/LOG/00000000000000000120/STORE/manifest          the keys and SHA-256 sums of the parts
 *
 * The manifest is created if absent after all parts: there is a checkpoint as soon as there is its manifest. Parts have
 * the id of their writer in the key, so nodes that write the same checkpoint at a time do not touch one another's.
 */
export interface Checkpoint extends CheckpointName {
  /** Also those without rows. */
  readonly tables: readonly string[];
  readonly parts: readonly CheckpointPart[];
}

/** Keys of everything of a checkpoint begin so. */
function checkpointPrefix({ log, position, store }: CheckpointName): string {
  return `checkpoints/${log}/${String(position).padStart(POSITION_DIGITS, '0')}/${store}/`;
}

export function manifestKey(name: CheckpointName): string {
  return `${checkpointPrefix(name)}${MANIFEST}`;
}

/** @param number 0 for the first part */
export function partKey(name: CheckpointName, writer: string, number: number): string {
  return `${checkpointPrefix(name)}${writer}/${String(number).padStart(PART_DIGITS, '0')}`;
}

/** Throws RangeError for names that would not be one part of a key each. */
export function checkNames(name: CheckpointName, writer: string): void {
  for (const one of [name.log, name.store, writer]) {
    checkKey(one);
    if (one.includes('/')) throw new RangeError(`no name of one part: ${one}`);
  }
  if (writer === MANIFEST) throw new RangeError(`a writer must not be called ${MANIFEST}`);
}

/** The bytes of a manifest. */
export function encodeManifest(checkpoint: Checkpoint): Uint8Array {
  return encodeSummed({ format: FORMAT, ...checkpoint });
}

/** The bytes of an object that describes a checkpoint: the SHA-256 of the rest in hexadecimal, a line feed, JSON. */
export function encodeSummed(content: { readonly format: number }): Uint8Array {
  const json = JSON.stringify(content);
  return Buffer.from(`${sumOf(json)}\n${json}`);
}

/** The checkpoint of that name, or null when there is none. Throws DamagedCheckpointError. */
export async function readCheckpoint(objects: ObjectStore, name: CheckpointName): Promise<Checkpoint | null> {
  return await readSummed(objects, manifestKey(name), FORMAT, MANIFEST_BYTES_MAX);
}

/**
 * What `encodeSummed` made an object of, without its format; null when the object is gone. Throws DamagedCheckpointError for other bytes,
 * another format, and more than `bytesMax`.
 */
export async function readSummed<T>(
  objects: ObjectStore,
  key: string,
  format: number,
  bytesMax: number,
): Promise<T | null> {
  const body = await objects.get(key);
  if (body === null) return null;
  const bytes = await bytesOf(body, bytesMax).catch((error: unknown) => {
    throw error instanceof RangeError ? new DamagedCheckpointError(key, `has more than ${bytesMax} bytes`) : error;
  });
  const text = Buffer.from(bytes).toString('utf8');
  const json = text.slice(SUM_DIGITS + 1);
  if (text.slice(0, SUM_DIGITS + 1) !== `${sumOf(json)}\n`) throw new DamagedCheckpointError(key, 'has another sum');
  const { format: found, ...content } = JSON.parse(json) as T & { readonly format: number };
  if (found !== format) throw new DamagedCheckpointError(key, `has format ${found}, not ${format}`);
  return content as T;
}

/** Checkpoints of a log by position, then store. Reads keys only; O(parts) */
export async function* listCheckpoints(objects: ObjectStore, log: string): AsyncGenerator<CheckpointName> {
  const prefix = `checkpoints/${log}/`;
  for await (const { key } of objects.list(prefix)) {
    const [position, store, last, ...others] = key.slice(prefix.length).split('/');
    if (last !== MANIFEST || others.length > 0 || store === undefined) continue;
    yield { log, position: Number(position), store };
  }
}

/** Removes a checkpoint, also one that was not finished. The manifest first: what remains is no checkpoint. */
export async function deleteCheckpoint(objects: ObjectStore, name: CheckpointName): Promise<void> {
  await objects.delete(manifestKey(name));
  for await (const { key } of objects.list(checkpointPrefix(name))) await objects.delete(key);
}

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
