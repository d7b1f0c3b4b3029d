/** Milliseconds since `startedMs` of performance.now(), as answers show them: rounded down. */
export function elapsedMs(startedMs: number): number {
  return Math.max(0, Math.floor(performance.now() - startedMs));
}
