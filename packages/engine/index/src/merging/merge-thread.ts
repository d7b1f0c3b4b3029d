/**
 * The thread that merges large segments for the writer: it reads their rows from the store and sends back the rows of
 * the merged segment.
 */
import { existsSync } from 'node:fs';
import { collectGarbage, faultPoint } from '@fossick/base';
import { decodeDocSet, rowsOf } from '@fossick/format';
import { createKernel } from '@fossick/kernel';
import { CountedMemory, MergeAccount, sleep, UNCOUNTED } from '@fossick/kernel/memory';
import { openLmdbStore } from '@fossick/storage';
import { announceThread, ownThread, PipeAbandoned, PipeWriter } from '@fossick/threads/own';
import { MERGED, type MergeStart } from './merge-in-thread.js';
import { mergeSegments } from './merge-segments.js';

/**
 * Garbage is collected after steps that wrote this much, such as a column, and after this much of smaller ones: it is
 * memory outside of V8's heap, of which V8 would keep some 100 MiB.
 */
const [COLLECTED_STEP_BYTES, COLLECTED_BYTES] = [4 << 20, 16 << 20];

const { folder, target, manifest, sources, pipe, account } = ownThread<MergeStart>().start;
announceThread([pipe]);
const out = new PipeWriter(pipe, undefined, true);

function send(kind: number, body: Uint8Array): void {
  out.frame(kind, body.length);
  out.write(body);
  out.flush();
}

// the index may have been deleted meanwhile: opening its store would create the folder again
if (!existsSync(folder)) process.exit(0);
const store = openLmdbStore({ folder });
try {
  const rows = rowsOf(store);
  const kernel = createKernel();
  const wait = (milliseconds: number): void => {
    out.checkWanted();
    sleep(milliseconds);
  };
  const memory = account === undefined ? undefined : new CountedMemory(kernel, new MergeAccount(account), wait);
  const steps = mergeSegments(
    kernel,
    {
      get: (table, key) => {
        out.checkWanted();
        return rows.get(table, key);
      },
      read: (table, key, use) => {
        out.checkWanted();
        return rows.read(table, key, use);
      },
      put: (_table, key, value) => {
        out.frame(MERGED.row, 1 + key.length + value.length);
        out.write(Uint8Array.of(key.length));
        out.write(key);
        out.write(value);
        // a finished row is sent at once, because the next one may take long
        out.flush();
      },
    },
    {
      target,
      manifest,
      sources: sources.map(({ info, deletedDocs }) => ({ info, deletedDocs: decodeDocSet(deletedDocs) })),
    },
    memory ?? UNCOUNTED,
  );
  for (let sinceCollected = 0; ; ) {
    const { done, value } = steps.next();
    faultPoint('merge.death');
    if (done === true) {
      send(MERGED.done, Buffer.from(JSON.stringify(value)));
      break;
    }
    out.flush();
    sinceCollected += value;
    if (value >= COLLECTED_STEP_BYTES || sinceCollected >= COLLECTED_BYTES) {
      collectGarbage();
      sinceCollected = 0;
    }
    memory?.settle();
  }
} catch (error) {
  if (!(error instanceof PipeAbandoned))
    send(MERGED.fault, Buffer.from(error instanceof Error ? (error.stack ?? error.message) : String(error)));
} finally {
  void store.close();
}
