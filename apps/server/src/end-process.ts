/** How long a process that has finished its work may take to end by itself, in milliseconds. */
const ENDING_MS = 5_000;

/**
 * Ends the process with a code as soon as nothing is open. It is not ended by `process.exit`, because that waits for
 * V8's compiler threads, which wait for a garbage collection by the thread that called it when their memory is full: on
 * Node 24 some exits never returned (https://github.com/nodejs/node/issues/54918). A process that ends by itself tears
 * down its heap first, which releases these threads. `process.exit` remains for a handle that was left open.
 */
export function endProcess(code: number): void {
  process.exitCode = code;
  setTimeout(() => process.exit(code), ENDING_MS).unref();
}
