import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { makeFolder } from '@fossick/base/durable-names';
import type {
  ApiPart,
  ArrivedRequest,
  Asker,
  ExtensionHost,
  ExtensionRoute,
  OpenExtension,
  RequestNote,
} from '@fossick/runtime/extension';
import type { AnsweredSearch, CarriedHeaders } from '@fossick/search-service';
import { OpenAnswers } from '../http/answers/open-answers.js';
import type { ServedExtension } from './served-extensions.js';

/** What a server gives its extensions, each of which gets a folder of its own. */
export type ExtensionsHost = Omit<ExtensionHost, 'folder' | 'onFault'>;

type Note = (search: AnsweredSearch) => void;

/** The extensions of a running server. */
export class OpenExtensions {
  /** Their answers that go on for long. */
  readonly lasting = new OpenAnswers();
  readonly names: readonly string[];
  private readonly opened: readonly OpenExtension[];
  /** Those that look at searches. */
  private readonly noting: readonly NonNullable<OpenExtension['noteSearch']>[];
  private readonly carrying: readonly NonNullable<OpenExtension['carried']>[];
  private readonly notingRequests: readonly NonNullable<OpenExtension['noteRequest']>[];
  /** Of requests that are not answered yet. */
  private readonly requests = new WeakMap<IncomingMessage, readonly RequestNote[]>();

  private constructor(names: readonly string[], opened: readonly OpenExtension[]) {
    this.names = names;
    this.opened = opened;
    this.noting = opened.flatMap((one) => one.noteSearch?.bind(one) ?? []);
    this.carrying = opened.flatMap((one) => one.carried?.bind(one) ?? []);
    this.notingRequests = opened.flatMap((one) => one.noteRequest?.bind(one) ?? []);
  }

  /** Loads and opens them, one after the other. */
  static async open(served: readonly ServedExtension[], host: ExtensionsHost): Promise<OpenExtensions> {
    const opened: OpenExtension[] = [];
    for (const { name, configured } of served) opened.push(await configured.open(hostOf(name, host)));
    const names = served.map(({ name }) => name);
    return new OpenExtensions(names, opened);
  }

  /** Those that look at requests before they are answered. */
  get admissions(): readonly NonNullable<OpenExtension['admit']>[] {
    return this.opened.flatMap((one) => one.admit?.bind(one) ?? []);
  }

  get routes(): readonly ExtensionRoute[] {
    return this.opened.flatMap(({ routes = [] }) => routes);
  }

  /** What is called with each search of a request that was answered; undefined for nothing. */
  noteOf(asker: Asker): Note | undefined {
    if (this.noting.length === 0) return undefined;
    const notes = this.noting.flatMap((noteSearch) => noteSearch(asker) ?? []);
    if (notes.length < 2) return notes[0];
    return (search) => {
      for (const note of notes) note(search);
    };
  }

  /** Headers for requests to other instances on behalf of one; undefined for none. */
  carriedBy(asker: Asker): CarriedHeaders | undefined {
    if (this.carrying.length === 0) return undefined;
    return Object.assign({}, ...this.carrying.map((carried) => carried(asker)));
  }

  /** Whether any looks at requests. */
  get hasRequestNotes(): boolean {
    return this.notingRequests.length > 0;
  }

  /** Tells those that look at requests of one; the notes of it, to be told its end. */
  noteRequest(raw: IncomingMessage, request: ArrivedRequest): readonly RequestNote[] {
    const notes = this.notingRequests.flatMap((noteRequest) => noteRequest(request) ?? []);
    if (notes.length > 0) this.requests.set(raw, notes);
    return notes;
  }

  /** A task was registered for a request. */
  noteTask(raw: IncomingMessage, uid: number): void {
    for (const note of this.requests.get(raw) ?? []) note.task?.(uid);
  }

  /** Their parts of the OpenAPI document. */
  describe(): Promise<ApiPart[]> {
    return Promise.all(this.opened.flatMap((one) => one.describe?.() ?? []));
  }

  async metrics(): Promise<string> {
    return (await Promise.all(this.opened.map((one) => one.metrics?.() ?? ''))).join('');
  }

  listening(): void {
    for (const one of this.opened) one.listening?.();
  }

  /** Ends the answers that go on, and resolves when their clients have read it, or do not. */
  async stop(): Promise<void> {
    for (const one of this.opened) one.stopping?.();
    await this.lasting.ended();
  }

  async close(): Promise<void> {
    await Promise.all(this.opened.map((one) => one.close?.()));
  }
}

function hostOf(name: string, host: ExtensionsHost): ExtensionHost {
  return {
    ...host,
    folder() {
      const folder = join(host.dbPath, name);
      makeFolder(folder);
      return folder;
    },
    onFault: (error) => host.log.warn(`${name}: ${error instanceof Error ? error.message : String(error)}`),
  };
}
