import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { apiError } from '@fossick/base';
import type { ObjectStore } from '@fossick/objects';
import type { PayloadSource, TaskPayload } from '@fossick/tasks';
import { payloadKey } from './payload-key.js';
import { writeWhole } from './whole-file.js';

const POSITION_DIGITS = 20;
const releasePrefix = (logName: string): string => `payloads-released/${logName}/`;
const releaseKey = (logName: string, position: number, id: string): string =>
  `${releasePrefix(logName)}${String(position).padStart(POSITION_DIGITS, '0')}-${id}`;
const releasePosition = (logName: string, key: string): number =>
  Number(key.slice(releasePrefix(logName).length).split('-', 1)[0]);

/** The keys in an object of released payloads. */
async function keysIn(body: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as string[];
}

/** Payloads of tasks as objects `payloads/NAME`, where NAME is that of the payload's file on every node. */
export class PayloadObjects {
  private readonly objects: ObjectStore;

  constructor(objects: ObjectStore) {
    this.objects = objects;
  }

  /**
   * Where every node gets the payload of a task; a large one is an object when it resolves. Rejects with ApiError
   * cluster_log_unavailable when the store does not take it, and with the error of the file when that cannot be read.
   */
  async sourceOf(payload: TaskPayload): Promise<PayloadSource> {
    const { payloadFile } = payload;
    const key = payloadKey(payload);
    if (key === undefined) return { kind: 'inline', bytes: await readFile(payloadFile) };
    const file = createReadStream(payloadFile);
    let unreadable: Error | undefined;
    file.on('error', (error) => {
      unreadable = error;
    });
    try {
      await this.objects.put(key, file);
    } catch (error) {
      throw unreadable ?? Object.assign(apiError('cluster_log_unavailable', 'objects'), { cause: error });
    }
    return { kind: 'object', key };
  }

  /** Gets a payload into its file, which is there as a whole or not at all. */
  async fetch(key: string, file: string): Promise<void> {
    const body = await this.objects.get(key);
    if (body === null) throw new Error(`the payload ${key} is not in the store of objects`);
    await writeWhole(file, body);
  }

  /**
   * No task needs these objects after a position of the log. They stay until the log is trimmed beyond it, so that the
   * database can be restored as it was before; one that stays for longer only costs space.
   */
  async release(logName: string, position: number, keys: readonly string[]): Promise<void> {
    const key = releaseKey(logName, position, randomUUID());
    await this.objects.put(key, Buffer.from(JSON.stringify(keys))).catch(() => undefined);
  }

  /** Removes the objects that were released before a position. */
  async sweep(logName: string, before: number): Promise<void> {
    const due: string[] = [];
    for await (const { key } of this.objects.list(releasePrefix(logName)))
      if (releasePosition(logName, key) < before) due.push(key);
    for (const key of due) {
      const body = await this.objects.get(key);
      for (const payload of body === null ? [] : await keysIn(body)) await this.objects.delete(payload);
      await this.objects.delete(key);
    }
  }
}
