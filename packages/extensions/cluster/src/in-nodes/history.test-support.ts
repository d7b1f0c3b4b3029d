import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { pause, type ServerProcess, type WireError } from '@fossick/server/e2e/server-process.test-support';
import { Random } from '@fossick/server/reliability/random-writes.test-support';
import { expect } from 'vitest';
import type { ClusterServers } from './cluster-servers.test-support.js';

/** One request of a client. Times are of performance.now(). */
export interface Operation {
  readonly opId: string;
  readonly documentId: number;
  readonly node: string;
  readonly sentMs: number;
  /** Infinity without an answer. */
  answeredMs: number;
  /** 0 without an answer: the task may have been accepted, or not. */
  status: number;
  uid: number | undefined;
}

/** Documents of one index that clients write again and again, so that their last version shows the order of tasks. */
export const INDEX = 'films';
const DOCUMENTS = 12;
/** A request without an answer for so long has none, in milliseconds. */
const ANSWER_MS = 200_000;
/** Nodes whose position differs each time they are killed at rest never agree. */
const KILLS_MAX = 10;

/** Clients that write to any node, and what they sent and got. */
export class Clients {
  readonly operations: Operation[] = [];
  private isStopped = false;
  private running: Promise<void>[] = [];
  private readonly servers: ClusterServers;
  private readonly random: () => number;

  constructor(servers: ClusterServers, seed = TEST_SEED) {
    this.servers = servers;
    const random = new Random(seed);
    this.random = () => random.next();
  }

  /** Each client sends one request after another, with pauses of this many milliseconds at most. */
  start(count: number, pauseMs: number): void {
    for (let client = 0; client < count; client += 1) this.running.push(this.run(client, pauseMs));
  }

