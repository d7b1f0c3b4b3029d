import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { LOG_LEVELS } from '@fossick/api';
import { OpenAnswers } from '../http/answers/open-answers.js';

/** Bytes that a listener has not read; above this its stream is ended. */
const UNREAD_BYTES_MAX = 1 << 20;
const LINE_LEVEL = /"level":(\d+)/;

/** The form of the lines in a stream. */
export type LogMode = 'human' | 'json' | 'profile';

interface Listener {
  readonly stream: Writable;
  readonly level: number;
  readonly mode: LogMode;
  /** Asked before each line. */
  readonly mayListen?: () => boolean;
}

/** The outputs of the log: always stderr, and at most one listener. Each has a level of its own. */
export class LogTap {
  private readonly stderr: Writable;
  private readonly stderrMode: LogMode;
  private readonly answers = new OpenAnswers();
  private stderrLevel: number;
  private listener: Listener | undefined;

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
    this.broadcast(level, line);
  }
  setStderrLevel(level: number): void {
    this.stderrLevel = level;
  }
  /** An answered request: written only to the listener, because stderr is for what an operator must see. */
  request(method: string, path: string, statusCode: number, millis: number): void {
    if (!this.isStreaming) return;
    const entry = { level: LOG_LEVELS.info, time: Date.now(), msg: 'HTTP request', method, path, statusCode, millis };
    this.broadcast(LOG_LEVELS.info, `${JSON.stringify(entry)}\n`);
  }
  /** Starts the stream of a listener, which is sent as `answer`; it ends by `close`, or when its reader leaves. */
  open(listener: Listener, answer?: ServerResponse): void {
    if (answer !== undefined) this.answers.add(answer);
    const { stream } = listener;
    this.listener = listener;
    stream.once('close', () => {
      if (this.listener?.stream === stream) this.listener = undefined;
    });
  }
  /** Ends the stream of the listener, or only this one if it is the listener's. */
  close(stream = this.listener?.stream): void {
    if (this.listener?.stream !== stream) return;
    this.listener = undefined;
    stream?.end();
  }
  /** Ends the stream, and resolves when no answer is open any more, including those of streams closed before. */
  async stop(): Promise<void> {
    this.close();
    await this.answers.ended();
  }

  private broadcast(level: number, line: string): void {
    if (this.listener === undefined || level < this.listener.level) return;
    const { stream, mode, mayListen } = this.listener;
    if (mayListen?.() === false) return this.close(stream);
    // its reader is too slow: the lines would accumulate as long as the server runs
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
  const [name] = Object.entries(LOG_LEVELS).find(([, number]) => number === level) ?? ['info'];
  const members = Object.entries(rest).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  return `${new Date(Number(time)).toISOString()} ${name.toUpperCase()} ${String(msg)}${members.join('')}\n`;
}
