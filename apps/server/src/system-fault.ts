/** Codes of failed system calls that the operator can do something about. */
const SYSTEM_FAULT = /^E[A-Z0-9]+$/;

/** What is wrong with a path, and what to do, by the code of the system. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'it is not there, or a link to it leads nowhere: bring it back, or name another path'],
  ['ENOTDIR', 'a part of it is a file and no folder: move that file away, or name another path'],
  ['EISDIR', 'it is a folder and no file: move that folder away, or name another path'],
  ['ELOOP', 'it is a link that leads to itself: bring back what it should lead to, or name another path'],
  ['EACCES', 'the user of the server may not: give it to that user, or name another path'],
  ['EPERM', 'the user of the server may not: give it to that user, or name another path'],
  ['EROFS', 'its disk can only be read: make it writable, or name another path'],
  ['ENOSPC', 'its disk is full: free some space, or name another path'],
  ['EDQUOT', 'the quota of the user is used up: free some space, or name another path'],
]);

/** A sentence for the terminal about a failed system call, with the path if there is one; undefined for any other error. */
export function systemFaultSentence(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === undefined || !SYSTEM_FAULT.test(code)) return undefined;
  const advice = ADVICE.get(code);
  if (path === undefined || advice === undefined) return error.message.split('\n', 1)[0];
  return `${path} cannot be used (${code}), ${advice}`;
}
