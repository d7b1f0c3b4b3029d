/** The command that moves an instance: nothing else loads it. */
export { dryRunMove, moveInstance, versionOf } from './moving/move-instance.js';
export { MoveReport } from './moving/move-report.js';
