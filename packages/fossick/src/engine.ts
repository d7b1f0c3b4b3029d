import { checkIndexUid, type GivenIndex, INDEX_CREATION_BODY, MULTI_SEARCH_BODY, readFields } from '@fossick/api';
import { OPEN_ACCESS } from '@fossick/instance/access';
import { openInstance, prepareFolder } from '@fossick/runtime';
import { answerFederated, answerSeparately } from '@fossick/search-service';
import { type EngineOptions, readEngineOptions, serverOptions } from './engine-options.js';
import { newMemoryFolder } from './memory-folder.js';
import type { FederatedAnswer, Federation, MultiSearch, Query, QueryAnswer } from './multi-search.js';
import { given, plain } from './plain-arguments.js';
import { Index } from './search-index.js';
import { Session } from './session.js';

/** Figures of an index. Dates are RFC 3339. */
export interface IndexInfo {
  readonly uid: string;
  readonly primaryKey: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/**
 * A search engine within this process: the engine of the server, without HTTP. Indexing and searches of large indexes
 * run in threads of their own, so the caller's thread stays free. A pending change keeps the process alive; otherwise
 * an open engine does not.
 */
export interface Engine extends MultiSearch, AsyncDisposable {
  /** An index by its name; it need not exist yet. `T`: the type of its documents. Throws ApiError invalid_index_uid. */
  index<T extends object = Record<string, unknown>>(uid: string): Index<T>;
  /** Creates an empty index. @throws ApiError index_already_exists */
  createIndex<T extends object = Record<string, unknown>>(uid: string, options?: GivenIndex): Promise<Index<T>>;
  indexes(): Promise<readonly IndexInfo[]>;
  /**
   * Swaps two indexes, documents and settings, in one step that no search sees halfway: for replacing an index by a
   * newly built one.
   */
  swapIndexes(left: string, right: string): Promise<void>;
  /** Waits for running calls, then releases everything. An engine in memory loses its data. */
  close(): Promise<void>;
}

/**
 * Opens an engine on a folder, or in memory. Throws LaunchError when another process uses the folder, or it cannot be
 * used.
 */
export async function createEngine(given: EngineOptions = {}): Promise<Engine> {
  const options = readEngineOptions(given);
  const memory = options.path === undefined ? newMemoryFolder() : undefined;
  try {
    const folder = options.path ?? memory!.path;
    const warn = options.onWarning ?? ((message: string) => process.emitWarning(message, 'FossickWarning'));
    const server = serverOptions(folder, options);
    const own = await prepareFolder(server);
    for (const warning of [own.claim.warning, ...own.warnings]) if (warning !== null) warn(warning);
    try {
      const session = new Session((tasks) => {
        const writerOptions = { isDeferred: true, isLoose: true, onReport: tasks.note.bind(tasks) };
        return openInstance({ options: server, own, onFault: warn, writerOptions });
      });
      return new OpenEngine(session, () => memory?.remove());
    } catch (error) {
      own.claim.release();
      throw error;
    }
  } catch (error) {
    memory?.remove();
    throw error;
  }
}

class OpenEngine implements Engine {
  private readonly session: Session;
  private readonly onClosed: () => void;
  private closing: Promise<void> | undefined;

  constructor(session: Session, onClosed: () => void) {
    this.session = session;
    this.onClosed = onClosed;
  }

  index<T extends object>(uid: string): Index<T> {
    return new Index<T>(this.session, uid);
  }

  createIndex<T extends object>(uid: string, options: GivenIndex = {}) {
    return this.session.use(async () => {
      const index = new Index<T>(this.session, uid);
      const { primaryKey = null } = readFields({ ...given(options), uid: index.uid }, INDEX_CREATION_BODY);
      await this.session.run({ type: 'indexCreation', indexUid: index.uid, primaryKey });
      return index;
    });
  }

  indexes(): Promise<readonly IndexInfo[]> {
    return this.session.use(({ engine }) => engine.indexes());
  }

  swapIndexes(left: string, right: string): Promise<void> {
    return this.session.use(async () => {
      const indexes = [checkIndexUid(plain(left) as string), checkIndexUid(plain(right) as string)] as const;
      await this.session.run({ type: 'indexSwap', swaps: [{ indexes, rename: false }] });
    });
  }

  multiSearch<T extends object>(queries: readonly Query<T>[]): Promise<readonly QueryAnswer<T>[]>;
  multiSearch<T extends object>(queries: readonly Query<T>[], federation: Federation): Promise<FederatedAnswer<T>>;
  multiSearch(queries: readonly Query[], federation?: Federation): Promise<unknown> {
    return this.session.use(async (instance) => {
      const merged = federation === undefined ? {} : { federation: given(federation) };
      const body = readFields({ queries: plain(queries) ?? null, ...merged }, MULTI_SEARCH_BODY);
      const asked = body.queries!;
      if (body.federation === undefined || body.federation === null) {
        const answers = await answerSeparately(instance, OPEN_ACCESS, asked, { withMetadata: false });
        return answers.map(({ indexUid, bytes }) => ({ indexUid, ...(JSON.parse(bytes.toString('utf8')) as object) }));
      }
      const extras = { withMetadata: false, isProxied: false };
      const bytes = await answerFederated(instance, OPEN_ACCESS, asked, body.federation, extras);
      return JSON.parse(bytes.toString('utf8')) as unknown;
    });
  }

  close(): Promise<void> {
    this.closing ??= this.session.close().finally(this.onClosed);
    return this.closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
