import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { MAX_TASK_STREAMS } from '@fossick/base';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  type TestServer,
  type WireTask,
} from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';

const MASTER = { authorization: 'Bearer a master key of the tests' };

/** A client that reads a stream event by event. */
class Listener<T> {
  readonly events: T[] = [];
  readonly request: ClientRequest;
  readonly opened: Promise<IncomingMessage>;
  comments = 0;
  isEnded = false;

  constructor(url: string, headers: Record<string, string>) {
    this.request = get(url, { headers });
    this.request.on('error', () => {
      this.isEnded = true;
    });
    this.opened = new Promise((resolve, reject) => {
      this.request.once('error', reject);
      this.request.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
          const frames = text.split('\n\n');
          text = frames.pop()!;
          for (const frame of frames) {
            if (frame.startsWith(':')) this.comments += 1;
            else if (frame.startsWith('data: ')) this.events.push(JSON.parse(frame.slice('data: '.length)) as T);
            else this.request.destroy(new Error(`no event: ${frame}`));
          }
        });
        response.once('close', () => {
          this.isEnded = true;
        });
        resolve(response);
      });
    });
  }

  /** Waits until the events satisfy a condition. */
  async until(isEnough: (events: readonly T[]) => boolean): Promise<void> {
    while (!isEnough(this.events)) {
      if (this.isEnded) throw new Error(`the stream ended after ${JSON.stringify(this.events)}`);
      await pause(5);
    }
  }
}

