import { resolve } from 'node:path';
import { API_VERSION, formatByteSize, PRODUCT_VERSION } from '@fossick/api';
import type { ServerOptions } from '@fossick/instance';

/** Facts that the terminal shows of a started server. */
export interface StartFacts {
  readonly url: string;
  /** Whether this is the first server on this database. */
  readonly isFirst: boolean;
  readonly indexCount: number;
  /** The enabled experimental features. */
  readonly features: readonly string[];
  /** Rows of extensions. */
  readonly ofExtensions: readonly (readonly [name: string, value: string])[];
}

/** What is enabled, and where the data are: shown to people when the log has the form for people. */
export function startBanner(
  options: ServerOptions,
  { url, isFirst, indexCount, features, ofExtensions }: StartFacts,
): string {
  const rows: readonly (readonly [string, string])[] = [
    ['listens on', `${url}${options.tls === null ? '' : ' (HTTP/2 and HTTP/1 over TLS)'}`],
    ['environment', options.isProduction ? 'production' : 'development'],
    ['database', `${resolve(options.dbPath)} (${indexCount === 1 ? '1 index' : `${indexCount} indexes`})`],
    ...ofExtensions,
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
  const notice = isFirst && options.countsUsage ? `${usageNotice(options)}\n` : '';
  return `Fossick ${PRODUCT_VERSION}, API ${API_VERSION}\n${lines.join('\n')}\n${notice}`;
}

/** What to do next with the films of `--sample`; `fault` says why they were not loaded, null when they were. */
export function sampleSteps(
  { masterKey, isProduction }: Pick<ServerOptions, 'masterKey' | 'isProduction'>,
  url: string,
  fault: string | null,
): string {
  const page = isProduction ? '' : ': open it in a browser for the dashboard';
  const auth = masterKey === null ? '' : " -H 'Authorization: Bearer YOUR_KEY'";
  const next =
    fault === null
      ? `Try: curl '${url}/indexes/movies/search?q=jurasic+park&limit=3'${auth}`
      : `The sample films were not loaded: ${fault}`;
  return `Fossick answers on ${url}${page}\n${next}\n`;
}

function usageLine({ countsUsage, usageDataUrl }: ServerOptions): string {
  if (!countsUsage) return 'not counted';
  return usageDataUrl === null ? 'counted, and sent nowhere' : `counted, and sent to ${usageDataUrl} every hour`;
}

/** The notice about usage data at the first start on a database. */
export function usageNotice({ usageDataUrl }: ServerOptions): string {
  const where = usageDataUrl === null ? 'They are sent nowhere' : `They are sent to ${usageDataUrl} every hour`;
  return (
    'This server counts what it is used for: requests by route, members of searches and settings, sizes; never content, names or addresses. ' +
    `${where}; GET /usage-data shows them, --no-analytics switches it off.`
  );
}
