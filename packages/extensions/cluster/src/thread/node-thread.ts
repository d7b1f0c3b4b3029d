import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { LaunchError, NODE_FOLDER } from '@fossick/instance';
import { FolderObjects, UnsafeStoreError } from '@fossick/objects';
import { type CommitLog, LAST_FORMAT, type MonotonicClock, type Role, TrimmedError } from '@fossick/replication';
import { encodeChanges } from '@fossick/storage/changes';
import { answerCalls, Bell } from '@fossick/threads';
import { Checkpointing } from '../checkpoints/checkpointing.js';
import { prepareFolder, savedOf } from '../checkpoints/restore-set.js';
import { openShared } from '../logs/open-shared.js';
import type { ClusterQuestion, ClusterReport, ClusterStart, ClusterStatus } from '../messages.js';
import type { AppliedEntry } from '../node/applier.js';
import { ClusterNode } from '../node/cluster-node.js';
import type { WriterQuestion } from '../node/writer-bridge.js';
import { Contacts } from '../peers/contacts.js';
import { PeerClient } from '../peers/peer-client.js';
import { FOLLOW_PATH, type Followed, type PeerAnswer, PeerServer, VISIBLE_PATH } from '../peers/peer-server.js';
import { CheckpointNeededError } from '../records/base-record.js';
import { describe, type SentError } from '../threads/sent-errors.js';
import { sentResults } from '../threads/sent-results.js';
import { ShownState } from '../threads/shown-state.js';
import { clusterIdentity, IDENTITY_KEY, isIdentity } from './cluster-identity.js';

/** The log of tasks, values and of indexes that are not sharded. */
const LOG_NAME = 'main';
/** A node waits so long for the log when it starts, in milliseconds; then it serves what it has. */
const CATCH_UP_MS = 5_000;
/** The leader answers a follower after so long at the latest, in milliseconds. */
const FOLLOW_MS = 1_000;
/** Between two questions to a log that does not answer, in milliseconds. */
const RETRY_MS = 500;
/** Between two times that the contact is shown, in milliseconds. */
const SHOW_MS = 200;
/** Different warnings about other nodes that are reported. */
const WARNINGS_MAX = 100;

