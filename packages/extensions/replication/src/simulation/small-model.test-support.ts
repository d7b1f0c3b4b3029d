import { createHash } from 'node:crypto';
import { bytesOf, MemoryObjects, MissingStoreError, type ObjectInfo, type ObjectStore } from '@fossick/objects';
import { TrimmedError } from '../log-errors.js';
import { ObjectLog } from '../logs/object-log.js';
import type { MonotonicClock } from '../port.js';
import { LogState } from '../replica/log-state.js';
import { Replica } from '../replica/replica.js';
import { History } from './history.test-support.js';
import { type PlantedFault, trimmed, withFault } from './planted-faults.test-support.js';

const LOG_NAME = 'main';
const ENTRIES = `log/${LOG_NAME}/entries/`;
const WRITERS = 2;
const FLOORS = `log/${LOG_NAME}/floors/`;
const FIRST_FLOOR = `${FLOORS}${'1'.padStart(20, '0')}`;
const POLL_MS = 1_000;

/** A request that an actor has sent and the store has not done. */
interface Request {
  readonly actor: string;
  readonly what: string;
  /** Does it; `isLost`: the actor is not told. */
  readonly execute: (isLost: boolean) => Promise<void>;
  /** The actor gives up; the request may still be done. */
  readonly giveUp: (() => void) | undefined;
}

export interface SmallModelOptions {
  /** Records that each writer appends, one after the other. */
  readonly recordCount: number;
  /** Positions before this one are removed, once a node has them. */
  readonly trimBefore: number;
  /** Requests whose answer is lost, or that are done after their sender has given up, at most. */
  readonly mishapMax: number;
  readonly planted?: PlantedFault;
}

export interface Exploration {
  readonly stateCount: number;
  readonly endCount: number;
  /** The first schedule after which something was wrong, and what. */
  readonly wrong: { readonly schedule: readonly string[]; readonly faults: readonly string[] } | undefined;
}

/**
 * Two nodes that append records and one that trims, in every order in which the store can do their requests. An actor does nothing
 * between an answer and its next request that others could see, so an order of requests is a schedule. Two schedules
 * after which the store has the same objects and each actor has had the same answers lead to the same states, and only
 * one of them is followed.
 */
export async function explore(options: SmallModelOptions): Promise<Exploration> {
  const seen = new Set<string>();
  let endCount = 0;
  const open: (readonly number[])[] = [[]];
  for (let schedule = open.pop(); schedule !== undefined; schedule = open.pop()) {
    const model = new SmallModel(options);
    await model.start();
    for (const choice of schedule) await model.choose(choice);
    // goes on with the first choice, and leaves the others for later
    for (let path = schedule; ; path = [...path, 0]) {
      const key = await model.key();
      if (model.faults.length > 0) return { stateCount: seen.size, endCount, wrong: model.wrong() };
      if (seen.has(key)) break;
      seen.add(key);
      const choiceCount = model.choiceCount();
      if (choiceCount === 0) {
        endCount += 1;
        if (model.end().length > 0) return { stateCount: seen.size, endCount, wrong: model.wrong() };
        break;
      }
      for (let choice = 1; choice < choiceCount; choice++) open.push([...path, choice]);
      await model.choose(0);
    }
  }
  return { stateCount: seen.size, endCount, wrong: undefined };
}

class SmallModel {
  private readonly history = new History();
  private readonly objects = new MemoryObjects();
  /** Sent and not done, in the order of their actors' names. */
  private requests: Request[] = [];
  private readonly answers = new Map<string, string>();
  private readonly schedule: string[] = [];
  private readonly replicas: Replica[] = [];
  private readonly options: SmallModelOptions;
  private mishapsLeft: number;
  private readonly planted: PlantedFault | undefined;
  private hasTrimmed = false;
  private pendingCount = 0;

  constructor(options: SmallModelOptions) {
    this.options = options;
    this.mishapsLeft = options.mishapMax;
    this.planted = options.planted;
  }

  get faults(): readonly string[] {
    return this.history.faults;
  }

