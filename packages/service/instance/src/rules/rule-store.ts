import { Buffer } from 'node:buffer';
import type { RuleAnswer } from '@fossick/api';
import type { JsonObject } from '@fossick/base';
import type { Change, Store } from '@fossick/storage';
import { commitComputed } from '../changes/local-changes.js';
import type { Condition, InstanceChanges } from '../changes/port.js';

const TABLE = 'search-rules';

/** A dynamic search rule as stored: the changes of its update tasks applied to the defaults. */
export interface SearchRule {
  readonly uid: string;
  readonly description: string | null;
  /** RFC 3339: when the last task that changed the rule was enqueued. */
  readonly lastUpdatedAt: string;
  /** Lower comes first; null comes last. */
  readonly precedence: number | null;
  readonly active: boolean;
  /** Rank of the rule by creation: the lowest that was free. Rules stored by an earlier version have none. */
  readonly creationRank?: number;
  readonly conditions: JsonObject;
  /** By kind, or a list of pins: in the form in which they were sent. */
  readonly actions: readonly JsonObject[] | JsonObject;
}
/** One update task: a change without absent members, or null for a deletion. */
export interface RuleUpdate {
  readonly ruleUid: string;
  readonly change: JsonObject | null;
  readonly enqueuedAt: string;
}

/** The dynamic search rules of the instance. The writer changes them, all other threads read them. */
export class RuleStore {
  private readonly store: Store;
  private readonly changes: InstanceChanges;

  /** `changes`: of the same store. */
  constructor(store: Store, changes: InstanceChanges) {
    this.store = store;
    this.changes = changes;
  }
  get(uid: string): SearchRule | undefined {
    const bytes = this.store.table(TABLE).get(Buffer.from(uid));
    return bytes === undefined ? undefined : parseRule(bytes);
  }
  /** Every rule, newest change first; rules changed at the same moment by uid. O(n log n). */
  list(): SearchRule[] {
    return this.all().sort(
      (a, b) =>
        Date.parse(b.lastUpdatedAt) - Date.parse(a.lastUpdatedAt) || compareText(b.lastUpdatedAt, a.lastUpdatedAt),
    );
  }
  /** Every rule in the order in which searches try them: by precedence, then by creation. O(n log n). */
  inPrecedence(): SearchRule[] {
    const rank = ({ precedence }: SearchRule): number => precedence ?? Number.POSITIVE_INFINITY;
    return this.all().sort((a, b) => {
      const [left, right] = [rank(a), rank(b)];
      return left === right ? (a.creationRank ?? 0) - (b.creationRank ?? 0) : left - right;
    });
  }
  /** Applies the updates in their order, all at once. Idempotent. O(rules + updates) */
  apply(updates: readonly RuleUpdate[]): Promise<void> {
    return commitComputed(this.changes, () => ({
      changes: this.changesOf(updates),
      conditions: [...new Set(updates.map(({ ruleUid }) => ruleUid))].map((uid) => this.unchanged(uid)),
      result: undefined,
    }));
  }

  /** The rows after the updates. */
  private changesOf(updates: readonly RuleUpdate[]): Change[] {
    const rules = new Map(this.all().map((rule) => [rule.uid, rule]));
    return updates.map((update): Change => {
      const rule = updateRule(rules, update);
      const key = Buffer.from(update.ruleUid);
      if (rule === undefined) return { kind: 'delete', table: TABLE, key };
      return { kind: 'put', table: TABLE, key, value: encodeRule(rule) };
    });
  }

  /** The rules as they are after work that waits, by uid; null removes all of them. O(rules + work) */
  after(work: readonly (RuleUpdate | null)[]): ReadonlyMap<string, SearchRule> {
    const rules = new Map(this.all().map((rule) => [rule.uid, rule]));
    for (const update of work) {
      if (update === null) rules.clear();
      else updateRule(rules, update);
    }
    return rules;
  }

  private unchanged(uid: string): Condition {
    const key = Buffer.from(uid);
    return { kind: 'row', table: TABLE, key, value: this.store.table(TABLE).get(key) ?? null };
  }

  private all(): SearchRule[] {
    return [...this.store.table(TABLE).range({})].map(({ value }) => parseRule(value));
  }
  /** Removes every rule; resolves with how many there were. */
  async clear(): Promise<number> {
    const count = this.store.table(TABLE).count();
    await this.changes.commit([{ kind: 'clear', table: TABLE }]);
    return count;
  }
}

/** The rule object of the API: members without a value are omitted. */
export function ruleToJson({ description, lastUpdatedAt, precedence, ...rule }: SearchRule): RuleAnswer {
  return {
    uid: rule.uid,
    ...(description === null ? {} : { description }),
    lastUpdatedAt,
    ...(precedence === null ? {} : { precedence }),
    active: rule.active,
    conditions: rule.conditions,
    actions: rule.actions,
  };
}

/** Applies an update to the rules; returns the rule, undefined when it was removed. */
function updateRule(
  rules: Map<string, SearchRule>,
  { ruleUid, change, enqueuedAt }: RuleUpdate,
): SearchRule | undefined {
  if (change === null) {
    rules.delete(ruleUid);
    return undefined;
  }
  const before = rules.get(ruleUid) ?? { ...newRule(ruleUid), creationRank: freeRank(rules.values()) };
  const rule = changedRule(before, change, enqueuedAt);
  rules.set(ruleUid, rule);
  return rule;
}

function newRule(uid: string): SearchRule {
  return { uid, description: null, lastUpdatedAt: '', precedence: null, active: true, conditions: {}, actions: [] };
}

/** The lowest rank that no rule has. O(n). */
function freeRank(rules: Iterable<SearchRule>): number {
  const taken = new Set([...rules].map((rule) => rule.creationRank ?? 0));
  let rank = 0;
  while (taken.has(rank)) rank += 1;
  return rank;
}

/** Absent members stay, null resets to the default; conditions and actions are replaced as a whole. */
function changedRule(rule: SearchRule, change: JsonObject, lastUpdatedAt: string): SearchRule {
  const defaults = newRule(rule.uid);
  const members = Object.entries(change).map(([name, value]) => [name, value ?? defaults[name as keyof SearchRule]]);
  return { ...rule, ...(Object.fromEntries(members) as Partial<SearchRule>), lastUpdatedAt };
}

/** A rule as stored: its creation rank is the member `place`. */
type StoredRule = Omit<SearchRule, 'creationRank'> & { readonly place?: number };

function encodeRule({ creationRank, ...rule }: SearchRule): Uint8Array {
  const stored: StoredRule = creationRank === undefined ? rule : { ...rule, place: creationRank };
  return Buffer.from(JSON.stringify(stored));
}

function parseRule(bytes: Uint8Array): SearchRule {
  const { place, ...rule } = JSON.parse(Buffer.from(bytes).toString('utf8')) as StoredRule;
  return place === undefined ? rule : { ...rule, creationRank: place };
}

/**
 * Date.parse truncates fractions of a second, so the texts without their zone are compared too: `.1Z` and `.10001Z`
 * differ.
 */
function compareText(left: string, right: string): number {
  const [a, b] = [left.replace('Z', ''), right.replace('Z', '')];
  return a < b ? -1 : a > b ? 1 : 0;
}
