import { packedBatch, packedContent, unpackedBatch, unpackedContent } from '../task/long-contents.js';
import { fromRoaringBytes, toRoaringBytes } from '../task/roaring.js';
import { packr } from './layout.js';
import { storedContent, storedTask } from './payload-name.js';
import type { LogOperation, TaskEntry, TaskLogRecord } from './records.js';

/**
 * The bytes of a record: u8 format | MessagePack of its entries or operations. Tasks and batches are in the form of
 * their rows. More uids than these are a Roaring bitmap, 2 bytes each and less.
 */
const FORMAT = 1;
const LISTED_UIDS_MAX = 32;

/** The body of a record in a replicated log. O(bytes) */
export function encodeTaskRecord(record: TaskLogRecord): Uint8Array {
  const content: unknown =
    record.kind === 'tasks' ? record.entries.map(packedEntry) : record.operations.map(packedOperation);
  const packed = packr.pack(content);
  const bytes = new Uint8Array(1 + packed.length);
  bytes[0] = FORMAT;
  bytes.set(packed, 1);
  return bytes;
}

/**
 * The record of a body; `kind` is its name in the log. Long settings are parsed on first access, as those of rows are.
 * Throws RangeError for another format.
 */
export function decodeTaskRecord(kind: TaskLogRecord['kind'], bytes: Uint8Array): TaskLogRecord {
  if (bytes[0] !== FORMAT) throw new RangeError(`a record of tasks has format ${bytes[0]}, not ${FORMAT}`);
  const content: unknown = packr.unpack(bytes.subarray(1));
  return kind === 'tasks'
    ? { kind, entries: (content as TaskEntry[]).map(unpackedEntry) }
    : { kind, operations: (content as LogOperation[]).map(unpackedOperation) };
}

function packedEntry(entry: TaskEntry): TaskEntry {
  return { ...entry, content: packedContent(storedContent(entry.content)) };
}

function unpackedEntry(entry: TaskEntry): TaskEntry {
  return { ...entry, content: unpackedContent(entry.content) };
}

function packedOperation(operation: LogOperation): unknown {
  switch (operation.kind) {
    case 'putTask': {
      const task = storedTask(operation.task);
      return { ...operation, task: { ...task, content: packedContent(task.content) } };
    }
    case 'putBatch':
      return { ...operation, batch: packedBatch(operation.batch) };
    case 'changeTasks':
    case 'deleteTasks':
    case 'deleteBatches': {
      const { uids } = operation;
      return uids.length > LISTED_UIDS_MAX ? { ...operation, uids: Uint8Array.from(toRoaringBytes(uids)) } : operation;
    }
    default:
      return operation;
  }
}

function unpackedOperation(operation: LogOperation): LogOperation {
  switch (operation.kind) {
    case 'putTask': {
      const { task } = operation;
      return { ...operation, task: { ...task, content: unpackedContent(task.content) } };
    }
    case 'putBatch':
      return { ...operation, batch: unpackedBatch(operation.batch) };
    case 'changeTasks':
    case 'deleteTasks':
    case 'deleteBatches': {
      const uids: readonly number[] | Uint8Array = operation.uids;
      return uids instanceof Uint8Array ? { ...operation, uids: fromRoaringBytes(uids) } : operation;
    }
    default:
      return operation;
  }
}
