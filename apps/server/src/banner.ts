import { resolve } from 'node:path';
import { API_VERSION, formatByteSize, PRODUCT_VERSION, type ServerOptions } from '@fossick/configuration';

/** What the terminal is told of a server that has started. */
export interface StartFacts {
  readonly url: string;
  /** No server has started on this database before. */
  readonly isFirst: boolean;
  readonly indexCount: number;
  /** Experimental features that are on. */
  readonly features: readonly string[];
}

/** What is on, and where the data lies: for people, when the log is for people too. */
export function startBanner(options: ServerOptions, { url, isFirst, indexCount, features }: StartFacts): string {
  const rows: readonly (readonly [string, string])[] = [
    ['listens on', `${url}${options.tls === null ? '' : ' (HTTP/2 and HTTP/1 over TLS)'}`],
    ['environment', options.isProduction ? 'production' : 'development'],
    ['database', `${resolve(options.dbPath)} (${indexCount === 1 ? '1 index' : `${indexCount} indexes`})`],
    ['dumps', resolve(options.dumpFolder)],
    ['snapshots', `${resolve(options.snapshotFolder)}${scheduleOf(options)}`],
    [
      'memory',
      `${formatByteSize(options.maxSearchBytes)} for searches, ${formatByteSize(options.maxIndexingBytes)} for indexing`,
    ],
    ['master key', options.masterKey === null ? 'none: every route is open' : 'set: routes ask for a key'],
    ['usage data', usageLine(options)],
    ['features', features.length === 0 ? 'no experimental ones' : features.join(', ')],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
  const told = isFirst && options.hasAnalytics ? `${usageNotice(options)}\n` : '';
  return `Fossick ${PRODUCT_VERSION}, API ${API_VERSION}\n${lines.join('\n')}\n${told}`;
}

function scheduleOf({ snapshotEverySeconds: seconds }: ServerOptions): string {
  return seconds === null ? '' : `, one every ${seconds} seconds`;
}

function usageLine({ hasAnalytics, usageDataUrl }: ServerOptions): string {
  if (!hasAnalytics) return 'not counted';
  return usageDataUrl === null ? 'counted, and sent nowhere' : `counted, and sent to ${usageDataUrl} every hour`;
}

/** What the first start on a database says of usage data. */
export function usageNotice({ usageDataUrl }: ServerOptions): string {
  const where = usageDataUrl === null ? 'They are sent nowhere' : `They are sent to ${usageDataUrl} every hour`;
  return (
    'This server counts what it is used for: requests by route, members of searches and settings, sizes; never content, names or addresses. ' +
    `${where}; GET /usage-data shows them, --no-analytics switches it off.`
  );
}
