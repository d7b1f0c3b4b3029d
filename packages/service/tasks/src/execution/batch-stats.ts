import { databaseSizes, formatByteSize } from '@fossick/api';
import { own } from '@fossick/base';
import type { EngineWriter } from '@fossick/index';
import type { WriterWaits } from '@fossick/index/writer';
import { toReadableTime } from '../run/progress.js';
import type { TaskContent } from '../task/content.js';
import type { WorkStats, WriteCongestion } from '../task/task.js';

/** Starts measuring a batch; the returned function gives the stats of the work since. Some 0.1 ms for both. */
export function measureBatch(writer: EngineWriter, contents: readonly TaskContent[]): () => WorkStats {
  const before = contents[0]!;
  // a batch concerns at most one index
  const uid = 'indexUid' in before ? before.indexUid : undefined;
  const sizesBefore = sizesOf(writer, uid);
  const waitsBefore = writer.waits();
  return () => {
    const writeChannelCongestion = congestion(waitsBefore, writer.waits());
    if (uid === undefined) return { writeChannelCongestion };
    const renamed = before.type === 'indexUpdate' ? sizesOf(writer, before.newUid) : {};
    const sizesAfter = Object.keys(renamed).length > 0 ? renamed : sizesOf(writer, uid);
    return { writeChannelCongestion, internalDatabaseSizes: changes(sizesBefore, sizesAfter) };
  };
}

/** Nothing for an index that does not exist or cannot be read: stats must never fail a batch. */
function sizesOf(writer: EngineWriter, uid: string | undefined): Readonly<Record<string, number>> {
  try {
    return uid === undefined ? {} : databaseSizes(writer.tableSizes(uid));
  } catch {
    return {};
  }
}

function congestion(before: WriterWaits, after: WriterWaits): WriteCongestion {
  const attempts = after.handOverCount - before.handOverCount;
  const blocked = after.blockedCount - before.blockedCount;
  return {
    attempts,
    blocking_attempts: blocked,
    blocking_ratio: attempts === 0 ? 0 : Number((blocked / attempts).toFixed(4)),
    waitedForExtraction: toReadableTime(after.extractionMs - before.extractionMs),
    waitedForDisk: toReadableTime(after.diskMs - before.diskMs),
  };
}

/** `1.36 MiB (+4 KiB)` for each table before or after, including unchanged ones. */
function changes(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.keys({ ...after, ...before }).map((name) => {
      const [left = 0, right = 0] = [own(before, name), own(after, name)];
      const sign = right < left ? '-' : '+';
      return [name, `${formatByteSize(right)} (${sign}${formatByteSize(Math.abs(right - left))})`];
    }),
  );
}
