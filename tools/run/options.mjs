/** The options of the commands of this repository. */
import { parseArgs } from 'node:util';

/** As `parseArgs`, but a command that is asked what it does not know ends with one line and code 2. */
export function readOptions(config) {
  try {
    return parseArgs(config);
  } catch (error) {
    if (!String(error.code).startsWith('ERR_PARSE_ARGS')) throw error;
    return misused(error.message);
  }
}

/** Ends a command that cannot be run as it is asked. */
export function misused(line) {
  console.error(line.split('\n', 1)[0]);
  return process.exit(2);
}
