import { writeSync } from 'node:fs';

/**
 * Named places where the world may go wrong, so that tests can make it go wrong there. In production a fault point costs one lookup of an
 * undefined variable. Switched on by the environment variable `FOSSICK_FAULTS`, which worker threads inherit:
 *
 *   FOSSICK_FAULTS='store.commit=kill@3,payload.flush=fail:ENOSPC'
 *
 * `POINT:SUBJECT=...` counts and strikes only where the code says that it is at work on that subject, say a task of that metadata.
 * What strikes says so on stderr first, so that a test knows. `bug` makes a wrong turn that a test of the whole has to find (`isPlanted`).
 * `kill` ends the process by SIGKILL, `thread` ends the thread without a word, `hang` stops it for good, `fail:CODE` throws an error with that system code. `@N` waits for the
 * Nth time this thread comes by (1 when absent); `@N+` means that time and every later one.
 */
export type FaultPoint =
  | 'store.commit'
  | 'store.committed'
  | 'store.open'
  | 'store.look'
  | 'payload.flush'
  | 'rename'
  | 'renamed'
  | 'copy.made'
  | 'copy.named'
  | 'copy.adopting'
  | 'copy.adopted'
  | 'writer.death'
  | 'searcher.death'
  | 'search.kernel'
  | 'extraction.start'
  | 'extraction.death'
  | 'merge.death'
  | 'merge.piece'
  | 'merge.committed'
  | 'merge.left'
  | 'receipts.read';

const STDERR = 2;

interface Fault {
  readonly subject: string | undefined;
  readonly action: string;
  readonly at: number;
  readonly isLasting: boolean;
}

const faults = readFaults(process.env['FOSSICK_FAULTS']);
const visits = new Map<FaultPoint, number>();

/** Does here what a test asked for, nothing otherwise. Throws an error with a system `code` where the fault says `fail`. `subject`: what is being worked on. */
export function faultPoint(point: FaultPoint, subject?: string): void {
  if (faults === undefined) return;
  const fault = faults.get(point);
  if (fault === undefined || fault.action === 'bug' || (fault.subject !== undefined && fault.subject !== subject))
    return;
  const visit = (visits.get(point) ?? 0) + 1;
  visits.set(point, visit);
  if (visit !== fault.at && !(fault.isLasting && visit > fault.at)) return;
  writeSync(STDERR, `fault point ${point}: ${fault.action}\n`);
  if (fault.action === 'kill') process.kill(process.pid, 'SIGKILL');
  else if (fault.action === 'thread') process.exit(1);
  else if (fault.action === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  else {
    const code = fault.action.slice('fail:'.length);
    throw Object.assign(new Error(`${code}: fault point ${point}`), { code });
  }
}

/** Whether a test planted a bug here, to see that other tests find it. */
export function isPlanted(point: FaultPoint): boolean {
  return faults?.get(point)?.action === 'bug';
}

/** Throws where the text names no known action: a test that switches nothing on must not pass. */
function readFaults(text: string | undefined): ReadonlyMap<string, Fault> | undefined {
  if (text === undefined || text === '') return undefined;
  return new Map(
    text.split(',').map((one) => {
      const match = /^([a-z.]+)(?::([\w-]+))?=(kill|thread|hang|bug|fail:[A-Z]+)(?:@(\d+)(\+?))?$/.exec(one);
      if (match === null) throw new Error(`FOSSICK_FAULTS: cannot read \`${one}\``);
      const [, point, subject, action, at, lasting] = match;
      return [point!, { subject, action: action!, at: Number(at ?? 1), isLasting: lasting === '+' }];
    }),
  );
}
