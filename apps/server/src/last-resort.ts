/**
 * What nobody has caught. A rejection or an exception out of a timer harms the request or the timer that it comes from; everybody else's
 * requests go on, so the process does, too, and says what it was.
 */
export function outliveFaults(report: (error: unknown) => void): void {
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
  // Whoever reads the log may go away: saying so would end there as well.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
