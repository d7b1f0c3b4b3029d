import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { clock } from '../node/nodes.test-support.js';
import type { ClusterOptions } from '../options.js';
import { Contacts } from './contacts.js';
import { PeerClient } from './peer-client.js';
import { FOLLOW_PATH, type Followed, type OnCall, type PeerAnswer, PeerServer, VISIBLE_PATH } from './peer-server.js';
import { RequestSigner, RequestVerifier } from './signature.js';

const SECRET = 'a secret of sixteen bytes and more';
const signed = { method: 'POST', path: FOLLOW_PATH, body: Buffer.from('{}') };

describe('a signature', () => {
  it('is accepted once, and only for what was signed', () => {
    const [signer, verifier] = [new RequestSigner(SECRET, 'node-1'), new RequestVerifier(SECRET)];
    const headers = signer.headers(signed);
    expect(verifier.accepts(headers, { ...signed, body: Buffer.from('{ }') })).toBe(false);
    expect(verifier.accepts(headers, { ...signed, path: '/other' })).toBe(false);
    expect(verifier.accepts({ ...headers, 'x-fossick-node': 'node-2' }, signed)).toBe(false);
    expect(verifier.accepts(headers, signed)).toBe(true);
    expect(verifier.accepts(headers, signed)).toBe(false);
    expect(verifier.accepts(signer.headers(signed), signed)).toBe(true);
  });

  it('of another secret is refused', () => {
    const headers = new RequestSigner('another secret of the same size..', 'node-1').headers(signed);
    expect(new RequestVerifier(SECRET).accepts(headers, signed)).toBe(false);
    expect(new RequestVerifier(SECRET).accepts({}, signed)).toBe(false);
  });
});

