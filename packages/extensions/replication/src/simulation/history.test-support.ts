import { createHash } from 'node:crypto';
import { decodeEntry, firstHash } from '../entries/entry-codec.js';
import type { DataRecord } from '../entries/records.js';
import type { AcceptedEntry } from '../replica/log-state.js';

/** A client's operation. Moments are numbers that rise with each event. */
interface Operation {
  readonly sentAt: number;
  answer?: { readonly at: number; readonly position: number };
  /** Told that it has no effect. */
  isRefused?: boolean;
}

/**
 * What happened in a simulated run, and whether it may have. It knows the log as the store had it, independently of the
 * code that is tested.
 */
export class History {
  /** Descriptions of what must not have happened. */
  readonly faults: string[] = [];
  private moment = 0;
  private readonly operations = new Map<string, Operation>();
  /** Bytes by position, as first created. */
  private readonly log = new Map<number, Uint8Array>();
  /** By position: the entry that nodes applied, and its records' effects. */
  private readonly applied = new Map<number, string>();
  appliedCount = 0;

  /** The store created an entry; creating one again is no entry of the log. */
  noteCreated(position: number, bytes: Uint8Array): void {
    if (!this.log.has(position)) this.log.set(position, bytes);
  }

  noteSent(opId: string): void {
    this.moment += 1;
    if (!this.operations.has(opId)) this.operations.set(opId, { sentAt: this.moment });
  }

  noteAnswer(opId: string, position: number): void {
    this.moment += 1;
    const operation = this.operations.get(opId);
    if (operation === undefined) return;
    const { answer } = operation;
    if (answer === undefined) operation.answer = { at: this.moment, position };
    else if (answer.position !== position)
      this.faults.push(`${opId} was answered with ${answer.position}, ${position}`);
  }

  noteRefused(opId: string): void {
    const operation = this.operations.get(opId);
    if (operation !== undefined) operation.isRefused = true;
  }

  /** A node whose last applied entry is `last` applied an entry. */
  noteApplied(node: string, last: number, entry: AcceptedEntry): void {
    this.appliedCount += 1;
    const { position } = entry;
    if (position !== last + 1) this.faults.push(`${node} applied ${position} after ${last}`);
    const effects = entry.records.map(({ effect }) => effect.kind).join(' ');
    const text = `${entry.id}: ${effects}`;
    const known = this.applied.get(position);
    if (known === undefined) this.applied.set(position, text);
    else if (known !== text) this.faults.push(`${node} applied ${text} at ${position}, another node ${known}`);
  }

  get answeredCount(): number {
    return [...this.operations.values()].filter(({ answer }) => answer !== undefined).length;
  }

  get length(): number {
    return this.log.size;
  }

  /** Checks the whole run, after it. */
  check(logName: string): readonly string[] {
    const positions = this.checkLog(logName);
    for (const [opId, { answer, isRefused }] of this.operations) {
      const found = positions.get(opId);
      if (isRefused === true && found !== undefined) this.faults.push(`${opId} was refused and is at ${found}`);
      if (answer !== undefined && found !== answer.position) {
        this.faults.push(`${opId} was answered with ${answer.position} and is at ${found ?? 'no position'}`);
      }
    }
    this.checkOrder(positions);
    return this.faults;
  }

  /** Positions of operations that took effect, by a fold of its own over the log. */
  private checkLog(logName: string): Map<string, number> {
    const positions = new Map<string, number>();
    let previous = firstHash(logName);
    let leader: { readonly epoch: number; readonly id: string | null } = { epoch: 0, id: null };
    for (let position = 1; position <= this.log.size; position++) {
      const bytes = this.log.get(position);
      if (bytes === undefined) {
        this.faults.push(`the log has no entry ${position}`);
        break;
      }
      const entry = decodeEntry(bytes);
      if (Buffer.compare(entry.previous, previous) !== 0) this.faults.push(`entry ${position} breaks the chain`);
      previous = createHash('sha256').update(bytes).digest();
      const effects: string[] = [];
      for (const record of entry.records) {
        let isApplied: boolean;
        if (record.kind === 'lead') {
          isApplied = record.epoch === leader.epoch + 1;
          if (isApplied) leader = { epoch: record.epoch, id: record.node.id };
        } else if (record.kind === 'resign' || record.kind === 'format') {
          isApplied = record.epoch === leader.epoch && leader.id !== null;
          if (isApplied && record.kind === 'resign') leader = { epoch: leader.epoch, id: null };
        } else {
          const isFenced = record.epoch !== null && (record.epoch !== leader.epoch || leader.id === null);
          isApplied = !isFenced && !positions.has(record.opId);
          if (isApplied) positions.set(record.opId, position);
          effects.push(isApplied ? 'applied' : isFenced ? 'fenced' : 'duplicate');
          if (isApplied) this.checkAuthor(record, position, leader);
          continue;
        }
        effects.push(isApplied ? 'applied' : 'fenced');
      }
      const known = this.applied.get(position);
      const text = `${entry.id}: ${effects.join(' ')}`;
      if (known !== undefined && known !== text) this.faults.push(`nodes applied ${known} at ${position}, not ${text}`);
    }
    for (const position of this.applied.keys()) {
      if (!this.log.has(position)) this.faults.push(`nodes applied ${position}, which the log does not have`);
    }
    return positions;
  }

  /** Commits say in their body who wrote them, in which epoch. */
  private checkAuthor(
    record: DataRecord,
    position: number,
    leader: { readonly epoch: number; readonly id: string | null },
  ): void {
    if (record.name !== 'commit') return;
    const author = Buffer.from(record.body).toString();
    const expected = `${leader.epoch} ${leader.id}`;
    if (author !== expected) this.faults.push(`a commit of ${author} took effect at ${position}, under ${expected}`);
  }

  /** What was answered before another operation was sent comes before it. */
  private checkOrder(positions: ReadonlyMap<string, number>): void {
    const events: { readonly at: number; readonly answered?: number; readonly sent?: number }[] = [];
    for (const [opId, { sentAt, answer }] of this.operations) {
      const position = positions.get(opId);
      if (position !== undefined) events.push({ at: sentAt, sent: position });
      if (answer !== undefined) events.push({ at: answer.at, answered: answer.position });
    }
    let highest = 0;
    for (const { answered, sent } of events.sort((left, right) => left.at - right.at)) {
      if (answered !== undefined) highest = Math.max(highest, answered);
      if (sent !== undefined && sent <= highest) {
        this.faults.push(`an operation at ${sent} was sent after one at ${highest} had been answered`);
      }
    }
  }
}
