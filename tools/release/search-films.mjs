/** A server with the sample films, as a new user starts it. */
import { spawn } from 'node:child_process';
import { findFreePort } from '../run/server-process.mjs';

/** Of a start with the films, in milliseconds. */
const TIMEOUT_MS = 120_000;
const POLL_MS = 100;

/**
 * Starts the server of a project by the command for its program, such as `npx fossick`, searches the films, and stops it. Resolves with the whole command
 * and the last line that it said. Throws with its output when no film is found.
 */
export async function searchFilms(start, project, env) {
  const address = `127.0.0.1:${await findFreePort()}`;
  const command = `${start} --sample --no-analytics --http-addr ${address}`;
  const server = spawn('sh', ['-c', command], { cwd: project, env, detached: true });
  let output = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const ended = new Promise((resolve) => server.once('close', resolve));
  try {
    const endMs = Date.now() + TIMEOUT_MS;
    for (;;) {
      const answer = await fetch(`http://${address}/indexes/movies/search?q=jurasic+park&limit=1`).then(
        (found) => found.json(),
        () => ({}),
      );
      if (answer.hits?.[0]?.title === 'Jurassic Park') break;
      if (server.exitCode !== null || Date.now() > endMs) throw new Error(`${command}: no film was found:\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return { command, said: output.trim().split('\n').at(-1) };
  } finally {
    // the shell, the package manager and the server; all of them may have ended
    if (server.exitCode === null && server.signalCode === null) process.kill(-server.pid, 'SIGTERM');
    await ended;
  }
}
