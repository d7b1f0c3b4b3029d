import { FIRST_FORMAT, type MonotonicClock } from '@fossick/replication';
import type { NodeStatus } from '../description.js';
import type { Followed } from './peer-server.js';

/** A node that has been silent for longer is not in contact, in milliseconds. */
const CONTACT_MS = 5_000;
/** A task's end waits for the nodes in contact for so long at most, in milliseconds. */
const VISIBLE_WAIT_MS = 5_000;
/** A node that has been silent for longer does not count when the format of the log is raised, in milliseconds. */
const FORMAT_MS = 600_000;
/** A new leader has heard of all nodes after this time, in milliseconds. */
const ACQUAINTED_MS = 60_000;
/** Followers of a new leader call it within this time, in milliseconds: they have to read that it leads. */
const GREETING_MS = 1_500;

interface Contact {
  readonly url: string;
  readonly format: number;
  position: number;
  heardMs: number;
  isInContact: boolean;
}

interface Wait {
  readonly position: number;
  readonly resolve: () => void;
}

/**
 * The nodes that follow this one while it leads, and how far they are. A node is in contact from when it has applied
 * what tasks that have ended needed, until it is silent, or keeps the end of a task waiting for too long.
 */
export class Contacts {
  private readonly clock: MonotonicClock;
  private readonly nodes = new Map<string, Contact>();
  private waits: Wait[] = [];
  /** The greatest position that somebody has waited for. */
  private wanted = 0;
  private greetedMs = 0;
  /** Ids of nodes that have not called this leader yet; undefined when it does not know whom to expect. */
  private expected: Set<string> | undefined;
  private greetings: (() => void)[] = [];
  private acquaintedMs = 0;

  constructor(clock: MonotonicClock) {
    this.clock = clock;
  }

  /**
   * This node leads from now on. `followers`: ids of the other nodes that were in contact with a leader that resigned;
   * undefined when they are not known, or may have changed since.
   */
  begin(followers?: readonly string[]): void {
    this.nodes.clear();
    this.expected = followers === undefined ? undefined : new Set(followers);
    this.greetedMs = this.clock.nowMs() + GREETING_MS;
    this.acquaintedMs = this.clock.nowMs() + ACQUAINTED_MS;
  }

  /** Notes that a node has told its position. */
  hear({ id, url, position, format }: Followed): void {
    const known = this.nodes.get(id);
    // a node that has started again has another id, and does not come back under the one before
    if (known === undefined) for (const [other, node] of this.nodes) if (node.url === url) this.nodes.delete(other);
    const isInContact = (known?.isInContact === true && this.isHeard(known)) || position >= this.wanted;
    this.nodes.set(id, { url, format, position, heardMs: this.clock.nowMs(), isInContact });
    this.expected?.delete(id);
    this.settle();
    if (this.expected?.size === 0) for (const greeted of this.greetings.splice(0)) greeted();
  }

  /** Resolves when all nodes in contact have applied the log up to a position; those that take too long are out. */
  async visible(position: number): Promise<void> {
    const greeting = this.greeting();
    if (greeting !== undefined) await greeting;
    this.wanted = Math.max(this.wanted, position);
    if (this.isVisible(position)) return;
    await new Promise<void>((resolve) => {
      const timers: Disposable[] = [];
      const wait: Wait = {
        position,
        resolve: () => {
          for (const timer of timers) timer[Symbol.dispose]();
          resolve();
        },
      };
      // a node that falls silent meanwhile is noticed by this one
      timers.push(this.clock.after(VISIBLE_WAIT_MS, () => this.giveUp(wait)));
      this.waits.push(wait);
    });
  }

  /**
   * The last format that this node, of that `last` format, and all others can read; the first one until this node has
   * led for a minute. A node that is away for less than ten minutes counts: it may be about to come back.
   */
  commonFormat(last: number): number {
    const nowMs = this.clock.nowMs();
    if (nowMs < this.acquaintedMs) return FIRST_FORMAT;
    const heard = [...this.nodes.values()].filter(({ heardMs }) => nowMs - heardMs <= FORMAT_MS);
    return Math.min(last, ...heard.map(({ format }) => format));
  }

  /** Ids of the nodes in contact, without one of them. */
  others(id: string): string[] {
    return this.list().flatMap((node) => (node.isInContact && node.id !== id ? [node.id] : []));
  }

  list(): NodeStatus[] {
    const nowMs = this.clock.nowMs();
    return [...this.nodes].map(([id, { url, position, heardMs, isInContact }]) => ({
      id,
      url,
      position,
      heardMs: Math.round(nowMs - heardMs),
      isInContact: isInContact && nowMs - heardMs <= CONTACT_MS,
    }));
  }

  /** Whether there may be another node: one has called this leader lately, or has had no time to. */
  get hasOthers(): boolean {
    if (this.clock.nowMs() < this.greetedMs) return true;
    for (const node of this.nodes.values()) if (this.isHeard(node)) return true;
    return false;
  }

  /** Resolves when the followers of this leader have called it, or had time to; undefined when that is so already. */
  private greeting(): Promise<void> | undefined {
    const greetingMs = this.greetedMs - this.clock.nowMs();
    if (greetingMs <= 0 || this.expected?.size === 0) return undefined;
    return new Promise<void>((resolve) => {
      this.greetings.push(resolve);
      this.clock.after(greetingMs, resolve);
    });
  }

  private isHeard({ heardMs }: Contact): boolean {
    return this.clock.nowMs() - heardMs <= CONTACT_MS;
  }

  private isVisible(position: number): boolean {
    for (const node of this.nodes.values())
      if (node.isInContact && this.isHeard(node) && node.position < position) return false;
    return true;
  }

  private settle(): void {
    const done = this.waits.filter(({ position }) => this.isVisible(position));
    this.waits = this.waits.filter((wait) => !done.includes(wait));
    for (const { resolve } of done) resolve();
  }

  private giveUp(wait: Wait): void {
    if (!this.waits.includes(wait)) return;
    for (const node of this.nodes.values()) if (node.position < wait.position) node.isInContact = false;
    this.settle();
  }
}
