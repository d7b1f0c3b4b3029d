/** The few calls of the HTTP API that the tools need. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Sends one request and returns the parsed body; throws on status 300 and up, with the server's message. */
export async function callApi(url, method, path, { body, type = 'application/json', key } = {}) {
  const headers = {
    ...(body === undefined ? {} : { 'content-type': type }),
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url + path, { method, headers, ...(payload === undefined ? {} : { body: payload }) });
  const text = await response.text();
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** Waits until the task is over and returns it; throws when it failed or was canceled. Polls every 20 ms. */
export async function waitForTask(url, taskUid, { key } = {}) {
  for (;;) {
    const task = await callApi(url, 'GET', `/tasks/${taskUid}`, { key });
    if (task.status === 'succeeded') return task;
    if (task.status === 'failed' || task.status === 'canceled') {
      throw new Error(`task ${taskUid} ${task.status}: ${task.error?.message ?? ''}`);
    }
    await sleep(20);
  }
}
