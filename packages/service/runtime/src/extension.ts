import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Operation, PathParameters } from '@fossick/api/openapi';
import type { ApiError } from '@fossick/base';
import type { EngineReader } from '@fossick/index';
import type {
  CommandSpec,
  DatabaseFolders,
  GivenValues,
  OptionGroup,
  OptionValues,
  RestoreHelp,
  ServerOptions,
} from '@fossick/instance';
import type { Access, GuardedIndex } from '@fossick/instance/access';
import type { InstanceClient } from '@fossick/instance/client';
import type { NetworkPolicy } from '@fossick/outbound';
import type { AnsweredSearch } from '@fossick/search-service';
import type { Store } from '@fossick/storage';
import type { TaskContent, TaskKind, TaskLog } from '@fossick/tasks';
import type { ArchivedValue } from './archived-value.js';
import type { Instance } from './instance.js';
import type { SharedLog } from './shared-log.js';

export type { ArchivedValue } from './archived-value.js';
export type { SharedLog } from './shared-log.js';
export type { WriterLink } from './writer/writer-link.js';
export type { WriterLog } from './writer/writer-log.js';
export type { WriterHost, WriterModule, WriterPart } from './writer/writer-part.js';

/**
 * A feature beyond the core, in a package of its own below `packages/extensions`. The server has a list of them
 * (`apps/server/src/extensions/extension-list.ts`), and nothing else names one: a folder that is deleted, and taken off
 * that list, leaves a server that builds and serves everything else.
 *
 * This object is the extension as every start knows it, whether it is served or left out: plain data, in a module that
 * imports none of the rest. What it says of options and guarded indexes holds in both cases: an option of an extension
 * that is left out is no error unless it is vital, and an index that it wrote earlier stays hidden. Its code is imported by `open`, in the HTTP
 * thread, once and before the server listens; and by the writer thread, if it has a module for that. Threads that search
 * load nothing of it.
 */
export interface Extension {
  /** Lower-case letters. `--extensions` lists it, and its folder of the database has this name. */
  readonly name: string;
  /**
   * Its options: of the command line, of the environment (`FOSSICK_` and the flag in upper snake case) and of the file. They are
   * described after those of the core. No two options of a server have the same flag.
   */
  readonly options?: OptionGroup;
  /** Indexes that it writes, and that not every key sees. */
  readonly guardedIndexes?: readonly GuardedIndex[];
  /** Experimental features that it adds to `/experimental-features`, off until somebody turns them on: `instance.features` tells. */
  readonly features?: readonly string[];
  /**
   * Kinds of tasks that it adds, whose names no other extension has. `register` of a request, and the intake of the instance, take
   * them as any task; `runners` of its part in the writer thread do them. While the extension is left out its tasks are listed, and
   * those that wait fail.
   */
  readonly taskKinds?: readonly TaskKind[];
  /** The module of its part in the writer thread, a WriterModule (writer/writer-part.ts): `new URL('./name.js', import.meta.url)`. No two of a server have the same file name. */
  readonly writer?: URL;
  /**
   * The module of its part in archives, an ArchiveModule (archived-value.ts), named like that of the writer: stored values that have
   * files of their own. It imports only types, and is loaded when an archive of the instance is written or read, also when the
   * extension is left out: an archive has the whole database.
   */
  readonly archived?: URL;
  /**
   * Copies what it keeps from one running instance to another, by their routes, after everything else (`fossick move`). The source
   * may know none of its routes.
   */
  move?(move: InstanceMove): Promise<void>;
  /** What the command `restore` makes databases of. The first extension of the list that reads its options does it. */
  readonly restore?: RestoreSource;
  /** Commands that it adds to the program. They are refused while the extension is left out. */
  readonly commands?: readonly ExtensionCommand[];
  /** Reads its options; called at each start that serves it, before the database is touched. Throws OptionError. */
  configure(values: OptionValues): ConfiguredExtension;
}

/** One running instance that is copied to another by their routes. */
export interface InstanceMove {
  readonly source: InstanceClient;
  readonly target: InstanceClient;
  readonly report: {
    /** Something was not moved, or not exactly: the move is incomplete. */
    problem(text: string): void;
    /** Something to know or to do, without a failure. */
    note(text: string): void;
    count(what: string, moved: number, of: number): void;
  };
}

export interface RestoreSource extends RestoreHelp {
  /**
   * Reads the options of the command; undefined where they ask for something else. What it returns makes a whole database, or none, in
   * a folder that is claimed, and resolves with a line for the operator, or null for none. Throws OptionError, and what it returns LaunchError.
   */
  read(from: string, command: CommandHost): ((dbPath: string) => Promise<string | null>) | undefined;
}

export interface ExtensionCommand extends CommandSpec {
  /** Does it, and writes what it did to the standard output; false: not all of it. Throws OptionError, LaunchError and ApiError. */
  run(command: CommandHost): Promise<boolean>;
}

