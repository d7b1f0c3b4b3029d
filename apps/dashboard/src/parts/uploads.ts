import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { countOf } from './figures/numbers.js';
import { followTask, sendFile, type Target } from './send-file.js';

/** A file on its way into an index. */
export interface UploadState {
  readonly file: File;
  readonly uid: string;
  readonly phase: 'sending' | 'indexing' | 'done' | 'failed';
  /** 0 to 100, of the phase. */
  readonly percentage: number;
  readonly message: string;
  /** The tasks that left documents out: a large file has several tasks. */
  readonly faultyTasks?: readonly number[];
  readonly taskUid?: number;
}

/** The uploads of a form. `targetOf`: the index of a file, and how its documents are added. */
export function useUploads(targetOf: (file: File) => Target) {
  const [uploads, setUploads] = useState<readonly UploadState[]>([]);
  const queries = useQueryClient();
  /** Sends a file and follows its task; shows it at this place of the list. */
  const send = async (file: File, at: number): Promise<void> => {
    const show = (state: UploadState): void =>
      setUploads((before) => (at < before.length ? before.with(at, state) : [...before, state]));
    await upload(file, targetOf(file), show);
    await queries.invalidateQueries();
  };
  /** Sends files one after the other. */
  const take = async (files: readonly File[]): Promise<void> => {
    for (const file of files) await send(file, uploads.length + files.indexOf(file));
  };
  return { uploads, send, take };
}

async function upload(file: File, target: Target, onChange: (state: UploadState) => void): Promise<void> {
  const start: UploadState = { file, uid: target.uid, phase: 'sending', percentage: 0, message: '' };
  onChange(start);
  try {
    const receipts = await sendFile(file, target, (share) => onChange({ ...start, percentage: share * 100 }));
    const indexing = { ...start, phase: 'indexing' as const, taskUid: receipts.at(-1)!.taskUid };
    let count = 0;
    const faultyTasks: number[] = [];
    for (const [at, { taskUid }] of receipts.entries()) {
      const show = (percentage: number): void =>
        onChange({ ...indexing, taskUid, percentage: (at * 100 + percentage) / receipts.length });
      show(0);
      const task = await followTask(taskUid, show);
      if (task.error !== null || task.status !== 'succeeded')
        return onChange({
          ...{ ...indexing, taskUid, phase: 'failed' },
          message: task.error?.message ?? `The task was ${task.status}.`,
        });
      if (Number(task.details?.['failedDocuments'] ?? 0) > 0) faultyTasks.push(taskUid);
      count += Number(task.details?.['indexedDocuments'] ?? 0);
    }
    const message = countOf(count, 'document');
    onChange({ ...indexing, phase: 'done', percentage: 100, message, faultyTasks });
  } catch (error) {
    onChange({ ...start, phase: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
}
