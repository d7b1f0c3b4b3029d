import type { WriterLink } from '@fossick/runtime/extension';
import type { ClusterLink, WriterChannel } from './cluster-link.js';

/** Starts a writer's thread that reaches the thread of the cluster through channels, one for each of its lives. */
export type StartWriter = (newChannel: () => WriterChannel) => WriterLink;

/** A writer's thread that runs while this node leads. */
export class ClusterWriter implements WriterLink {
  private readonly link: ClusterLink;
  private readonly startWriter: StartWriter;
  private current: { readonly epoch: number; readonly writer: WriterLink } | undefined;
  /** The last change of role is done when it resolves. */
  private turned: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(link: ClusterLink, startWriter: StartWriter) {
    this.link = link;
    this.startWriter = startWriter;
    link.on('role', () => this.turn());
    this.turn();
  }

  wake(): void {
    this.current?.writer.wake();
  }

  expect(bytes: number): void {
    this.current?.writer.expect(bytes);
  }

  progress(batchUid: number): ReturnType<WriterLink['progress']> {
    return this.current?.writer.progress(batchUid) ?? null;
  }

  holdProcess(isHeld: boolean): void {
    this.current?.writer.holdProcess(isHeld);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.turn();
  }

  /** Makes the writer fit the role, one change after another. */
  private turn(): Promise<void> {
    this.turned = this.turned.then(() => this.fit());
    return this.turned;
  }

  private async fit(): Promise<void> {
    const { kind, epoch } = this.link.role;
    const mayRun = kind === 'leader' && !this.isStopped;
    const { current } = this;
    if (current !== undefined && (!mayRun || current.epoch !== epoch)) {
      await current.writer.stop();
      this.current = undefined;
    }
    if (!mayRun || this.current !== undefined || this.link.role.epoch !== epoch) return;
    this.current = { epoch, writer: this.startWriter(() => this.link.writerChannel(epoch)) };
  }
}
