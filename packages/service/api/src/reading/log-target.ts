import { own } from '@fossick/base';

/** Log levels with their numbers in log lines. */
export const LOG_LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, off: Infinity } as const;

/**
 * The lowest level number that a log target lets through, or undefined when it cannot be parsed: a comma list of
 * `level` or `module=level`. This server's log has no modules, so the most verbose entry counts.
 */
export function parseLogTarget(target: string): number | undefined {
  const levels = target
    .split(',')
    .map((entry): number | undefined => own(LOG_LEVELS, (entry.split('=').at(-1) ?? '').trim().toLowerCase()));
  return levels.includes(undefined) ? undefined : Math.min(...(levels as number[]));
}
