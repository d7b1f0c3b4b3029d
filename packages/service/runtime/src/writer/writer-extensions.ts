import { join } from 'node:path';
import { apiError, own } from '@fossick/base';
import { makeFolder } from '@fossick/base/durable-names';
import type { Task, TaskRunner } from '@fossick/tasks';
import type { WriterHost, WriterModule, WriterPart } from './writer-part.js';

/** The part of an extension in the writer thread, as the start message names it. */
export interface WriterExtension {
  readonly name: string;
  /** Of its module. */
  readonly url: string;
  /** What it is given by the HTTP thread. */
  readonly given?: unknown;
}

/** The parts that extensions have in the writer thread. */
export class WriterExtensions {
  private readonly parts: readonly WriterPart[];
  private readonly onFault: (error: unknown) => void;

  private constructor(parts: readonly WriterPart[], onFault: (error: unknown) => void) {
    this.parts = parts;
    this.onFault = onFault;
  }

  /** Loads them, one after the other. */
  static async open(
    extensions: readonly WriterExtension[],
    dbPath: string,
    host: Omit<WriterHost, 'folder' | 'given'>,
  ): Promise<WriterExtensions> {
    const parts: WriterPart[] = [];
    for (const { name, url, given } of extensions) {
      const { openInWriter } = (await import(url)) as WriterModule;
      const folder = (): string => {
        makeFolder(join(dbPath, name));
        return join(dbPath, name);
      };
      parts.push(await openInWriter({ ...host, folder, given }));
    }
    return new WriterExtensions(parts, host.onFault);
  }

  async beforeBatch(tasks: readonly Task[]): Promise<void> {
    for (const part of this.parts) await part.beforeBatch?.(tasks);
  }

  afterCommit(tasks: readonly Task[]): void {
    for (const part of this.parts)
      try {
        part.afterCommit?.(tasks);
      } catch (error) {
        this.onFault(error);
      }
  }

  /** Does tasks of a kind of theirs. Throws ApiError where no extension that is served does them. */
  readonly run: TaskRunner = async (tasks, context) => {
    const { type } = tasks[0]!.content;
    const runner = this.parts.map(({ runners = {} }) => own(runners, type)).find((one) => one !== undefined);
    if (runner === undefined) throw apiError('internal', 'unknownTask', type);
    return runner(tasks, context);
  };

  async close(): Promise<void> {
    for (const part of this.parts) await part.close?.();
  }
}