/** A command that runs, as its extension sees it. */
export interface CommandHost {
  readonly options: ServerOptions;
  /** Its argument. */
  readonly file: string | null;
  /** Its own options. */
  readonly own: GivenValues;
  /** What extensions copy in a move. */
  readonly moves: readonly NonNullable<Extension['move']>[];
  /** The parts of all extensions in archives: loaded with the call. */
  archived(): Promise<readonly ArchivedValue[]>;
  /** Runs `work` on the database of the options, which no server has open, and prevents servers from opening it meanwhile. Throws LaunchError. */
  withDatabase<T>(work: (database: OpenedDatabase) => Promise<T>): Promise<T>;
  /** Starts a server with these options in this process. Throws LaunchError. */
  startServer(options: ServerOptions): Promise<{ readonly url: string; close(): Promise<void> }>;
}

/** Stores of a database open for reading, none of which another process has open. */
export interface OpenedDatabase {
  readonly folders: DatabaseFolders;
  readonly tasks: TaskLog;
  readonly authStore: Store;
  readonly engine: EngineReader;
}

export interface ConfiguredExtension {
  /** Rows that a start shows in the terminal: what, and what it is. */
  readonly shown?: readonly (readonly [name: string, value: string])[];
  /** Called when the folder and the address are claimed, before anything of a database is read: may make one in an empty folder. Throws LaunchError. */
  prepare?(host: PrepareHost): Promise<void>;
  /**
   * Opens the log that this instance shares with others, when the folder is claimed and before its stores are opened. A
   * server refuses to start with two that have one. Throws LaunchError.
   */
  openLog?(host: LogHost): Promise<SharedLog>;
  /** Called once, when the database is open. */
  open(host: ExtensionHost): Promise<OpenExtension>;
  /** What its part in the writer thread gets, for each thread that takes the place of another one, too: values that can be cloned, and shared memory. */
  readonly forWriter?: unknown;
}

export interface PrepareHost {
  readonly options: ServerOptions;
  readonly dbPath: string;
  /** As that of CommandHost. */
  archived(): Promise<readonly ArchivedValue[]>;
}

export interface LogHost {
  readonly folders: DatabaseFolders;
  readonly masterKey: string | null;
}

/** What an extension gets of the server that opens it. */
export interface ExtensionHost {
  /** The open database: indexes, tasks, searches, stored values. An extension changes indexes by tasks, as clients do. */
  readonly instance: Instance;
  /** The folder of the database. */
  readonly dbPath: string;
  /** Its folder in the database, which is made with the first call. Copies of the database are without its files: what they need belongs into an index or a stored value. */
  folder(): string;
  /** The largest body that a route may read, in bytes. */
  readonly bodyBytesMax: number;
  /** The threads that search. */
  readonly searchThreadCount: number;
  /** The addresses that outgoing calls may reach. */
  readonly policy: NetworkPolicy;
  /** Indexes of extensions that not everybody sees: nothing of them leaves the server. */
  readonly hiddenIndexUids: readonly string[];
  /** Whether this server may write what all servers of the database share: of several, one at a time. O(1) */
  leads(): boolean;
  /** Tells the operator of a fault that belongs to no request: one line of the log. */
  onFault(error: unknown): void;
  readonly log: OperatorLog;
  /** Closes the server and starts it again, once, after its start. The operator is told the reason, a sentence. */
  restart(reason: string): void;
}

