#!/usr/bin/env node
/**
 * `npm start`: from a fresh clone to a server with something to search, which says itself what to do next, as after
 * `npx fossick --sample`. Arguments go to the server
 * (`npm start -- --http-addr 127.0.0.1:8000 --master-key KEY`).
 */
import { buildDashboard, buildServer } from './quick-build.mjs';
import { spawnServer, stopServer, waitForHealth } from './server-process.mjs';
import { ensureInstalledForStart } from './workspace.mjs';

const startedMs = performance.now();
await start(process.argv.slice(2)).catch((error) => {
  console.error(`fossick: ${error.message}`);
  process.exitCode = 1;
});

async function start(userArgs) {
  await timed('packages', ensureInstalledForStart());
  await timed('build', buildServer());
  // it imports what was just built; the server also runs without its page
  timed('dashboard', buildDashboard()).catch((error) => console.error(`fossick: ${error.message}`));
  const address = optionValue(userArgs, 'http-addr', 'HTTP_ADDR') ?? '127.0.0.1:7700';
  const args = [
    ...(optionValue(userArgs, 'http-addr', 'HTTP_ADDR') === undefined ? ['--http-addr', address] : []),
    '--sample',
    ...userArgs,
  ];
  const server = spawnServer(args);
  server.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' || signal === 'SIGTERM' ? 0 : 1)));
  // A terminal sends Ctrl-C to the whole process group: the server gets it too and ends by itself, and this process
  // with it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => server.kill('SIGTERM'));
  const url = `http://${address.replace(/^0\.0\.0\.0:/, '127.0.0.1:')}`;
  try {
    await timed('server', waitForHealth(url, server));
  } catch (error) {
    console.error(`fossick: ${error.message}`);
    process.exitCode = 1;
    await stopServer(server);
  }
}

/** Prints how long a part of the start took, and when it was done since the beginning. */
async function timed(name, work) {
  const fromMs = performance.now();
  await work;
  const nowMs = performance.now();
  const seconds = (ms) => (ms / 1000).toFixed(1).padStart(5);
  if (nowMs - fromMs >= 50)
    console.log(`${seconds(nowMs - startedMs)} s  ${name} (${seconds(nowMs - fromMs).trim()} s)`);
}

/**
 * The value of `--name X`, `--name=X` or the corresponding environment variables, in this order of precedence;
 * undefined when absent.
 */
function optionValue(args, name, environmentName) {
  const at = args.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  if (at >= 0) return args[at].includes('=') ? args[at].slice(name.length + 3) : args[at + 1];
  return process.env[`FOSSICK_${environmentName}`] ?? process.env[`MEILI_${environmentName}`];
}
