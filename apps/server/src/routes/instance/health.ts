import {
  API_VERSION,
  checkIndexUid,
  completing,
  featuresBody,
  formatByteSize,
  readFields,
  readQuery,
  STATS_QUERY,
} from '@fossick/api';
import { apiError } from '@fossick/base';
import { indexStats } from '@fossick/search-service';
import { lostStoreCount } from '@fossick/storage';
import { authorize, pathOf, queryOf, type ServerContext, sendJson } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import type { Router } from '../../http/router.js';

const completeStats = completing(STATS_QUERY);

/** The parameter `fresh` of a query, in milliseconds: `10s`, `500ms`, `2m`. Other parameters are ignored. */
function freshMs(query: string): number | undefined {
  const text = new URLSearchParams(query).get('fresh');
  if (text === null) return undefined;
  const [, digits, unit] = /^(\d{1,9})(ms|s|m)$/.exec(text) ?? [];
  if (digits === undefined) throw apiError('bad_request', 'fresh', text);
  return Number(digits) * (unit === 'm' ? 60_000 : unit === 's' ? 1_000 : 1);
}

/**
 * Resolves when no task is taken for a running one that another instance of a shared log has shown as done. Statistics need no
 * log: while it is away they are what this instance knows.
 */
export async function knowsEnds({ gateway, tasks }: EndsSource): Promise<void> {
  if (tasks.count({ statuses: ['processing'] }) > 0) await gateway.caughtUp().catch(() => undefined);
}
interface EndsSource {
  readonly gateway: Pick<ServerContext['gateway'], 'caughtUp'>;
  readonly tasks: Pick<ServerContext['tasks'], 'count'>;
}

/** Health, version, statistics and experimental features. */
export function registerHealth(router: Router, context: ServerContext): void {
  router.on('GET', '/health', (request, reply) => {
    const { sharedLog } = context;
    const fresh = freshMs(queryOf(request));
    if (fresh !== undefined && sharedLog !== undefined && sharedLog.silentMs > fresh)
      return sendJson(reply, { status: 'replicaBehind' }, 503);
    if (context.queueCompaction.mustRestart) return sendJson(reply, { status: 'mustRestart' }, 500);
    // for the moments in which a store is opened anew because the disk failed to write its head
    if (lostStoreCount() > 0) return sendJson(reply, { status: 'storeUnavailable' }, 503);
    return sendJson(reply, { status: 'available' });
  });
  router.on('GET', '/version', (request, reply) => {
    authorize(context, request, 'version');
    return sendJson(reply, { commitSha: 'unknown', commitDate: 'unknown', pkgVersion: API_VERSION });
  });
  router.on('GET', '/stats', async (request, reply) => {
    const access = authorize(context, request, 'stats.get');
    const query = completeStats(readQuery(queryOf(request), STATS_QUERY));
    await knowsEnds(context);
    const infos = context.engine.indexes().filter(({ uid }) => access.allowsIndex(uid));
    const sizes = [context.engine.size(), context.storeSize()];
    const size = sizeWriter(query.sizeFormat);
    const withTables = query.showInternalDatabaseSizes;
    const isIdle = context.tasks.uids({ statuses: ['processing'] }).length === 0;
    const updates = infos.map(({ updatedAt }) => updatedAt).sort();
    return sendJson(reply, {
      databaseSize: size(sizes.reduce((sum, { diskBytes }) => sum + diskBytes, 0)),
      usedDatabaseSize: size(sizes.reduce((sum, { usedBytes }) => sum + usedBytes, 0)),
      lastUpdate: updates.at(-1) ?? null,
      indexes: Object.fromEntries(
        infos.map(({ uid }) => [uid, indexStats(context, uid, { size, withTables, isIdle })]),
      ),
    });
  });
  router.on('GET', '/indexes/:indexUid/stats', async (request, reply) => {
    authorize(context, request, 'stats.get');
    const query = completeStats(readQuery(queryOf(request), STATS_QUERY));
    await knowsEnds(context);
    const uid = checkIndexUid(pathOf<'indexUid'>(request).indexUid);
    if (context.engine.index(uid) === undefined) throw apiError('index_not_found', 'one', uid);
    const size = sizeWriter(query.sizeFormat);
    const withTables = query.showInternalDatabaseSizes;
    return sendJson(reply, indexStats(context, uid, { size, withTables, isIdle: false }));
  });
  router.on('GET', '/experimental-features', (request, reply) => {
    authorize(context, request, 'experimental.get');
    return sendJson(reply, context.features.all());
  });
  router.on('PATCH', '/experimental-features', async (request, reply) => {
    authorize(context, request, 'experimental.update');
    const body = await readJson(request, context.options.readLimitBytes);
    await context.features.change(readFields(body, featuresBody(context.features.added)));
    return sendJson(reply, context.features.all());
  });
}

function sizeWriter(format: 'raw' | 'human'): (bytes: number) => number | string {
  return format === 'human' ? formatByteSize : (bytes) => bytes;
}