describe('streams of tasks and batches', () => {
  const folder = newDatabaseFolder();
  let server: TestServer;
  let listeners: Listener<unknown>[] = [];
  const send = (method: string, path: string, body?: unknown) =>
    server.call<Record<string, unknown>>(method, path, body, MASTER);
  async function listen<T>(path: string, headers = MASTER): Promise<Listener<T>> {
    const listener = new Listener<T>(`${server.url}${path}`, headers);
    listeners.push(listener);
    const { statusCode, headers: received } = await listener.opened;
    expect([statusCode, received['content-type']]).toEqual([200, 'text/event-stream']);
    return listener;
  }
  const isOf = (task: WireTask, indexUid: string): boolean => task.indexUid === indexUid && task.status === 'succeeded';

  beforeAll(async () => {
    server = await startTestServer(folder, ['--master-key', 'a master key of the tests']);
    await send('POST', '/indexes/before/documents', [{ id: 1 }]);
    await server.allTasksDone();
    const off = await send('GET', '/tasks/stream');
    expect([off.status, off.body['code']]).toEqual([400, 'feature_not_enabled']);
    await send('PATCH', '/experimental-features', { tasksStreamingRoute: true });
  });
  afterEach(() => {
    for (const { request } of listeners) request.destroy();
    listeners = [];
  });
  afterAll(async () => {
    await server?.stop();
    removeFolder(folder);
  });

  it('need a key for tasks, and known parameters', async () => {
    const refused = await server.call<{ code: string }>('GET', '/tasks/stream');
    expect([refused.status, refused.body.code]).toEqual([401, 'missing_authorization_header']);
    expect((await send('GET', '/batches/stream?unknown=1')).body['code']).toBe('bad_request');
    expect((await send('GET', '/tasks/stream?statuses=done')).body['code']).toBe('invalid_task_statuses');
    expect((await send('POST', '/tasks/stream')).status).toBe(405);
  });

  it('tell each task whose status changes, and none from before', async () => {
    const listener = await listen<WireTask>('/tasks/stream');
    const { body } = await send('POST', '/indexes/films/documents', [{ id: 1 }]);
    await listener.until((events) => events.some((task) => isOf(task, 'films')));
    expect(new Set(listener.events.map(({ uid }) => uid))).toEqual(new Set([body['taskUid']]));
    const order = ['enqueued', 'processing', 'succeeded'];
    const seen = listener.events.map(({ status }) => order.indexOf(status));
    expect(seen).toEqual([...new Set(seen)].sort());
    const { body: task } = await send('GET', `/tasks/${String(body['taskUid'])}`);
    expect(listener.events.at(-1)).toEqual(task);
  });

  it('tell a waiting task when it is enqueued', async () => {
    const listener = await listen<WireTask>('/tasks/stream?statuses=enqueued&types=indexUpdate');
    for (let i = 0; i < 20; i++) await send('POST', '/indexes/films/documents', [{ id: i }]);
    await Promise.all([
      send(
        'POST',
        '/indexes/films/documents',
        Array.from({ length: 20_000 }, (_, id) => ({ id, text: `word${id}` })),
      ),
      ...Array.from({ length: 20 }, () => send('PATCH', '/indexes/films', {})),
    ]);
    await listener.until((events) => events.length > 0);
    expect(listener.events.every(({ status, type }) => status === 'enqueued' && type === 'indexUpdate')).toBe(true);
    await server.allTasksDone();
  });

  it('tell batches with their end, by the filters of tasks', async () => {
    const [all, films] = [
      await listen<{ uid: number; finishedAt: string | null }>('/batches/stream?limit=1'),
      await listen<{ uid: number; finishedAt: string | null; stats: { indexUids: object } }>(
        '/batches/stream?indexUids=films',
      ),
    ];
    await send('POST', '/indexes/films/documents', [{ id: 1, title: 'a' }]);
    await send('POST', '/indexes/books/documents', [{ id: 1, title: 'a' }]);
    await all.until(
      (events) => new Set(events.filter((one) => one.finishedAt !== null).map(({ uid }) => uid)).size > 1,
    );
    await films.until((events) => events.some(({ finishedAt }) => finishedAt !== null));
    expect(films.events.every(({ stats }) => Object.hasOwn(stats.indexUids, 'films'))).toBe(true);
    const last = films.events.at(-1)!;
    const { body } = await send('GET', `/batches/${last.uid}`);
    expect(last).toEqual(body);
  });

  it('tell a key of some indexes only of these', async () => {
    const key = { actions: ['tasks.get'], indexes: ['mine'], expiresAt: null };
    const { body } = await send('POST', '/keys', key);
    const listener = await listen<WireTask>('/tasks/stream', { authorization: `Bearer ${String(body['key'])}` });
    await send('POST', '/indexes/others/documents', [{ id: 1 }]);
    await send('POST', '/indexes/mine/documents', [{ id: 1 }]);
    await listener.until((events) => events.some((task) => isOf(task, 'mine')));
    expect(listener.events.every(({ indexUid }) => indexUid === 'mine')).toBe(true);
  });

  it('reach clients that ask for compressed answers at once', async () => {
    const answer = await fetch(`${server.url}/tasks/stream`, { headers: MASTER });
    expect(answer.headers.get('content-encoding')).not.toBeNull();
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    await send('POST', '/indexes/films/documents', [{ id: 1 }]);
    expect((await reader.read()).value).toMatch(/^data: \{"uid":/);
    await reader.cancel();
  });

  it('are as many as there may be, and one more when one is closed', async () => {
    const first = await listen('/tasks/stream');
    for (let i = 1; i < MAX_TASK_STREAMS; i++) await listen('/batches/stream');
    const refused = await send('GET', '/tasks/stream');
    expect([refused.status, refused.body['code']]).toEqual([503, 'too_many_search_requests']);
    first.request.destroy();
    // it closes on the other side a moment later
    for (;;) {
      const again = new Listener(`${server.url}/tasks/stream`, MASTER);
      listeners.push(again);
      const { statusCode } = await again.opened;
      if (statusCode === 200) break;
      await pause(10);
    }
  });

  it('end when the server stops', async () => {
    const own = newDatabaseFolder();
    const other = await startTestServer(own, ['--experimental-enable-logs-route']);
    try {
      await other.call('PATCH', '/experimental-features', { tasksStreamingRoute: true });
      const read = new Listener(`${other.url}/tasks/stream`, {});
      await read.opened;
      const unread = get(`${other.url}/batches/stream`);
      unread.on('error', () => undefined);
      await new Promise((resolve) => unread.once('response', resolve));
      expect(await other.stop()).toBe(0);
      await expect.poll(() => read.isEnded, { timeout: 30_000, interval: 5 }).toBe(true);
    } finally {
      await other.stop();
      removeFolder(own);
    }
  });
});
