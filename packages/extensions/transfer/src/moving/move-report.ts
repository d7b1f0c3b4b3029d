/** Lines on a terminal are redrawn at most this often, in milliseconds. */
const DRAW_MS = 100;
/** In a log a line of progress is written at most this often, in milliseconds. */
const LINE_MS = 10_000;
const BAR_CHARS = 28;
const NAME_CHARS = 24;

/** The output of a move: a terminal, or a log. */
export interface ReportStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The result of moving one index. */
export interface MovedIndex {
  readonly uid: string;
  readonly sourceCount: number;
  readonly targetCount: number;
  /** Documents that were there already, from an earlier run. */
  readonly alreadyMovedCount: number;
}

/** Reports the progress of a move, and collects the messages for its end. */
export class MoveReport {
  private readonly stream: ReportStream;
  private readonly problems: string[] = [];
  private readonly notes: string[] = [];
  private readonly indexes: MovedIndex[] = [];
  private readonly counts: { readonly what: string; readonly moved: number; readonly of: number }[] = [];
  private lastMs = 0;
  private startedMs = 0;
  private startedAt = 0;

  constructor(stream: ReportStream) {
    this.stream = stream;
  }

  /** Something was not moved, or not exactly: the move is incomplete. */
  problem(text: string): void {
    this.problems.push(text);
  }
  /** Something to know or to do, without a failure. */
  note(text: string): void {
    if (!this.notes.includes(text)) this.notes.push(text);
  }
  get problemCount(): number {
    return this.problems.length;
  }

  line(text: string): void {
    this.clear();
    this.stream.write(`${text}\n`);
  }

  /** Documents of an index follow, `done` of which are there already. */
  begin(done: number): void {
    this.startedMs = Date.now();
    this.startedAt = done;
    this.lastMs = 0;
  }
  progress(uid: string, done: number, total: number): void {
    const now = Date.now();
    const isTerminal = this.stream.isTTY === true;
    if (now - this.lastMs < (isTerminal ? DRAW_MS : LINE_MS) && !(isTerminal && done === total)) return;
    // the first line of a log has reported the starting point already
    const isFirst = this.lastMs === 0;
    this.lastMs = now;
    const perSecond = Math.round(((done - this.startedAt) * 1000) / Math.max(now - this.startedMs, 1));
    const figures = `${grouped(done)}/${grouped(total)} documents, ${grouped(perSecond)} a second`;
    if (!isTerminal) {
      if (!isFirst) this.stream.write(`${uid}: ${figures}\n`);
      return;
    }
    const filled = total === 0 ? BAR_CHARS : Math.round((Math.min(done, total) / total) * BAR_CHARS);
    const name = uid.length > NAME_CHARS ? `${uid.slice(0, NAME_CHARS - 1)}…` : uid.padEnd(NAME_CHARS);
    const bar = `${'#'.repeat(filled)}${'.'.repeat(BAR_CHARS - filled)}`;
    this.stream.write(`\r\x1b[K${`${name} [${bar}] ${figures}`.slice(0, (this.stream.columns ?? 120) - 1)}`);
  }

  index(moved: MovedIndex): void {
    this.indexes.push(moved);
  }
  count(what: string, moved: number, of: number): void {
    if (of > 0) this.counts.push({ what, moved, of });
  }

  /** The final report: counts side by side, then what was not moved, then notes. */
  summary(heading: string): string {
    const lines = [heading];
    if (this.indexes.length > 0) {
      const width = Math.max(5, ...this.indexes.map(({ uid }) => uid.length));
      lines.push('', `  ${'index'.padEnd(width)}  ${'source'.padStart(12)}  ${'target'.padStart(12)}`);
      for (const { uid, sourceCount, targetCount, alreadyMovedCount } of this.indexes) {
        const already = alreadyMovedCount === 0 ? '' : `   (${grouped(alreadyMovedCount)} were there)`;
        const figures = `${grouped(sourceCount).padStart(12)}  ${grouped(targetCount).padStart(12)}`;
        lines.push(`  ${uid.padEnd(width)}  ${figures}${sourceCount === targetCount ? '' : '   DIFFERS'}${already}`);
      }
    }
    if (this.counts.length > 0)
      lines.push('', ...this.counts.map(({ what, moved, of }) => `  ${what}: ${grouped(moved)} of ${grouped(of)}`));
    if (this.problems.length > 0) lines.push('', 'Not moved, or not as it was:', ...this.problems.map(item));
    if (this.notes.length > 0) lines.push('', 'To know:', ...this.notes.map(item));
    this.clear();
    return `${lines.join('\n')}\n`;
  }

  private clear(): void {
    if (this.stream.isTTY === true) this.stream.write('\r\x1b[K');
  }
}

function item(text: string): string {
  return `  - ${text}`;
}
/** 1,234,567 */
function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
