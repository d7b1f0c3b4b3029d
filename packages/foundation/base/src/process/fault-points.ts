import { requiredBuiltIn } from './built-in.js';

/**
 * Named places where tests can make something fail. In production a fault point costs one lookup of an undefined
 * variable. The environment variable `FOSSICK_FAULTS`, which worker threads inherit, enables them:
 *
 *   FOSSICK_FAULTS='store.commit=kill@3,payload.flush=fail:ENOSPC'
 *
 * `POINT:SUBJECT=...` applies only where the code names that subject, for example a task with that metadata. A fault is
 * first reported on stderr, for the test. `bug` makes a deliberate mistake that another test must find (`isPlanted`).
 * `kill` ends the process by SIGKILL, `thread` ends the thread without a message, `hang` blocks it forever, `fail:CODE`
 * throws an error with that system code. `@N` means the Nth time in this thread (1 when absent); `@N+` that time and
 * all later ones. With `FOSSICK_FAULTS_ONCE`, the name of a file that does not exist, only the first of all threads that
 * comes by is struck: it creates the file.
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
  | 'writer.stop'
  | 'searcher.death'
  | 'search.kernel'
  | 'embedding.death'
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

const faults = readFaults(globalThis.process?.env?.['FOSSICK_FAULTS']);
const visits = new Map<FaultPoint, number>();

/**
 * Triggers the fault that a test has requested here, if any. Throws an error with a system `code` for `fail`.
 * `subject`: what is being worked on.
 */
export function faultPoint(point: FaultPoint, subject?: string): void {
  if (faults === undefined) return;
  const fault = faults.get(point);
  if (fault === undefined || fault.action === 'bug' || (fault.subject !== undefined && fault.subject !== subject))
    return;
  const visit = (visits.get(point) ?? 0) + 1;
  visits.set(point, visit);
  if (visit !== fault.at && !(fault.isLasting && visit > fault.at)) return;
  if (!isFirst(process.env['FOSSICK_FAULTS_ONCE'])) return;
  requiredBuiltIn('node:fs').writeSync(STDERR, `fault point ${point}: ${fault.action}\n`);
  if (fault.action === 'kill') process.kill(process.pid, 'SIGKILL');
  else if (fault.action === 'thread') process.exit(1);
  else if (fault.action === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  else {
    const code = fault.action.slice('fail:'.length);
    throw Object.assign(new Error(`${code}: fault point ${point}`), { code });
  }
}

/** Whether faults may strike: always without a file, once with one. */
function isFirst(file: string | undefined): boolean {
  if (file === undefined) return true;
  try {
    const { closeSync, openSync } = requiredBuiltIn('node:fs');
    closeSync(openSync(file, 'wx'));
    return true;
  } catch {
    return false;
  }
}

/** Whether a test has planted a bug here, to check that other tests find it. */
export function isPlanted(point: FaultPoint): boolean {
  return faults?.get(point)?.action === 'bug';
}

/** Throws where the text names no known action, so that a mistyped test cannot pass. */
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
