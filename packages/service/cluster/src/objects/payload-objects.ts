import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { apiError } from '@fossick/base';
import type { ObjectStore } from '@fossick/replication';
import type { PayloadSource, TaskPayload } from '@fossick/tasks';

import { payloadKey } from './payload-key.js';

const UNFINISHED = '.partial';

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
    const unfinished = `${file}${UNFINISHED}`;
    try {
      await pipeline(Readable.from(body), createWriteStream(unfinished));
      await rename(unfinished, file);
    } finally {
      await rm(unfinished, { force: true });
    }
  }

  /** Removes objects that no task needs any more; one that stays only costs space. */
  async drop(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.objects.delete(key).catch(() => undefined);
  }
}
