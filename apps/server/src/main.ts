import { ApiError } from '@fossick/base';
import { CommanderError } from 'commander';
import { startServer } from './compose.js';
import { formatByteSize } from './config/byte-size.js';
import { OptionError, readServerOptions, type ServerOptions } from './config/server-options.js';
import { LaunchError } from './instance/launch-error.js';
import { outliveFaults } from './last-resort.js';

/** Exit code of a process that was interrupted. */
const INTERRUPTED = 130;

async function main(): Promise<void> {
  const options = readOptions();
  for (const warning of options.warnings) process.stderr.write(`warning: ${warning}\n`);
  const server = await startServer(options).catch((error: unknown) => {
    // a damaged store is told like any other start that cannot be
    if (!(error instanceof LaunchError || error instanceof ApiError)) throw error;
    process.stderr.write(`fossick: ${error.message}\n`);
    process.exit(1);
  });
  outliveFaults((error) => server.report(error));
  const memory = `searches ${formatByteSize(options.maxSearchBytes)}, indexing ${formatByteSize(options.maxIndexingBytes)}`;
  process.stdout.write(`Fossick listens on ${server.url} (memory: ${memory})\n`);
  process.once('SIGINT', () => {
    server.exonerate();
    process.exit(INTERRUPTED);
  });
  process.once('SIGTERM', () => {
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        server.report(error);
        process.exit(1);
      },
    );
  });
}

function readOptions(): ServerOptions {
  try {
    return readServerOptions(process.argv.slice(2), process.env);
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode);
    if (!(error instanceof OptionError)) throw error;
    process.stderr.write(`fossick: ${error.message}\n`);
    process.exit(1);
  }
}

await main();
