import { Worker } from 'node:worker_threads';

/** The code of the thread: sends the request on a message, and reports the status. */
const SENDER = `
const { parentPort, workerData: { url, method, body, headers } } = require('node:worker_threads');
parentPort.postMessage('ready');
parentPort.once('message', async () => {
  try {
    const answer = await fetch(url, { method, body: body === '' ? undefined : body, headers });
    await answer.arrayBuffer();
    parentPort.postMessage(answer.status);
  } catch (error) {
    parentPort.postMessage(String(error.cause ?? error));
  }
  parentPort.close();
});
`;

/**
 * A request sent from a thread of its own: a large body or answer would disturb measurements in this thread. Resolves
 * with a function once the thread is ready; the function sends the request and resolves with its status.
 */
export async function startSender(
  url: string,
  method: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<() => Promise<number>> {
  const worker = new Worker(SENDER, { eval: true, workerData: { url, method, body, headers } });
  const next = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  await next();
  return async () => {
    const answer = next();
    worker.postMessage('go');
    const status = await answer;
    if (typeof status !== 'number') throw new Error(`no answer: ${String(status)}`);
    return status;
  };
}