const clock: MonotonicClock = {
  nowMs: () => performance.now(),
  after: (delayMs, work) => {
    const timer = setTimeout(work, delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** All of a node that runs in the thread of the cluster: the node, and its talk with other nodes and threads. */
export class NodeThread {
  private readonly given: ClusterStart;
  private readonly report: (message: ClusterReport) => void;
  private readonly fault: (error: unknown) => void;
  private readonly shown: ShownState;
  private showing: NodeJS.Timeout | undefined;
  private readonly id = randomUUID();
  private readonly contacts = new Contacts(clock);
  private clusterId = '';
  private node!: ClusterNode;
  private server!: PeerServer;
  private client!: PeerClient;
  private checkpointing!: Checkpointing;
  /** Why the node follows no longer, why its disk takes nothing, and what its log lacks. */
  private ended: string | null = null;
  private full: string | null = null;
  private lost: string | null = null;
  private isRaising = false;
  /** The last leader has resigned, and none has followed. */
  private isVacant = false;
  private readonly warned = new Set<string>();

  constructor(given: ClusterStart, report: (message: ClusterReport) => void, fault: (error: unknown) => void) {
    this.given = given;
    this.report = report;
    this.fault = fault;
    this.shown = new ShownState(given.shown);
  }

  /** Resolves when the node serves: it has caught up, or the log does not answer. Throws LaunchError. */
  async start(): Promise<void> {
    const { options, folders, masterKey, summaryMarks } = this.given;
    const shared = await openShared(options, LOG_NAME);
    const belongs = (await savedOf(folders))?.clusterId !== undefined;
    const identify = async (): Promise<readonly string[]> => {
      const mayBegin = async (): Promise<boolean> => !belongs && (await isEmpty(shared.log));
      this.clusterId = (await clusterIdentity(shared.objects, masterKey, mayBegin)).id;
      if (shared.objects instanceof FolderObjects) await shared.objects.knowBy(IDENTITY_KEY);
      await shared.probe();
      return [];
    };
    const refusal = await identify().catch((error: unknown) => error);
    if (isRefusal(refusal)) throw refusal instanceof LaunchError ? refusal : new LaunchError(refusal.message);
    const { log, objects, timing, inlineBytesMax } = shared;
    await prepareFolder({
      ...{ log, objects, logName: LOG_NAME, folders },
      clusterId: this.clusterId === '' ? undefined : this.clusterId,
      onNote: (message) => this.report({ kind: 'warning', message }),
    });
    this.node = new ClusterNode({
      folders,
      stateFolder: join(folders.dbPath, NODE_FOLDER),
      summaryMarks,
      ...{ log, logName: LOG_NAME, objects, inlineBytesMax, timing },
      node: { id: this.id, address: options.url },
      mayLead: options.role === 'all',
      isOurs: async () => this.clusterId === '' || isIdentity(objects, this.clusterId),
      clock,
      visible: (position) => (options.visible === 'all' ? this.contacts.visible(position) : Promise.resolve()),
      hasOthers: () => this.contacts.hasOthers,
      onApplied: (entry) => this.applied(entry),
      onValues: (changes) => this.report({ kind: 'values', changes: encodeChanges(changes) }),
      onRole: (role) => this.changeRole(role),
      onFailure: (error) => this.fail(error),
      onLost: (reason) => this.noteLost(reason),
      onDisk: (reason) => this.noteDisk(reason),
      onFault: this.fault,
    });
    if (this.clusterId !== '') this.node.claim(this.clusterId);
    this.client = new PeerClient({
      options,
      id: this.id,
      clock,
      position: () => this.node.position,
      onMore: (position, withinMs) => this.node.reaches(position, withinMs),
      onRefusal: (message) => this.report({ kind: 'warning', message }),
    });
    this.checkpointing = new Checkpointing({
      node: this.node,
      log,
      objects,
      logName: LOG_NAME,
      keepHours: options.keepHours,
      hasFollowers: () => this.contacts.list().some(({ isInContact }) => isInContact),
      onFault: this.fault,
    });
    this.server = new PeerServer(
      options,
      { [FOLLOW_PATH]: (caller) => this.follow(caller), [VISIBLE_PATH]: (caller) => this.seenBy(caller) },
      (message) => this.warnOnce(message),
    );
    await this.server.listen();
    this.shown.position = this.node.position;
    this.showing = setInterval(() => this.showContact(), SHOW_MS).unref();
    this.node.start();
    this.checkpointing.start();
    const { leader } = this.node.role;
    if (leader !== null) this.client.follow(leader.address);
    await Promise.race([this.node.barrier().catch(this.fault), pause(CATCH_UP_MS)]);
    // while the store does not answer, the node serves what it has
    if (refusal instanceof Error) void this.warn(identify);
    void this.warn(() => shared.warnings());
  }

  async answer(question: ClusterQuestion): Promise<unknown> {
    const { node } = this;
    switch (question.kind) {
      case 'enqueue':
        return sentResults(await node.enqueue(question.entries));
      case 'values': {
        const hasEffect = await node.commitValues(question.body);
        await this.visible();
        return hasEffect;
      }
      case 'barrier':
        return node.barrier();
      case 'reaches':
        return node.reaches(question.position, question.withinMs);
      case 'status':
        return this.status();
      case 'writer': {
        const { signal } = question;
        const bridge = node.openBridge(question.epoch, () => new Bell(signal).end());
        answerCalls<WriterQuestion, SentError>(question, (asked) => bridge.answer(asked), describe);
        question.port.on('close', () => void bridge.ended().catch(this.fault));
        return undefined;
      }
      case 'resign':
        return node.resign();
      case 'stop':
        return this.stop();
    }
  }

  /** While there is a reason, the node has no contact as far as others can tell. */
  private get failure(): string | null {
    return this.ended ?? this.full ?? this.lost;
  }

  private async stop(): Promise<void> {
    clearInterval(this.showing);
    await this.client.close();
    await this.server.close();
    await this.checkpointing.end();
    await this.node.close();
  }

  private status(): ClusterStatus {
    const { node, id, clusterId, failure } = this;
    return {
      clusterId,
      node: id,
      url: this.given.options.url,
      role: node.role,
      position: node.position,
      silentMs: Math.round(this.silentMs()),
      failure,
      nodes: node.role.kind === 'leader' ? this.contacts.list() : [],
    };
  }

  /** Another node tells where it is. */
  private async follow(caller: Followed): Promise<PeerAnswer> {
    this.contacts.hear(caller);
    this.raiseFormat().catch(this.fault);
    if (this.node.position <= caller.position) await this.node.reaches(caller.position + 1, FOLLOW_MS);
    return { position: this.node.position, others: this.contacts.others(caller.id) };
  }

  /** Entries have the last format that all nodes read. */
  private async raiseFormat(): Promise<void> {
    const { node, contacts } = this;
    const format = contacts.commonFormat(LAST_FORMAT);
    if (node.role.kind !== 'leader' || this.isRaising) return;
    this.isRaising = true;
    try {
      if (await node.raiseFormat(format))
        this.report({ kind: 'warning', message: `The log of the cluster has format ${format} from here on` });
    } finally {
      this.isRaising = false;
    }
  }

  /** Another node asks whether all nodes in contact are where it is. */
  private async seenBy(caller: Followed): Promise<PeerAnswer> {
    this.contacts.hear(caller);
    await this.node.reaches(caller.position, FOLLOW_MS);
    if (this.node.role.kind === 'leader') await this.contacts.visible(caller.position);
    return { position: this.node.position };
  }

  /** Resolves when all nodes in contact have applied what this one has. */
  private async visible(): Promise<void> {
    const { node, client, contacts, given } = this;
    if (given.options.visible !== 'all') return;
    await (node.role.kind === 'leader' ? contacts.visible(node.position) : client.visible());
  }

  private applied({ position, names }: AppliedEntry): void {
    this.shown.position = position;
    this.report({ kind: 'applied', position, names: [...names] });
  }

  /** A node that follows no longer has no contact, whatever the log answers. */
  private showContact(): void {
    if (this.failure === null) this.shown.silentMs = this.silentMs();
  }

  private silentMs(): number {
    return Math.min(this.node.contact.silentMs, this.client.silentMs);
  }

  private changeRole(role: Role): void {
    const isLeader = role.kind === 'leader';
    // a leader that resigns names its followers; those of one that fell silent may have changed since
    if (isLeader) this.contacts.begin(this.isVacant ? this.client.others : undefined);
    this.isVacant = role.leader === null;
    this.client.follow(isLeader ? undefined : role.leader?.address);
    this.report({ kind: 'role', role });
  }

  private noteLost(reason: string | null): void {
    this.lost = reason;
    const begun = 'The log of the cluster lacks what it had, so this leader takes no writes; it looks again';
    this.warnOf(reason, begun, 'The log of the cluster has what it had, or another node leads');
  }

  private noteDisk(reason: string | null): void {
    this.full = reason;
    const begun = 'The disk of this node takes nothing, so it neither leads nor follows; it tries again';
    this.warnOf(reason, begun, 'The disk takes everything again');
  }

  /** Warns of a state that began for a reason, or that is over (null). */
  private warnOf(reason: string | null, begun: string, over: string): void {
    this.report({ kind: 'warning', message: reason === null ? over : `${begun}: ${reason}` });
  }

  private fail(error: unknown): void {
    this.ended = error instanceof Error ? error.message : String(error);
    if (error instanceof TrimmedError || error instanceof CheckpointNeededError)
      return this.report({ kind: 'behind', reason: error.message });
    this.report({ kind: 'failure', error: describe(error) });
  }

  /** A node that is refused comes again and again. */
  private warnOnce(message: string): void {
    if (this.warned.has(message) || this.warned.size === WARNINGS_MAX) return;
    this.warned.add(message);
    this.report({ kind: 'warning', message });
  }

  /** Repeats the question until the log answers it. */
  private async warn(ask: () => Promise<readonly string[]>): Promise<void> {
    for (;;) {
      try {
        for (const message of await ask()) this.report({ kind: 'warning', message });
        return;
      } catch (error) {
        if (isRefusal(error)) return this.fail(error);
        await pause(RETRY_MS);
      }
    }
  }
}

/** The node must not be part of this cluster. */
function isRefusal(error: unknown): error is Error {
  return error instanceof LaunchError || error instanceof UnsafeStoreError;
}

/** A log with entries is that of a cluster, whatever its store of objects lacks. */
async function isEmpty(log: Pick<CommitLog, 'read'>): Promise<boolean> {
  try {
    return (await log.read(1, 1)).length === 0;
  } catch (error) {
    if (error instanceof TrimmedError) return false;
    throw error;
  }
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, delayMs).unref());
}
