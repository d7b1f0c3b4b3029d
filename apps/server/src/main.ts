import { ApiError } from '@fossick/base';
import { LaunchError, type MoveOptions, OptionError, type ServerOptions } from '@fossick/configuration';
import { type Invocation, readInvocation } from '@fossick/configuration/invocation';
import { CommanderError } from 'commander';
import { startBanner, usageNotice } from './banner.js';
import { startServer } from './compose.js';
import { outliveFaults } from './last-resort.js';

/** Exit codes: an error of the environment, an error of usage, and an interrupted process. */
const FAILED = 1;
const MISUSED = 2;
const INTERRUPTED = 130;

/** Codes of failed system calls that the operator can do something about. */
const SYSTEM_FAULT = /^E[A-Z0-9]+$/;

async function main(): Promise<void> {
  const { command, file, move, options } = readOrExit();
  switch (command) {
    case 'start':
      return serve(options);
    case 'check':
      return check(options);
    case 'dump':
      return finish(await orExit((await import('./commands/copies.js')).dumpDatabase(options)));
    case 'snapshot':
      return finish(await orExit((await import('./commands/copies.js')).snapshotDatabase(options)));
    case 'import':
      return finish(await orExit((await import('./commands/copies.js')).importDatabase(options, file!)));
    case 'move':
      return moveAndExit(options, move!);
  }
}

async function serve(options: ServerOptions): Promise<void> {
  const isForPeople = options.logMode === 'human';
  if (isForPeople) for (const warning of options.warnings) process.stderr.write(`warning: ${warning}\n`);
  const server = await orExit(startServer(options));
  outliveFaults((error) => server.report(error));
  process.once('SIGINT', () => {
    server.exonerate();
    process.exit(INTERRUPTED);
  });
  process.once('SIGTERM', () => {
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        server.report(error);
        process.exit(FAILED);
      },
    );
  });
  if (isForPeople) process.stdout.write(startBanner(options, server.facts));
  else {
    for (const warning of options.warnings) server.log.warn(warning);
    if (server.facts.isFirst && options.hasAnalytics) server.log.info(usageNotice(options));
    server.log.info({ url: server.facts.url }, 'Fossick listens');
  }
}

async function check(options: ServerOptions): Promise<void> {
  const { checkDatabase } = await import('./commands/check.js');
  const problemCount = await orExit(
    checkDatabase(options, {
      line: (text) => process.stdout.write(`${text}\n`),
      problem: (text) => process.stdout.write(`PROBLEM ${text}\n`),
    }),
  );
  process.stdout.write(problemCount === 0 ? 'no problems\n' : `${problemCount} problems\n`);
  process.exit(problemCount === 0 ? 0 : FAILED);
}

async function moveAndExit(options: ServerOptions, move: MoveOptions): Promise<void> {
  const { moveOver } = await import('./commands/move.js');
  const isWhole = await orExit(moveOver(options, move));
  process.exit(isWhole ? 0 : FAILED);
}

/** Prints the file that a command created, and ends. */
function finish(file: string): void {
  process.stdout.write(`${file}\n`);
  process.exit(0);
}

/** A start or command that cannot succeed is reported in one line; a bug keeps its stack. */
async function orExit<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isForTerminal(error)) throw error;
    return refuse(error.message, FAILED);
  }
}

/** Whether an error is the operator's concern, such as a damaged store or a folder that cannot be written to. */
function isForTerminal(error: unknown): error is Error {
  if (error instanceof LaunchError || error instanceof ApiError) return true;
  return error instanceof Error && 'code' in error && SYSTEM_FAULT.test(String(error.code));
}

function readOrExit(): Invocation {
  try {
    return readInvocation(process.argv.slice(2), process.env);
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode);
    if (error instanceof OptionError) return refuse(error.message, MISUSED);
    throw error;
  }
}

function refuse(message: string, exitCode: number): never {
  process.stderr.write(`fossick: ${message.split('\n', 1)[0]}\n`);
  process.exit(exitCode);
}

await main();
