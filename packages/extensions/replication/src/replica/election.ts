import type { LeadRecord, NodeInfo } from '../entries/records.js';
import { FencedError } from '../log-errors.js';
import type { Beat, CommitLog, MonotonicClock } from '../port.js';
import type { LogState } from './log-state.js';

export interface ElectionTiming {
  /** Between two beats of a leader, and between two looks at them. */
  readonly beatMs: number;
  /** A leader whose beat has not changed for this long is replaced… */
  readonly silenceMs: number;
  /** …after up to this much more, by chance, so that candidates seldom meet. */
  readonly spreadMs: number;
  /** The same after a leader has resigned. */
  readonly vacancySpreadMs: number;
}

export interface ElectionOptions {
  readonly log: Pick<CommitLog, 'beat' | 'lastBeat'>;
  readonly state: LogState;
  readonly clock: MonotonicClock;
  readonly node: NodeInfo;
  readonly timing: ElectionTiming;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Appends the record that makes this node the leader. */
  readonly stand: (record: LeadRecord) => Promise<unknown>;
}

/**
 * Decides when this node tries to lead. Only the log decides whether it does: of all candidates for an epoch, the one
 * whose record comes first. So a wrong decision here costs time and nothing else, and clocks of nodes are never compared.
 */
export class Election {
  private readonly options: ElectionOptions;
  private timer: Disposable | undefined;
  private mayLead: boolean;
  private hasEnded = false;
  private beatCount = 0;
  /** The last sign of life, and when it was new. */
  private sign = '';
  private signMs = 0;
  private patienceMs = 0;

  constructor(options: ElectionOptions, mayLead: boolean) {
    this.options = options;
    this.mayLead = mayLead;
  }

  start(): void {
    this.next(this.options.random() * this.options.timing.vacancySpreadMs);
  }

  /** From now on this node does not try to lead. */
  withdraw(): void {
    this.mayLead = false;
  }

  /** The log has another leader, or none. */
  onLeader(): void {
    const { state, node, random, timing } = this.options;
    if (state.leader === null) this.next(random() * timing.vacancySpreadMs);
    else if (state.leader.id === node.id) this.next(0);
  }

  end(): void {
    this.hasEnded = true;
    this.timer?.[Symbol.dispose]();
  }

  private next(delayMs: number): void {
    this.timer?.[Symbol.dispose]();
    if (this.hasEnded) return;
    this.timer = this.options.clock.after(delayMs, () => void this.turn());
  }

  private async turn(): Promise<void> {
    const { state, node, timing } = this.options;
    const wasLeader = state.leader?.id === node.id;
    try {
      if (wasLeader) await this.beat();
      else if (this.mayLead && (state.leader === null || (await this.isSilent()))) await this.stand();
    } catch {
      // the log does not answer: nobody can lead or be replaced then
    }
    // a leader that has just been elected begins at once
    if (wasLeader || state.leader?.id !== node.id) this.next(timing.beatMs);
  }

  private async beat(): Promise<void> {
    const { log, node, state } = this.options;
    this.beatCount += 1;
    await log.beat({ node: node.id, epoch: state.epoch, count: this.beatCount });
  }

  private async isSilent(): Promise<boolean> {
    const { log, state, clock, timing, random } = this.options;
    const beat = await log.lastBeat();
    const sign = `${state.epoch} ${signOf(beat, state.epoch)}`;
    if (sign !== this.sign) {
      this.sign = sign;
      this.signMs = clock.nowMs();
      this.patienceMs = timing.silenceMs + random() * timing.spreadMs;
    }
    return clock.nowMs() - this.signMs >= this.patienceMs;
  }

  private async stand(): Promise<void> {
    const { state, node, stand } = this.options;
    try {
      await stand({ kind: 'lead', epoch: state.epoch + 1, node });
    } catch (error) {
      if (!(error instanceof FencedError)) throw error;
    }
  }
}

/** A beat of an earlier epoch is no sign of life: a replaced leader may beat until it reads the log. */
function signOf(beat: Beat | null, epoch: number): string {
  return beat === null || beat.epoch < epoch ? '' : `${beat.epoch} ${beat.node} ${beat.count}`;
}
