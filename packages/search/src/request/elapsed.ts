/** Milliseconds since `startedMs` of performance.now(), as answers tell them: whole and rounded down. */
export function elapsedMs(startedMs: number): number {
  return Math.max(0, Math.floor(performance.now() - startedMs));
}