  async start(): Promise<void> {
    for (let writer = 0; writer < WRITERS; writer++) this.startWriter(`w${writer}`);
    await settled();
    await this.executeCertain();
  }

  /** What can happen next: a request is done; or, while mishaps are left, done unheard, or given up. */
  choiceCount(): number {
    const { length } = this.requests;
    return this.mishapsLeft === 0 ? length : length + 2 * this.requests.filter(({ giveUp }) => giveUp).length;
  }

  async choose(choice: number): Promise<void> {
    const { requests } = this;
    if (choice < requests.length) {
      const [request] = requests.splice(choice, 1);
      this.schedule.push(`${request!.actor} ${request!.what}`);
      await request!.execute(false);
    } else {
      this.mishapsLeft -= 1;
      const heard = requests.filter(({ giveUp }) => giveUp);
      const request = heard[(choice - requests.length) >> 1]!;
      const isLost = (choice - requests.length) % 2 === 0;
      this.schedule.push(`${request.actor} ${request.what}, ${isLost ? 'unheard' : 'given up'}`);
      const at = requests.indexOf(request);
      if (isLost) {
        requests.splice(at, 1);
        await request.execute(true);
      } else {
        requests[at] = { ...request, giveUp: undefined };
        request.giveUp!();
      }
    }
    await settled();
    await this.executeCertain();
    if (!this.hasTrimmed && this.replicas.some(({ position }) => position >= this.options.trimBefore - 1)) {
      this.startTrimmer();
      await settled();
      await this.executeCertain();
    }
    this.requests.sort((left, right) => (left.actor < right.actor ? -1 : left.actor > right.actor ? 1 : 0));
  }

  /** Requests whose answer nothing can change any more are done at once: their order makes no difference. */
  private async executeCertain(): Promise<void> {
    for (;;) {
      let certain: Request | undefined;
      for (const request of this.requests) if (await this.isCertain(request)) certain ??= request;
      if (certain === undefined) return;
      this.requests.splice(this.requests.indexOf(certain), 1);
      this.schedule.push(`${certain.actor} ${certain.what}`);
      await certain.execute(false);
      await settled();
    }
  }

  private async isCertain({ what }: Request): Promise<boolean> {
    const [method, key = '', , required = key] = what.split(' ');
    if (key.startsWith(FLOORS)) {
      // one floor is ever created, and nothing deletes it
      const hasFloor = (await this.objects.get(FIRST_FLOOR)) !== null;
      return method !== 'put' && (hasFloor || (method === 'get' && key !== FIRST_FLOOR));
    }
    if (this.planted === 'plain put' || !key.startsWith(ENTRIES)) return false;
    // entries that nobody removes
    const isKept =
      method !== 'list' &&
      [key, required].every((entry) => Number(entry.slice(ENTRIES.length)) >= this.options.trimBefore);
    const isRead = method === 'get' || (method === 'put' && this.mishapsLeft === 0);
    return isKept && isRead && (await this.objects.get(key)) !== null;
  }

  /** Equal for states that cannot be told apart from now on. */
  async key(): Promise<string> {
    const hash = createHash('sha256');
    for await (const { key } of this.objects.list('')) {
      hash.update(key);
      hash.update(await bytesOf((await this.objects.get(key))!, 1 << 20));
    }
    hash.update(JSON.stringify([[...this.answers].sort(), this.mishapsLeft, this.hasTrimmed]));
    hash.update(JSON.stringify(this.requests.map(({ actor, what, giveUp }) => [actor, what, giveUp === undefined])));
    return hash.digest('base64');
  }

  end(): readonly string[] {
    if (this.pendingCount > 0) this.history.faults.push(`${this.pendingCount} records have no answer at the end`);
    for (const replica of this.replicas) replica.stop();
    return this.history.check(LOG_NAME);
  }

  wrong(): Exploration['wrong'] {
    return { schedule: this.schedule, faults: this.faults };
  }

