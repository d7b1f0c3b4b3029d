import { ApiError } from '@fossick/base';
import { LaunchError, OptionError, type ServerOptions } from '@fossick/instance';
import { type Invocation, readOut, readServer } from '@fossick/instance/invocation';
import { CommanderError } from 'commander';
import { sampleSteps, startBanner, usageNotice } from './banner.js';
import { readProductInvocation } from './extensions/product-options.js';
import type { RunningServer } from './running-server.js';
import { startServer } from './start-server.js';
import { systemFaultSentence } from './system-fault.js';

/** How long a process that has finished its work may take to end by itself, in milliseconds. */
const ENDING_MS = 5_000;

/** Exit codes: success, an error of the environment and an error of usage. */
const DONE = 0;
const FAILED = 1;
const MISUSED = 2;

/** Runs a command, or starts the server; returns the code to end with, undefined while a server runs. */
async function run(invocation: Invocation): Promise<number | undefined> {
  const { command, file, own, options } = invocation;
  switch (command) {
    case 'start':
      await serve(options);
      return undefined;
    case 'check':
      return check(options);
    case 'restore':
      return printFile(await (await import('./commands/restore.js')).restoreDatabase(invocation));
    case 'export-static':
      return printFile(await (await import('./commands/export-static.js')).exportStatic(options, file!, readOut(own)));
    case 'relevance':
      return (await (await import('./commands/relevance.js')).runJudged(file!, readServer(own))) ? DONE : FAILED;
    default:
      return (await (await import('./commands/extension-command.js')).runExtensionCommand(invocation)) ? DONE : FAILED;
  }
}

async function serve(options: ServerOptions): Promise<void> {
  const isForPeople = options.logMode === 'human';
  if (isForPeople) for (const warning of options.warnings) process.stderr.write(`warning: ${warning}\n`);
  let server = await startServer(options);
  // of a restart that is going on
  let restarted: Promise<void> = Promise.resolve();
  outliveFaults((error) => server.report(error));
  process.once('SIGINT', () => {
    server.expectEnd();
    // the signal's own effect, now that nothing handles it: `process.exit` may wait for ever (end-process.ts)
    process.kill(process.pid, 'SIGINT');
  });
  let isEnding = false;
  process.once('SIGTERM', () => {
    isEnding = true;
    restarted
      .then(() => server.close())
      .then(
        () => endProcess(DONE),
        (error: unknown) => {
          server.report(error);
          endProcess(FAILED);
        },
      );
  });
  const restartWhenDue = (): void => {
    void server.restartDue.then((reason) => {
      if (isEnding) return;
      server.log.warn(reason);
      restarted = restart();
    });
  };
  const restart = async (): Promise<void> => {
    try {
      await server.close();
      server = await startServer(options);
      restartWhenDue();
    } catch (error) {
      endProcess(refusal(error));
    }
  };
  restartWhenDue();
  if (isForPeople) {
    process.stdout.write(startBanner(options, server.facts));
    if (options.hasSample) tellSampleSteps(options, server).catch(server.report);
  } else {
    for (const warning of options.warnings) server.log.warn(warning);
    if (server.facts.isFirst && options.countsUsage) server.log.info(usageNotice(options));
    server.log.info({ url: server.facts.url }, 'Fossick listens');
  }
}

/** The search that it tells finds a film when it is pasted at once. */
async function tellSampleSteps(options: ServerOptions, server: RunningServer): Promise<void> {
  const fault = await server.sampleFault();
  process.stdout.write(`\n${sampleSteps(options, server.facts.url, fault)}\n`);
}

async function check(options: ServerOptions): Promise<number> {
  const { checkDatabase } = await import('./commands/check.js');
  const problemCount = await checkDatabase(options, {
    line: (text) => process.stdout.write(`${text}\n`),
    problem: (text) => process.stdout.write(`PROBLEM ${text}\n`),
  });
  process.stdout.write(problemCount === 0 ? 'no problems\n' : `${problemCount} problems\n`);
  return problemCount === 0 ? DONE : FAILED;
}

/** Prints the file that a command created. */
function printFile(file: string): number {
  process.stdout.write(`${file}\n`);
  return DONE;
}

/** What the operator is told of an error that concerns the operator, such as a damaged store or a folder that cannot be written to. */
function sentenceOf(error: unknown): string | undefined {
  const isTold = error instanceof OptionError || error instanceof LaunchError || error instanceof ApiError;
  return isTold ? error.message.split('\n', 1)[0] : systemFaultSentence(error);
}

/** A start or command that cannot succeed is reported in one line; a bug keeps its stack. */
function refusal(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode;
  const sentence = sentenceOf(error);
  if (sentence === undefined) throw error;
  process.stderr.write(`fossick: ${sentence}\n`);
  return error instanceof OptionError ? MISUSED : FAILED;
}

async function main(): Promise<void> {
  let isLost = false;
  // a reader that leaves (`fossick check | head -1`) ends no command, whose code still tells; what a full disk refuses is lost
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', ({ code }: NodeJS.ErrnoException) => {
      isLost ||= code !== 'EPIPE';
    });
  let code: number | undefined;
  try {
    code = await run(readProductInvocation(process.argv.slice(2), process.env));
  } catch (error) {
    code = refusal(error);
  }
  if (code === undefined) return;
  process.once('exit', () => {
    if (isLost) process.exitCode ||= FAILED;
  });
  endProcess(code);
}

/**
 * Handles uncaught errors. A rejection or an exception in a timer affects only the request or the timer that it comes
 * from; other requests continue, so the process continues and logs the error.
 */
function outliveFaults(report: (error: unknown) => void): void {
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
  // The reader of the log may disappear: reporting that would fail as well.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

/**
 * Ends the process with a code as soon as nothing is open. It is not ended by `process.exit`, because that waits for
 * V8's compiler threads, which wait for a garbage collection by the thread that called it when their memory is full: on
 * Node 24 some exits never returned (https://github.com/nodejs/node/issues/54918). A process that ends by itself tears
 * down its heap first, which releases these threads. `process.exit` remains for a handle that was left open.
 */
function endProcess(code: number): void {
  process.exitCode = code;
  setTimeout(() => process.exit(code), ENDING_MS).unref();
}

await main();
