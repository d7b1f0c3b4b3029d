import type { OperatorLog } from '@fossick/runtime/extension';

/** For those who have something to tell before there is a log: their lines are kept until `open`. */
export class EarlyLog implements OperatorLog {
  private log: OperatorLog | undefined;
  private readonly waiting: ((log: OperatorLog) => void)[] = [];

  info(facts: object, message: string): void {
    this.write((log) => log.info(facts, message));
  }
  warn(message: string): void {
    this.write((log) => log.warn(message));
  }
  error(message: string): void {
    this.write((log) => log.error(message));
  }

  open(log: OperatorLog): void {
    this.log = log;
    for (const line of this.waiting.splice(0)) line(log);
  }

  private write(line: (log: OperatorLog) => void): void {
    if (this.log === undefined) this.waiting.push(line);
    else line(this.log);
  }
}
