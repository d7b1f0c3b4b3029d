import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { checkFilterGates, coversIndex, refuseForeign, type SearchFeatures } from '@fossick/api';
import type { JsonObject } from '@fossick/base';
import { apiError, BatchCanceled, own, setOwn } from '@fossick/base';
import { toJsonText } from '@fossick/documents';
import type { EngineReader, IndexInfo } from '@fossick/index';
import { indexAccess, scopeOfTask } from '@fossick/instance/access';
import type { NetworkPolicy } from '@fossick/outbound';
import { type DocumentsQuery, documentWithVectors, listDocuments } from '@fossick/search';
import { type IndexSettings, withoutOwnDefaults } from '@fossick/settings';
import type { ExecuteContext } from '@fossick/tasks';
import type { ExportContent } from '../task-kinds.js';
import { RemoteInstance } from './remote-instance.js';

const compress = promisify(gzip);
const DOCUMENTS_PER_PAGE = 1_000;

export interface ExportOptions {
  readonly engine: EngineReader;
  readonly features: SearchFeatures;
  readonly policy: NetworkPolicy;
  /** How long requests to a failing instance are repeated, in milliseconds. */
  readonly retryMs?: number;
}
/** One index being exported. */
interface Shipment {
  readonly info: IndexInfo;
  readonly settings: IndexSettings;
  readonly rule: JsonObject;
  readonly matchedDocuments: number;
}

/**
 * Sends indexes with their settings and documents to another instance. Returns the details of the task: what was sent
 * of each index. Throws ApiError for invalid filters, addresses and sizes, and internal when the other instance fails;
 * what it has accepted stays there.
 */
export async function exportIndexes(
  options: ExportOptions,
  content: ExportContent,
  context: ExecuteContext,
): Promise<JsonObject> {
  const shipments = chooseIndexes(options, content);
  const remote = new RemoteInstance({
    url: content.url,
    apiKey: content.apiKey,
    policy: options.policy,
    watchCanceled: (listener) => context.watchCanceled(listener),
    ...(options.retryMs === undefined ? {} : { retryMs: options.retryMs }),
  });
  try {
    return { indexes: await sendAll(options.engine, remote, shipments, content.payloadBytes, context) };
  } finally {
    await remote.close();
  }
}

async function sendAll(
  engine: ExportOptions['engine'],
  remote: RemoteInstance,
  shipments: readonly Shipment[],
  payloadBytes: ExportContent['payloadBytes'],
  context: ExecuteContext,
): Promise<JsonObject> {
  const indexes: Record<string, JsonObject> = {};
  for (const [at, shipment] of shipments.entries()) {
    const step = `Exporting index \`${shipment.info.uid}\``;
    context.onProgress(step, at, shipments.length);
    await prepareIndex(remote, shipment);
    await sendDocuments(engine, remote, shipment, payloadBytes, context);
    const { matchedDocuments } = shipment;
    // the documented name, and the one that the reference engine's answers have
    const counts = { matchedDocuments, matched_documents: matchedDocuments };
    setOwn(indexes, shipment.info.uid, { ...shipment.rule, ...counts });
  }
  return indexes;
}

/** Every index with the first pattern that matches it, patterns in alphabetical order; filters are checked here. */
function chooseIndexes({ engine, features }: ExportOptions, { indexes, scope }: ExportContent): Shipment[] {
  const patterns = Object.keys(indexes).sort();
  const access = indexAccess(scopeOfTask(scope));
  return engine.indexes().flatMap((info): Shipment[] => {
    const pattern = patterns.find((each) => coversIndex(each, info.uid));
    if (pattern === undefined || !access.allowsIndex(info.uid)) return [];
    const rule = own(indexes, pattern)!;
    const filter = rule.filter ?? null;
    checkFilterGates(filter, features);
    refuseForeign(filter);
    const query: DocumentsQuery = { offset: 0, limit: 0, ids: null, filter, sort: null };
    const matchedDocuments = engine.withView(info.uid, (view) => listDocuments(view, query).total);
    return [{ info, settings: engine.settings(info.uid), rule, matchedDocuments }];
  });
}

/** Creates the index if it does not exist; a new index gets the settings, an existing one only on request. */
async function prepareIndex(remote: RemoteInstance, { info, settings, rule }: Shipment): Promise<void> {
  const path = `/indexes/${info.uid}`;
  const { status } = await remote.call({ method: 'GET', path }, [404]);
  const { uid, primaryKey } = info;
  if (status === 404) await remote.call({ method: 'POST', path: '/indexes', ...json({ uid, primaryKey }) });
  else if (rule.overrideSettings !== true) return;
  else if (primaryKey !== null) await remote.call({ method: 'PATCH', path, ...json({ primaryKey }) });
  await remote.call({ method: 'PATCH', path: `${path}/settings`, ...json(sentSettings(settings)) });
}

/** All settings, secrets included; those that need an experimental feature only when they are set here. */
function sentSettings(settings: IndexSettings): object {
  const { chat, foreignKeys, ...others } = withoutOwnDefaults(settings);
  return {
    ...others,
    ...(foreignKeys.length > 0 ? { foreignKeys } : {}),
    ...(Object.keys(chat).length > 0 ? { chat } : {}),
  };
}

async function sendDocuments(
  engine: EngineReader,
  remote: RemoteInstance,
  { info, settings, rule, matchedDocuments }: Shipment,
  payloadBytes: number,
  context: ExecuteContext,
): Promise<void> {
  const { uid, primaryKey } = info;
  const key = primaryKey === null ? '' : `?primaryKey=${encodeURIComponent(primaryKey)}`;
  const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' };
  let lines: Buffer[] = [];
  let heldBytes = 0;
  const flush = async (): Promise<void> => {
    if (lines.length === 0) return;
    const body = await compress(Buffer.concat(lines));
    await remote.call({ method: 'POST', path: `/indexes/${uid}/documents${key}`, body, headers });
    [lines, heldBytes] = [[], 0];
  };
  for (let offset = 0; offset < matchedDocuments; offset += DOCUMENTS_PER_PAGE) {
    if (context.isCanceled()) throw new BatchCanceled('the export was canceled');
    const query: DocumentsQuery = {
      offset,
      limit: DOCUMENTS_PER_PAGE,
      ids: null,
      filter: rule.filter ?? null,
      sort: null,
    };
    const { documents } = engine.withView(uid, (view) => listDocuments(view, query));
    for (const document of documents) {
      const line = Buffer.from(`${toJsonText(documentWithVectors(document, settings))}\n`, 'utf8');
      if (line.length > payloadBytes) throw apiError('invalid_export_payload_size', uid, line.length);
      if (heldBytes + line.length > payloadBytes) await flush();
      lines.push(line);
      heldBytes += line.length;
    }
    context.onProgress('document', Math.min(offset + DOCUMENTS_PER_PAGE, matchedDocuments), matchedDocuments);
  }
  await flush();
}

function json(value: unknown): { body: Buffer; headers: Record<string, string> } {
  return { body: Buffer.from(toJsonText(value), 'utf8'), headers: { 'content-type': 'application/json' } };
}