  /** Resolves when so many further operations have been accepted by any node, or by one. */
  async accepted(count: number, node?: string): Promise<void> {
    const acceptedBy = (): number =>
      this.operations.filter((one) => one.status === 202 && (node === undefined || one.node === node)).length;
    const wanted = acceptedBy() + count;
    await this.servers.until(`${count} accepted operations`, () => acceptedBy() >= wanted);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.running);
  }

  private async run(client: number, pauseMs: number): Promise<void> {
    for (let number = 0; !this.isStopped; number += 1) {
      const names = [...this.servers.running.keys()];
      const node = names[Math.floor(this.random() * names.length)];
      const server = node === undefined ? undefined : this.servers.running.get(node);
      if (node !== undefined && server !== undefined) await this.sendAnySize(`${client}-${number}`, node, server);
      await pause(this.random() * pauseMs);
    }
  }

  /** Sends one document, large ones now and then, which a cluster keeps in its store of objects. */
  sendAnySize(opId: string, node: string, server: ServerProcess): Promise<Operation> {
    return this.send(opId, node, server, this.random() < 0.05 ? 'word '.repeat(20_000) : '');
  }

  /** Sends one document, with this much text in addition. */
  async send(opId: string, node: string, server: ServerProcess, padding = ''): Promise<Operation> {
    const documentId = Math.floor(this.random() * DOCUMENTS);
    const operation: Operation = {
      ...{ opId, documentId, node, sentMs: performance.now() },
      ...{ answeredMs: Number.POSITIVE_INFINITY, status: 0, uid: undefined },
    };
    this.operations.push(operation);
    try {
      const answer = await fetch(`${server.url}/indexes/${INDEX}/documents?customMetadata=${opId}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([{ id: documentId, op: opId, padding }]),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const body = (await answer.json()) as { readonly taskUid?: number };
      operation.answeredMs = performance.now();
      operation.status = answer.status;
      operation.uid = body.taskUid;
    } catch {
      // without an answer nobody knows
    }
    return operation;
  }
}

/** What a node shows after all faults have ended. */
export interface NodeView {
  readonly name: string;
  /** Oldest first. */
  readonly tasks: readonly {
    readonly uid: number;
    readonly status: string;
    readonly customMetadata?: string;
    readonly type: string;
  }[];
  /** The operation that wrote each document last, by id. */
  readonly documents: Readonly<Record<number, string>>;
}

/**
 * Everything that is wrong with a history, one sentence each. O(n log n), because the log gives the order: uids of tasks
 * are positions in it.
 */
export function violations(operations: readonly Operation[], views: readonly NodeView[]): string[] {
  const found: string[] = [];
  const [first, ...others] = views;
  if (first === undefined) return ['no node shows anything'];
  for (const { name, tasks, documents } of others) {
    const strip = (view: NodeView['tasks']): string =>
      JSON.stringify(view.map(({ uid, status, customMetadata }) => [uid, status, customMetadata]));
    if (strip(tasks) !== strip(first.tasks)) found.push(`${name} shows other tasks than ${first.name}`);
    if (JSON.stringify(documents) !== JSON.stringify(first.documents))
      found.push(`${name} shows other documents than ${first.name}`);
  }
  found.push(...wrongTasks(operations, first), ...wrongOrder(operations), ...wrongDocuments(operations, first));
  return found;
}

/** Lost, doubled and unknown tasks. */
function wrongTasks(operations: readonly Operation[], { tasks }: NodeView): string[] {
  const found: string[] = [];
  const uids = new Map<string, number>();
  for (const [at, { uid, status, customMetadata }] of tasks.entries()) {
    if (uid !== at) found.push(`task ${at} is missing, ${uid} comes in its place`);
    if (status !== 'succeeded') found.push(`task ${uid} is ${status}`);
    if (customMetadata === undefined) continue;
    if (uids.has(customMetadata))
      found.push(`operation ${customMetadata} was done as task ${uids.get(customMetadata)} and ${uid}`);
    uids.set(customMetadata, uid);
  }
  const known = new Set(operations.map(({ opId }) => opId));
  for (const opId of uids.keys()) if (!known.has(opId)) found.push(`operation ${opId} was never sent`);
  for (const { opId, status, uid } of operations) {
    if (status === 202 && uids.get(opId) !== uid)
      found.push(`operation ${opId} was acknowledged as task ${uid} and is ${uids.get(opId) ?? 'lost'}`);
  }
  return found;
}

/** An operation that was answered before another one was sent comes before it. */
function wrongOrder(operations: readonly Operation[]): string[] {
  const accepted = operations.filter(({ status, uid }) => status === 202 && uid !== undefined);
  const byAnswer = [...accepted].sort((a, b) => a.answeredMs - b.answeredMs);
  const bySending = [...accepted].sort((a, b) => a.sentMs - b.sentMs);
  const found: string[] = [];
  let greatest = -1;
  let answered = 0;
  for (const { opId, uid, sentMs } of bySending) {
    for (; answered < byAnswer.length && byAnswer[answered]!.answeredMs < sentMs; answered += 1)
      greatest = Math.max(greatest, byAnswer[answered]!.uid!);
    if (uid! < greatest)
      found.push(`operation ${opId} is task ${uid}, and ${greatest} was answered before it was sent`);
  }
  return found;
}

/** Documents are what the tasks make of them in the order of their uids. */
function wrongDocuments(operations: readonly Operation[], { name, tasks, documents }: NodeView): string[] {
  const byId = new Map(operations.map((operation) => [operation.opId, operation]));
  const expected: Record<number, string> = {};
  for (const { status, customMetadata = '' } of tasks) {
    const operation = byId.get(customMetadata);
    if (status === 'succeeded' && operation !== undefined) expected[operation.documentId] = customMetadata;
  }
  return JSON.stringify(expected) === JSON.stringify(documents)
    ? []
    : [`${name} has ${JSON.stringify(documents)} where its tasks make ${JSON.stringify(expected)}`];
}

/** What a node shows. */
export async function viewOf(servers: ClusterServers, name: string): Promise<NodeView> {
  const { body } = await servers
    .server(name)
    .call<{ results?: { id: number; op: string }[] }>('GET', `/indexes/${INDEX}/documents?limit=1000&fields=id,op`);
  const documents: Record<number, string> = {};
  for (const { id, op } of body.results ?? []) documents[id] = op;
  return { name, tasks: await servers.tasks(name), documents };
}

/**
 * Waits until all nodes are at rest, and expects that nothing is lost, doubled, out of order or different between nodes,
 * down to the rows of their stores. All nodes are killed for that.
 */
export async function expectSound(servers: ClusterServers, operations: readonly Operation[]): Promise<void> {
  const names = [...servers.running.keys()];
  let views: readonly NodeView[];
  let position: number;
  do {
    position = await servers.atRest();
    views = await Promise.all(names.map((name) => viewOf(servers, name)));
    // an entry that comes between two views makes them differ
  } while ((await servers.atRest()) !== position);
  // the sentences come first: reports of CI cut long messages
  const found = violations(operations, views);
  expect(found, `${found.join('; ')}\n${servers.outputs()}`).toEqual([]);
  for (let kills = 1; ; kills += 1) {
    await servers.atRest();
    await Promise.all(names.map((name) => servers.kill(name)));
    const positions = await Promise.all(names.map((name) => servers.savedPosition(name)));
    // an entry that comes between two kills makes their rows differ
    if (new Set(positions).size === 1 || kills === KILLS_MAX) break;
    await servers.startAgain(...names);
  }
  const hashes = await Promise.all(names.map((name) => servers.storeHashes(name)));
  for (const other of hashes.slice(1)) expect(other).toEqual(hashes[0]);
}

/** The server that has the log of the nodes. */
export interface SharedServer {
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Starts two nodes and stops the store of their log: they search on, refuse writes and say so, until it is back. */
export async function expectSearchesWithoutLog(servers: ClusterServers, log: SharedServer): Promise<void> {
  await servers.startAll('a', 'b');
  const clients = new Clients(servers);
  await clients.send('x', 'a', servers.server('a'));
  await servers.atRest();
  const leader = servers.server(await servers.leader());
  const asked = async (path: string): Promise<number> => (await leader.call('GET', path)).status;
  await log.stop();
  const refused = await leader.call<WireError>('DELETE', `/indexes/${INDEX}/documents`);
  expect([refused.status, refused.body.code]).toEqual([503, 'cluster_log_unavailable']);
  expect(await asked(`/indexes/${INDEX}/search`)).toBe(200);
  expect([await asked('/health'), await asked('/health?fresh=1s')]).toEqual([200, 503]);
  await log.start();
  await servers.until('a write', async () => {
    return (await clients.send(`y-${performance.now()}`, 'b', servers.server('b'))).status === 202;
  });
  await servers.atRest();
  expect(await asked('/health?fresh=10s')).toBe(200);
}

/**
 * In each round the leader is killed while clients write, another one leads, the killed one starts again, and `disturb`
 * does something to what the nodes share. Then everything must be sound.
 */
export async function killLeaders(
  servers: ClusterServers,
  rounds: number,
  disturb: () => Promise<void>,
): Promise<void> {
  const clients = new Clients(servers);
  clients.start(4, 50);
  for (let round = 0; round < rounds; round += 1) {
    await clients.accepted(20);
    const leader = await servers.leader();
    await servers.kill(leader);
    expect(await servers.leader()).not.toBe(leader);
    await servers.start(leader);
    await disturb();
    await clients.accepted(20);
  }
  await clients.stop();
  expect(clients.operations.filter(({ status }) => status === 202).length).toBeGreaterThan(20);
  await expectSound(servers, clients.operations);
}
