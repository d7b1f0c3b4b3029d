import { encodeTaskRecord, type NewTask, payloadOf, type TaskEntry, type TaskLog } from '@fossick/tasks';
import type { PayloadObjects } from '../objects/payload-objects.js';

/** Bytes of a record from which on tasks that were requested together are divided. */
const RECORD_BYTES = 1 << 20;

/** An encoded record, or why tasks cannot be registered; for consecutive tasks of a call. */
export type MadeRecord =
  | { readonly count: number; readonly body: Uint8Array }
  | { readonly refusals: readonly unknown[] };

/** Makes records of new tasks, whose payloads it puts where every node can get them. */
export class TaskRecords {
  private readonly log: TaskLog;
  private readonly payloads: PayloadObjects;

  constructor(log: TaskLog, payloads: PayloadObjects) {
    this.log = log;
    this.payloads = payloads;
  }

  /** Records in the order of the entries. A task that is refused does not prevent the others. */
  async make(entries: readonly NewTask[]): Promise<MadeRecord[]> {
    const sources = await Promise.allSettled(entries.map((entry) => this.entryOf(entry)));
    const made: MadeRecord[] = [];
    let together: TaskEntry[] = [];
    const end = (): void => {
      if (together.length > 0) made.push(...this.encoded(together));
      together = [];
    };
    for (const source of sources) {
      if (source.status === 'fulfilled') {
        together.push(source.value);
        continue;
      }
      end();
      made.push({ refusals: [source.reason] });
    }
    end();
    return made;
  }

  private async entryOf(entry: NewTask): Promise<TaskEntry> {
    this.log.checkAccepts([entry]);
    const [recorded] = this.log.record([entry]).entries;
    const payload = payloadOf(entry.content);
    return payload === undefined ? recorded! : { ...recorded!, payload: await this.payloads.sourceOf(payload) };
  }

  private encoded(entries: readonly TaskEntry[]): MadeRecord[] {
    const body = encodeTaskRecord({ kind: 'tasks', entries });
    if (body.length <= RECORD_BYTES || entries.length === 1) return [{ count: entries.length, body }];
    const half = entries.length >> 1;
    return [...this.encoded(entries.slice(0, half)), ...this.encoded(entries.slice(half))];
  }
}
