import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { own } from '@fossick/base';
import { OpenAnswers } from '../http/open-answers.js';

/** Log levels with the numbers that log lines carry. */
const LEVELS: Readonly<Record<string, number>> = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, off: Infinity };
/** Lines that a listener has yet to take; one that leaves more than this lying is sent away. */
const UNREAD_BYTES_MAX = 1 << 20;
const LINE_LEVEL = /"level":(\d+)/;

/** How a stream shows its lines. */
export type LogMode = 'human' | 'json' | 'profile';

/**
 * The lowest level number a log target lets through, or undefined when it cannot be read: a comma list of `level` or `module=level`. This server's log has no
 * modules, so that the widest entry decides.
 */
export function parseLogTarget(target: string): number | undefined {
  const levels = target.split(',').map((entry) => own(LEVELS, (entry.split('=').at(-1) ?? '').trim().toLowerCase()));
  return levels.includes(undefined) ? undefined : Math.min(...(levels as number[]));
}

/** Where the log goes: always to stderr, and to at most one listener. Each has a level of its own. */
export class LogTap {
  private readonly stderr: Writable;
  private readonly stderrMode: LogMode;
  private readonly answers = new OpenAnswers();
  private stderrLevel: number;
  private listener: { readonly stream: Writable; readonly level: number; readonly mode: LogMode } | undefined;

  constructor(stderr: Writable, level: number, mode: LogMode = 'json') {
    this.stderr = stderr;
    this.stderrLevel = level;
    this.stderrMode = mode;
  }
  get isStreaming(): boolean {
    return this.listener !== undefined;
  }
  /** Takes one JSON line of the log. */
  write(line: string): void {
    const level = Number(LINE_LEVEL.exec(line)?.[1] ?? 30);
    if (level >= this.stderrLevel) this.stderr.write(this.stderrMode === 'human' ? humanLine(line) : line);
    this.tell(level, line);
  }
  setStderrLevel(level: number): void {
    this.stderrLevel = level;
  }
  /** A request that was answered: told to the listener only, as stderr holds what an operator has to see. */
  request(method: string, path: string, statusCode: number, millis: number): void {
    if (!this.isStreaming) return;
    const entry = { level: LEVELS.info, time: Date.now(), msg: 'HTTP request', method, path, statusCode, millis };
    this.tell(LEVELS.info!, `${JSON.stringify(entry)}\n`);
  }
  /** Starts the stream of a listener, which `answer` carries to it; it ends with `close`, or when its reader leaves. */
  open(stream: Writable, level: number, mode: LogMode, answer?: ServerResponse): void {
    if (answer !== undefined) this.answers.add(answer);
    this.listener = { stream, level, mode };
    stream.once('close', () => {
      if (this.listener?.stream === stream) this.listener = undefined;
    });
  }
  close(): void {
    this.listener?.stream.end();
    this.listener = undefined;
  }
  /** Ends the stream, and resolves when nobody's answer is open any more, those of streams that were closed before included. */
  async stop(): Promise<void> {
    this.close();
    await this.answers.ended();
  }

  private tell(level: number, line: string): void {
    if (this.listener === undefined || level < this.listener.level) return;
    const { stream, mode } = this.listener;
    // nobody reads it: the lines would pile up for as long as the server runs
    if (stream.writableLength > UNREAD_BYTES_MAX) {
      this.listener = undefined;
      stream.destroy();
      return;
    }
    stream.write(mode === 'human' ? humanLine(line) : line);
  }
}

/** `time LEVEL message key=value …`. */
function humanLine(line: string): string {
  const { level, time, msg, pid: _pid, hostname: _host, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const name = Object.keys(LEVELS).find((each) => own(LEVELS, each) === level) ?? 'info';
  const members = Object.entries(rest).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  return `${new Date(Number(time)).toISOString()} ${name.toUpperCase()} ${String(msg)}${members.join('')}\n`;
}
