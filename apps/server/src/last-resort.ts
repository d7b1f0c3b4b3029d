/**
 * Handles uncaught errors. A rejection or an exception in a timer affects only the request or the timer that it comes
 * from; other requests continue, so the process continues and logs the error.
 */
export function outliveFaults(report: (error: unknown) => void): void {
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
  // The reader of the log may disappear: reporting that would fail as well.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