describe('nodes over HTTP', () => {
  const optionsOn = (port: number): ClusterOptions => ({
    ...{ logUrl: null, objectsUrl: 'file:///nowhere', url: `http://127.0.0.1:${port}`, secret: SECRET, tls: null },
    ...{ listen: { host: '127.0.0.1', port }, role: 'all', visible: 'all', stale: 'serve', keepHours: 24, lingerMs: 0 },
  });

  /** A server that answers each caller with a greater position. */
  async function listening(
    heard: Followed[],
    onVisible: OnCall = async ({ position }) => ({ position }),
  ): Promise<{ readonly server: PeerServer; readonly port: number }> {
    const more = async (caller: Followed): Promise<PeerAnswer> => {
      heard.push(caller);
      return { position: caller.position + 1, others: ['node-2'] };
    };
    const server = new PeerServer(optionsOn(0), { [FOLLOW_PATH]: more, [VISIBLE_PATH]: onVisible });
    return { server, port: await server.listen() };
  }

  it('a follower tells its position and learns that there is more, again and again', async () => {
    const heard: Followed[] = [];
    const { server, port } = await listening(heard);
    let position = 5;
    const reached = new Promise<void>((resolve) => {
      const client = new PeerClient({
        options: optionsOn(1),
        id: 'node-1',
        clock,
        position: () => position,
        onMore: async (more) => {
          position = more;
          if (position < 8) return;
          expect(client.others).toEqual(['node-2']);
          void client.close();
          resolve();
        },
      });
      client.follow(`http://127.0.0.1:${port}`);
    });
    await reached;
    await server.close();
    expect(heard.map(({ id, position: at }) => [id, at])).toEqual([
      ['node-1', 5],
      ['node-1', 6],
      ['node-1', 7],
    ]);
  });

  it('a follower learns when all nodes have what it has, and waits for no leader that does not answer', async () => {
    let say: (() => void) | undefined;
    const asked = new Promise<Followed>((resolve) => {
      void listening([], (caller) => {
        resolve(caller);
        return new Promise((answer) => {
          say = () => answer({ position: caller.position });
        });
      }).then(({ server, port }) => {
        opened = server;
        client.follow(`http://127.0.0.1:${port}`);
        seen = client.visible().then(() => steps.push('seen'));
      });
    });
    const steps: string[] = [];
    let opened: PeerServer | undefined;
    let seen: Promise<unknown> | undefined;
    const client = new PeerClient({
      options: optionsOn(1),
      id: 'node-1',
      clock,
      position: () => 7,
      onMore: () => new Promise((resolve) => setTimeout(resolve, 50)),
    });
    expect(await asked).toMatchObject({ id: 'node-1', position: 7 });
    steps.push('asked');
    say?.();
    await seen;
    expect(steps).toEqual(['asked', 'seen']);
    await opened?.close();
    await client.visible();
    await client.close();
  });

  it.each([
    ['none', null],
    ['another one of the same length', 'A secret of sixteen bytes and more'],
    ['a longer one', `${SECRET}.`],
    ['a shorter one', SECRET.slice(0, -1)],
    ['one with a space at its end', `${SECRET} `],
    ['one with a line end', `${SECRET}\n`],
    ['one in capitals', SECRET.toUpperCase()],
    ['one with a character of two bytes', SECRET.replace('e', 'é')],
    ['one of sixteen zeros', '0'.repeat(16)],
    ['one of a thousand bytes', 'x'.repeat(1_000)],
  ])('a node with another secret says so, and so does the leader: %s', async (_what, secret) => {
    const told: string[] = [];
    const calls = { [FOLLOW_PATH]: async () => ({ position: 9 }), [VISIBLE_PATH]: async () => ({ position: 9 }) };
    const server = new PeerServer(optionsOn(0), calls, (message) => told.push(message));
    const port = await server.listen();
    const refusal = await new Promise<string>((resolve, reject) => {
      const client: PeerClient = new PeerClient({
        options: { ...optionsOn(1), secret },
        id: 'node-1',
        clock,
        position: () => 5,
        onMore: async () => reject(new Error('it was accepted')),
        onRefusal: (message) => void client.close().then(() => resolve(message)),
      });
      client.follow(`http://127.0.0.1:${port}`);
    });
    await server.close();
    expect(refusal).toContain(`The leader at http://127.0.0.1:${port} refused this node: its secret is another one`);
    const reason = secret === null ? 'it has no secret' : 'its secret is another one';
    expect(told[0]).toMatch(new RegExp(`^A node at .*127\\.0\\.0\\.1 that called this one was refused: ${reason}$`));
    expect(`${told}${refusal}`).not.toContain(secret ?? SECRET);
  });

  it.each([
    ['without a signature', 'POST', FOLLOW_PATH, '{}', 403],
    ['with a body of more than nodes send', 'POST', FOLLOW_PATH, 'x'.repeat(20_000), 413],
  ])('a request %s is refused', async (_what, method, path, body, status) => {
    const { server, port } = await listening([]);
    const answered = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on('error', reject);
      sent.end(body);
    });
    await server.close();
    expect(answered).toBe(status);
  });
});