  private startWriter(name: string): void {
    const objects = withFault(this.connection(name), this.planted);
    let entryCount = 0;
    const replica: Replica = new Replica({
      log: new ObjectLog({ objects, name: LOG_NAME, readAhead: 1 }),
      state: new LogState({ logName: LOG_NAME }),
      clock: CLOCK,
      node: { id: name, address: '' },
      mayLead: false,
      timing: { pollMs: POLL_MS },
      random: () => 0,
      newEntryId: () => `${name}/${entryCount++}`,
      apply: (entry) => this.history.noteApplied(name, replica.position, entry),
      onFailure: (error) => {
        if (!(error instanceof TrimmedError)) this.history.faults.push(`${name} ended: ${String(error)}`);
      },
    });
    this.replicas.push(replica);
    const next = (left: number): void => {
      const opId = `${name} ${left}`;
      this.history.noteSent(opId);
      this.pendingCount += 1;
      const body = new Uint8Array(1);
      replica.append({ kind: 'data', opId, name: 'tasks', epoch: null, body }).then(
        ({ position }) => {
          this.pendingCount -= 1;
          this.history.noteAnswer(opId, position);
          if (left > 1) next(left - 1);
        },
        () => {
          this.pendingCount -= 1;
        },
      );
    };
    next(this.options.recordCount);
    replica.start();
  }

  private startTrimmer(): void {
    this.hasTrimmed = true;
    const objects = this.connection('trimmer');
    const log = new ObjectLog({ objects, name: LOG_NAME });
    trimmed({ log, objects, entries: ENTRIES }, this.options.trimBefore, this.planted).catch(() => undefined);
  }

  private connection(actor: string): ObjectStore {
    const { objects } = this;
    return {
      put: async (key, body, options) => {
        const bytes = await bytesOf(body, 1 << 20);
        const after = options?.requires === undefined ? '' : ` after ${options.requires}`;
        return await this.send(actor, `put ${key}${after}`, async () => {
          const outcome = await objects.put(key, bytes, options);
          const isEntry = outcome === 'put' && key.startsWith(ENTRIES);
          if (isEntry) this.history.noteCreated(Number(key.slice(ENTRIES.length)), bytes);
          return outcome;
        });
      },
      get: async (key) => {
        const bytes = await this.send(actor, `get ${key}`, async () => {
          const body = await objects.get(key);
          return body === null ? null : await bytesOf(body, 1 << 20);
        });
        return bytes === null ? null : once(bytes);
      },
      list: (prefix, after) => this.list(actor, prefix, after),
      delete: (key) => this.send(actor, `delete ${key}`, () => objects.delete(key)),
    };
  }

  private async *list(actor: string, prefix: string, after?: string): AsyncGenerator<ObjectInfo> {
    yield* await this.send(actor, `list ${prefix}`, async () => {
      const found: ObjectInfo[] = [];
      for await (const one of this.objects.list(prefix, after)) found.push(one);
      return found;
    });
  }

  private send<T>(actor: string, what: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const heard = (answer: string): void => {
        this.answers.set(actor, `${this.answers.get(actor) ?? ''}\n${what}: ${answer}`);
      };
      let hasGivenUp = false;
      const fail = (): void => {
        hasGivenUp = true;
        heard('no answer');
        reject(new Error('no answer'));
      };
      const execute = async (isLost: boolean): Promise<void> => {
        const result = await work().catch((error: unknown) => {
          if (error instanceof MissingStoreError) return error;
          throw error;
        });
        if (hasGivenUp) return;
        if (isLost) return fail();
        heard(textOf(result));
        if (result instanceof MissingStoreError) reject(result);
        else resolve(result);
      };
      // a read that fails only delays its sender
      this.requests.push({ actor, what, execute, giveUp: what.startsWith('put ') ? fail : undefined });
    });
  }
}

/** Nobody waits before trying again, and nobody looks for more without a reason. */
const CLOCK: MonotonicClock = {
  nowMs: () => 0,
  after: (delayMs, work) => {
    if (delayMs < POLL_MS && delayMs > 0) queueMicrotask(work);
    return { [Symbol.dispose]: () => undefined };
  },
};

function textOf(result: unknown): string {
  return result instanceof Uint8Array ? Buffer.from(result).toString('base64') : (JSON.stringify(result) ?? '');
}

function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
