import { skipsFaulty, type TaskContent } from '../task/content.js';
import type { Task } from '../task/task.js';

/** The kind of the batch so far: a row of the table of what may join it. */
type BatchKind =
  | 'additions'
  | 'deletions'
  | 'clear'
  | 'settings'
  | 'clearSettings'
  | 'dsrUpdate'
  | 'dsrClear'
  | 'alone'
  | 'ended';
type StepKind =
  | 'addition'
  | 'deleteIds'
  | 'deleteFilter'
  | 'deleteAll'
  | 'settings'
  | 'indexDeletion'
  | 'dsrUpdate'
  | 'dsrClear'
  | 'alone';

/**
 * Additions of one batch that skip faulty documents: each may list a hundred errors of 1.2 KB in its details, and the
 * end of a batch is one record of a shared log, of at most 8 MiB.
 */
const SKIPPING_TASKS_MAX = 32;

/** What the scheduler knows of an index when it picks tasks: undefined when it does not exist. */
export type IndexLookup = (uid: string) => { readonly primaryKey: string | null } | undefined;

/** Grows one batch of one index, task by task, until a task may not join. */
export class BatchGrower {
  private readonly index: { readonly primaryKey: string | null } | undefined;
  private kind: BatchKind;
  private hasFilterDeletion: boolean;
  private mayCreateIndex: boolean | undefined;
  private primaryKey: string | null | undefined;
  private hasAdditions = false;
  /** Whether the additions so far skip faulty documents. */
  private areSkipping = false;
  private skippingCount = 0;

  constructor(first: Task, index: { readonly primaryKey: string | null } | undefined) {
    this.index = index;
    const step = stepOf(first.content);
    this.kind = initialKind(step);
    this.hasFilterDeletion = step === 'deleteFilter';
    this.mayCreateIndex = creationRight(first.content);
    if (first.content.type === 'documentAdditionOrUpdate') {
      this.noteAddition(first.content.primaryKey);
      this.noteMode(first.content);
      if (this.contradictsIndex(first.content.primaryKey)) this.kind = 'alone';
    }
  }

  /** Returns true and adds the task when it may join; otherwise `stoppedBecause` gives the reason. */
  join(task: Task): boolean {
    const step = stepOf(task.content);
    const next = this.next(step);
    if (next === undefined) return false;
    const right = creationRight(task.content);
    if (this.index === undefined && right === true && this.mayCreateIndex !== true) {
      if (this.mayCreateIndex === false || !(this.kind === 'deletions' && this.hasFilterDeletion)) return false;
    }
    if (task.content.type === 'documentAdditionOrUpdate') {
      if (this.contradictsIndex(task.content.primaryKey) || this.contradictsBatch(task.content.primaryKey))
        return false;
      // the details of a batch count skipped documents for all of its additions, or for none
      if (this.hasAdditions && this.areSkipping !== skipsFaulty(task.content)) return false;
      if (this.skippingCount >= SKIPPING_TASKS_MAX) return false;
      this.noteMode(task.content);
      this.noteAddition(task.content.primaryKey);
    }
    this.mayCreateIndex ??= right;
    this.hasFilterDeletion ||= step === 'deleteFilter';
    this.kind = next;
    return true;
  }

  private next(step: StepKind): BatchKind | undefined {
    if (step === 'alone' || this.kind === 'alone' || this.kind === 'ended') return undefined;
    if (this.kind === 'dsrUpdate' || this.kind === 'dsrClear') {
      if (step === 'dsrClear') return 'dsrClear';
      return step === 'dsrUpdate' && this.kind === 'dsrUpdate' ? 'dsrUpdate' : undefined;
    }
    if (step === 'indexDeletion') return 'ended';
    if (step === 'dsrUpdate' || step === 'dsrClear') return undefined;
    const isDeletion = step === 'deleteIds' || step === 'deleteFilter';
    switch (this.kind) {
      case 'additions':
        if (step === 'deleteAll') return 'clear';
        return step === 'addition' || step === 'deleteIds' ? 'additions' : undefined;
      case 'deletions':
        if (step === 'deleteAll') return 'clear';
        if (isDeletion) return 'deletions';
        return step === 'addition' ? (this.hasFilterDeletion ? 'deletions' : 'additions') : undefined;
      case 'clear':
        return step === 'deleteAll' || isDeletion ? 'clear' : undefined;
      case 'settings':
        if (step === 'deleteAll') return 'clearSettings';
        return step === 'settings' ? 'settings' : undefined;
      case 'clearSettings':
        return step === 'settings' || step === 'deleteAll' || isDeletion ? 'clearSettings' : undefined;
    }
  }

  private noteMode(content: TaskContent): void {
    this.areSkipping = skipsFaulty(content);
    if (this.areSkipping) this.skippingCount += 1;
  }

  private contradictsIndex(primaryKey: string | null): boolean {
    const held = this.index?.primaryKey ?? null;
    return held !== null && primaryKey !== null && primaryKey !== held;
  }

  private contradictsBatch(primaryKey: string | null): boolean {
    if (!this.hasAdditions || primaryKey === null) return false;
    const held = this.primaryKey ?? this.index?.primaryKey ?? null;
    // A primary key given after additions from which it would be inferred would change that inference.
    return held === null || held !== primaryKey;
  }

  private noteAddition(primaryKey: string | null): void {
    this.primaryKey ??= primaryKey;
    this.hasAdditions = true;
  }
}

function stepOf(content: TaskContent): StepKind {
  switch (content.type) {
    case 'documentAdditionOrUpdate':
      return 'addition';
    case 'documentDeletion':
      return (
        {
          ids: 'deleteIds',
          idFile: 'deleteIds',
          filter: 'deleteFilter',
          expiry: 'deleteFilter',
          all: 'deleteAll',
        } as const
      )[content.target.by];
    case 'settingsUpdate':
      return 'settings';
    case 'indexDeletion':
    case 'dsrUpdate':
    case 'dsrClear':
      return content.type;
    default:
      return 'alone';
  }
}

function initialKind(step: StepKind): BatchKind {
  if (step === 'addition') return 'additions';
  if (step === 'deleteIds' || step === 'deleteFilter') return 'deletions';
  if (step === 'deleteAll') return 'clear';
  if (step === 'indexDeletion') return 'ended';
  return step;
}

function creationRight(content: TaskContent): boolean | undefined {
  return 'allowIndexCreation' in content ? content.allowIndexCreation : undefined;
}