/** Lines of the log of the server, as they are. Those of a start are written when it has a log. */
export interface OperatorLog {
  info(facts: object, message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** An extension that is served. Its members are read once, when it was opened; their functions are called until `close`. */
export interface OpenExtension {
  /** No two routes of a server have the same method and path. */
  readonly routes?: readonly ExtensionRoute[];
  /** Its part of the OpenAPI document: one operation for each route. Called with the first request for the document. */
  describe?(): Promise<ApiPart>;
  /** Lines of metrics in the text format of Prometheus 0.0.4, each with a line feed. Lines that name an index in quotes are left out for keys that do not see it. */
  metrics?(): string | Promise<string>;
  /**
   * Called with each request that searches, once it is authorised, but not with those of other instances, which were called where they
   * were asked. What it returns is called with each search of the request that was answered; undefined: with none. Both run
   * while the answer waits: some microseconds, and they must not throw.
   */
  noteSearch?(asker: Asker): ((search: AnsweredSearch) => void) | undefined;
  /**
   * Headers for the requests to other instances that a request leads to, searches and documents of a network; called with each request
   * that may lead to some. None of them replaces one that the server sends.
   */
  carried?(asker: Asker): Readonly<Record<string, string>>;
  /** Called once, as soon as the server listens: loads what need not delay its start. */
  listening?(): void;
  /** Ends the answers that would go on. The server stops, and waits for the requests that run. */
  stopping?(): void;
  /**
   * Called with each request when its headers are read, before it waits for its turn. What it returns is told what becomes of it;
   * undefined: nothing. The request is not held up: some microseconds, and nothing of it may throw.
   */
  noteRequest?(request: ArrivedRequest): RequestNote | undefined;
  /**
   * Called with each request, before its rights are checked and its body is read; it waits until this resolves. Throws ApiError to refuse it.
   * Requests of the server to itself, which warm it up, are among them, though no other function hears of these.
   */
  admit?(request: AdmittedRequest): Promise<void>;
  /** Ends its timers and writes what it has in memory. No request runs any more; the database is still open. */
  close?(): Promise<void>;
}

/** Who asks, as far as an extension is told. */
export interface Asker {
  /** As the client sent them, with its key: that is checked already, and is neither kept nor logged. */
  readonly headers: IncomingHttpHeaders;
  /** Tells clients apart; nothing of it is read. */
  readonly connection: object;
}

/** A request whose rights are not checked: anybody may have sent it. `headers` is the object that `noteSearch` gets. */
export interface ArrivedRequest extends Asker {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly url: string;
  /** `1.1` or `2.0`. */
  readonly httpVersion: string;
  readonly isEncrypted: boolean;
}

/** A request that waits for `admit`. */
export interface AdmittedRequest extends Asker {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Whether it has a valid key or token, of whatever rights, or none is needed. */
  isKnown(): boolean;
  /** Of the answer, also if it is an error. */
  setHeader(name: string, value: string | number): void;
  /** Calls `listener` when the answer is there, and before its headers are sent. */
  onAnswer(listener: () => void): void;
}

export interface RequestNote {
  /** A task was registered for it, and is durable. */
  task?(uid: number): void;
  /** Called once: its answer is sent, or its client has left. */
  end(outcome: RequestOutcome): void;
}

export interface RequestOutcome {
  /** The pattern of its route; undefined where there is none. */
  readonly route: string | undefined;
  readonly status: number;
  /** The client left before the end of the answer; it may not have seen the status. */
  readonly isCut: boolean;
}

export interface ExtensionRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Its pattern: `/path/:name`. The other methods of the path are answered 405. */
  readonly path: string;
  /** What the key of a request needs, checked before `answer` is called, and on the index when the path has `:indexUid`. Null: no key is needed. */
  readonly action: string | null;
  /** The experimental feature that must be on. */
  readonly feature?: string;
  /** What a request waits for before its rights are checked. */
  turn?(): Promise<void>;
  /** Errors of users are ApiErrors; others are faults of the extension, answered 500. */
  answer(request: ExtensionRequest): Promise<ExtensionAnswer> | ExtensionAnswer;
}

export interface ExtensionRequest extends Asker {
  readonly access: Access;
  /** The parameters of the path. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The raw query, without the question mark. */
  readonly query: string;
  /** The answer, which is closed once the client ends its side of the connection: `close` tells that it has left, or has read it. */
  untilLeft(): Pick<ServerResponse, 'once' | 'off' | 'destroyed'>;
  /** Reads the body, once. @throws ApiError for another media type, and for a body that is longer, has more values, is no JSON, or breaks off */
  json(bytesMax?: number, valuesMax?: number): Promise<unknown>;
  /** Registers a task for the request; resolves with the answer that names it, once it is durable. @throws ApiError, for a full log for example */
  register(content: TaskContent, status: number): Promise<ExtensionAnswer>;
  /** Checks another action than that of the route. @throws ApiError */
  authorize(action: string): Access;
  /**
   * The right to an answer that goes on for long. It is lost when `check` fails or gives other rights, which is looked at after each
   * change of keys and features, and when the key or token expires: then `onLost` is called, once. A server that stops
   * waits some seconds until the client has read the end. @throws what `check` throws
   */
  lasting(check: () => readonly (Access | undefined)[], onLost: (reason: ApiError) => void): LastingRight;
  /** Tells the operator of a fault after which the answer ends, or goes on: it is logged as one that is answered 500. */
  onFault(error: unknown): void;
}

/** Disposed when the answer has ended. */
export interface LastingRight extends Disposable {
  /** Whether it still holds; asked before each piece of the answer. */
  holds(): boolean;
}

/** Without `json`, `events` and `file` the answer has no body. */
export interface ExtensionAnswer {
  readonly status: number;
  readonly json?: unknown;
  /** Server-sent events, as bytes. */
  readonly events?: Readable;
  readonly file?: AnsweredFile;
}

/** A file, of which a request may ask for a range. */
export interface AnsweredFile {
  readonly path: string;
  /** What clients save it as. */
  readonly name: string;
  readonly mediaType: string;
  /** The error where there is no such file, or it is a link or something else. */
  readonly missing: ApiError;
}

/** What an extension adds to the OpenAPI document. */
export interface ApiPart {
  /** Families of operations, by their names, with a sentence each. */
  readonly tags: Readonly<Record<string, string>>;
  readonly operations: readonly Operation[];
  /** Parameters of their paths whose names those of the core have not. */
  readonly pathParameters?: PathParameters;
}
