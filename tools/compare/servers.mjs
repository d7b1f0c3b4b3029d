/** Sends the same requests to both servers. */
import { setTimeout as sleep } from 'node:timers/promises';

/** A server of the API at an address, with a master key or without one. */
export class Server {
  #headers;

  constructor(url, key) {
    this.url = url.replace(/\/+$/, '');
    this.#headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  }

  /** The answer as `{ status, body }`, whatever its status is. */
  async ask({ method, path, body }) {
    const headers = body === undefined ? this.#headers : { ...this.#headers, 'content-type': 'application/json' };
    const payload = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(this.url + path, { method, headers, ...payload });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }

  /** Sends a write and waits for its task; returns the task's status and its error's code, or the refusal's. */
  async write(request) {
    const { status, body } = await this.ask(request);
    if (status !== 202) return { status, code: body?.code };
    for (;;) {
      const task = await this.ask({ method: 'GET', path: `/tasks/${body.taskUid}` });
      if (!['enqueued', 'processing'].includes(task.body.status)) {
        return { status: task.body.status, code: task.body.error?.code };
      }
      await sleep(4);
    }
  }

  /** Sends writes one after the other, then waits for the last: so consecutive ones may be batched. */
  async writeAll(requests) {
    const outcomes = [];
    for (const request of requests) outcomes.push(await this.write(request));
    return outcomes;
  }
}

/** Does the same on both and returns both results. */
export async function onBoth(servers, act) {
  return Promise.all(servers.map(act));
}
