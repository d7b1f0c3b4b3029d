/** Starts and stops the built server as a child process; shared by start, conformance and bench. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rootFolder } from './workspace.mjs';

/** The server's entry point, relative paths resolved. */
export const serverEntry = join(rootFolder, 'apps', 'server', 'bin', 'fossick.js');

/** A TCP port of 127.0.0.1 that was free a moment ago. */
export function findFreePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Starts the server with these arguments. `stdio` as in node:child_process. */
export function spawnServer(args, stdio = 'inherit', environment = process.env) {
  return spawn(process.execPath, [serverEntry, ...args], { cwd: rootFolder, env: environment, stdio });
}

/** Waits until GET /health answers 200. Throws when the process ends first, or after `timeoutMs`. Polls every 50 ms. */
export async function waitForHealth(url, child, timeoutMs = 30_000) {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`the server ended with ${child.exitCode ?? child.signalCode} before it answered`);
    }
    const response = await fetch(`${url}/health`).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok) return;
    await sleep(50);
  }
  throw new Error(`the server did not answer ${url}/health within ${timeoutMs} ms`);
}

/** Asks the process to end, and kills it after `graceMs`. Resolves when it has ended. */
export async function stopServer(child, graceMs = 5000) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await gone;
  clearTimeout(timer);
}