describe('the leader waits for nodes in contact', () => {
  /** Time that passes when it is told to. */
  function manualClock() {
    let nowMs = 0;
    const timers = new Set<{ readonly atMs: number; readonly work: () => void }>();
    return {
      nowMs: () => nowMs,
      after(delayMs: number, work: () => void): Disposable {
        const timer = { atMs: nowMs + delayMs, work };
        timers.add(timer);
        return { [Symbol.dispose]: () => void timers.delete(timer) };
      },
      async pass(ms: number): Promise<void> {
        nowMs += ms;
        for (const timer of [...timers]) {
          if (timer.atMs > nowMs) continue;
          timers.delete(timer);
          timer.work();
        }
        await new Promise((resolve) => setImmediate(resolve));
      },
    };
  }

  it('until each of them has applied the position, and those that take too long are out until they have', async () => {
    const time = manualClock();
    const contacts = new Contacts(time);
    const seen: string[] = [];
    contacts.hear({ id: 'b', url: 'b', position: 10, format: 1 });
    contacts.hear({ id: 'c', url: 'c', position: 10, format: 1 });
    void contacts.visible(12).then(() => seen.push('12'));
    contacts.hear({ id: 'b', url: 'b', position: 12, format: 1 });
    await time.pass(1);
    expect(seen).toEqual([]);
    contacts.hear({ id: 'c', url: 'c', position: 12, format: 1 });
    await time.pass(1);
    expect(seen).toEqual(['12']);
    void contacts.visible(20).then(() => seen.push('20'));
    contacts.hear({ id: 'b', url: 'b', position: 20, format: 1 });
    await time.pass(4_000);
    expect(seen).toEqual(['12']);
    contacts.hear({ id: 'c', url: 'c', position: 13, format: 1 });
    await time.pass(1_000);
    expect(seen).toEqual(['12', '20']);
    expect(
      contacts
        .list()
        .filter(({ isInContact }) => isInContact)
        .map(({ id }) => id),
    ).toEqual(['b']);
    contacts.hear({ id: 'c', url: 'c', position: 20, format: 1 });
    expect(contacts.list().every(({ isInContact }) => isInContact)).toBe(true);
  });

  it('and a new leader gives them time to call', async () => {
    const time = manualClock();
    const contacts = new Contacts(time);
    contacts.begin();
    let isVisible = false;
    void contacts.visible(3).then(() => {
      isVisible = true;
    });
    await time.pass(1_000);
    expect(isVisible).toBe(false);
    contacts.hear({ id: 'b', url: 'b', position: 2, format: 1 });
    await time.pass(600);
    expect(isVisible).toBe(false);
    contacts.hear({ id: 'b', url: 'b', position: 3, format: 1 });
    await time.pass(1);
    expect(isVisible).toBe(true);
  });

  it('and a new leader that knows whom to expect waits for these only', async () => {
    const time = manualClock();
    const contacts = new Contacts(time);
    contacts.begin(['b', 'c']);
    let isVisible = false;
    void contacts.visible(3).then(() => {
      isVisible = true;
    });
    contacts.hear({ id: 'b', url: 'b', position: 3, format: 1 });
    await time.pass(1);
    expect(isVisible).toBe(false);
    contacts.hear({ id: 'c', url: 'c', position: 2, format: 1 });
    await time.pass(1);
    expect(isVisible).toBe(false);
    contacts.hear({ id: 'c', url: 'c', position: 3, format: 1 });
    await time.pass(1);
    expect(isVisible).toBe(true);
    expect(contacts.others('b')).toEqual(['c']);
  });

  it('are there until they are silent, or have had time to call', async () => {
    const time = manualClock();
    const contacts = new Contacts(time);
    contacts.begin();
    expect(contacts.hasOthers).toBe(true);
    await time.pass(1_600);
    expect(contacts.hasOthers).toBe(false);
    // one that is behind may lead as well
    contacts.hear({ id: 'b', url: 'b', position: 0, format: 1 });
    await time.pass(4_000);
    expect(contacts.hasOthers).toBe(true);
    await time.pass(2_000);
    expect(contacts.hasOthers).toBe(false);
  });

  it('find the last format that all of them read', async () => {
    const time = manualClock();
    const contacts = new Contacts(time);
    contacts.begin();
    const hear = (id: string, format: number): void => contacts.hear({ id, url: id, position: 1, format });
    hear('b', 2);
    // others may not have called yet
    expect(contacts.commonFormat(3)).toBe(1);
    await time.pass(60_000);
    expect(contacts.commonFormat(3)).toBe(2);
    hear('c', 1);
    await time.pass(590_000);
    hear('b', 2);
    expect(contacts.commonFormat(3)).toBe(1);
    await time.pass(20_000);
    expect(contacts.commonFormat(3)).toBe(2);
    hear('b', 3);
    expect(contacts.commonFormat(3)).toBe(3);
  });
});
