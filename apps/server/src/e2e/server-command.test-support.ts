import { fileURLToPath } from 'node:url';

/** The command that tests start: the one of the published bundle (tools/run/test-server.mjs), or of the compiled files. */
export const BIN_FILE =
  process.env['FOSSICK_TEST_COMMAND'] ?? fileURLToPath(new URL('../../bin/fossick.js', import.meta.url));
