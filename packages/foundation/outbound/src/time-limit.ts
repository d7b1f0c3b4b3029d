/**
 * Runs work with a signal that is given after `limitMs` milliseconds, with a TimeoutError as AbortSignal.timeout() gives it, or with any of the others.
 * The timer holds its signal until the work has ended: AbortSignal.any() holds signals weakly, and Node clears the timer of AbortSignal.timeout() when that
 * is collected, so what waits would wait for ever. Rejects with what the work rejects with.
 */
export async function withTimeLimit<T>(
  limitMs: number,
  others: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const end = (): void => over.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  const timer = setTimeout(end, limitMs).unref();
  try {
    return await work(AbortSignal.any([over.signal, ...others]));
  } finally {
    clearTimeout(timer);
  }
}
