import { randomBytes } from 'node:crypto';
import { MIN_MASTER_KEY_BYTES, own } from '@fossick/base';
import { NetworkPolicy } from '@fossick/outbound';
import { OptionError, type OptionValues } from './option-values.js';

/** Readers of single options. Each throws OptionError that says where a wrong value was given. */
const LOG_LEVELS: Readonly<Record<string, string>> = {
  OFF: 'silent',
  ERROR: 'error',
  WARN: 'warn',
  INFO: 'info',
  DEBUG: 'debug',
  TRACE: 'trace',
};

/** One of several words, in any letter case. */
export function readWord<const T extends string>(values: OptionValues, flag: string, words: readonly T[]): T {
  const given = values.text(flag)!.toLowerCase();
  const word = words.find((each) => each === given);
  if (word === undefined) throw values.wrong(flag, `is none of ${words.join(', ')}`);
  return word;
}

export function readTls(values: OptionValues): TlsFiles | null {
  const [certFile, keyFile] = [values.text('ssl-cert-path'), values.text('ssl-key-path')];
  if (certFile === null && keyFile === null) return null;
  if (certFile === null || keyFile === null) throw new OptionError('--ssl-cert-path and --ssl-key-path go together');
  const authFile = values.text('ssl-auth-path');
  const requiresAuth = values.has('ssl-require-auth');
  if (requiresAuth && authFile === null) throw new OptionError('--ssl-require-auth needs --ssl-auth-path');
  return {
    certFile,
    keyFile,
    authFile,
    requiresAuth,
    ocspFile: values.text('ssl-ocsp-path'),
    allowsResumption: values.has('ssl-resumption'),
    allowsTickets: values.has('ssl-tickets'),
  };
}

/** The names of a comma list, none for an empty one; null when the option is not set. */
export function readNames(values: OptionValues, flag: string): string[] | null {
  const text = values.text(flag);
  return text === null ? null : text.split(',').flatMap((name) => name.trim() || []);
}

export function forcedFeatures(values: OptionValues): string[] {
  const features: readonly (readonly [string, string])[] = [
    ['experimental-enable-metrics', 'metrics'],
    ['experimental-enable-logs-route', 'logsRoute'],
    ['experimental-contains-filter', 'containsFilter'],
    ['experimental-legacy-search-default', 'legacySearch'],
  ];
  return features.filter(([flag]) => values.has(flag)).map(([, feature]) => feature);
}

/** Production refuses to run unprotected, development warns. */
export function checkMasterKey(masterKey: string | null, isProduction: boolean): string[] {
  const isLong = masterKey !== null && Buffer.byteLength(masterKey) >= MIN_MASTER_KEY_BYTES;
  if (isLong) return [];
  const suggestion = `for example --master-key ${randomBytes(32).toString('base64url')}`;
  const problem =
    masterKey === null ? 'no master key is set' : `the master key is shorter than ${MIN_MASTER_KEY_BYTES} bytes`;
  if (isProduction) throw new OptionError(`${problem}, which production does not allow; use a new one, ${suggestion}`);
  return [`${problem}; before going to production use a new one, ${suggestion}`];
}

/** An address to listen on: `host:port`, an IPv6 host in brackets. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** @param text of the option, or what stands for it */
export function readAddress(
  values: OptionValues,
  flag: string,
  example: string,
  text = values.text(flag)!,
): ListenAddress {
  const colon = text.lastIndexOf(':');
  const port = text.slice(colon + 1);
  const host = text.slice(0, Math.max(colon, 0)).replace(/^\[|\]$/g, '');
  if (colon < 0 || host === '' || !/^\d+$/.test(port) || Number(port) > 65_535)
    throw values.wrong(flag, `is not an address; write ${example}`);
  return { host, port: Number(port) };
}

/** An HTTP address; null when none was given. */
export function readUrl(values: OptionValues, flag: string): string | null {
  const text = values.text(flag);
  if (text !== null && (!URL.canParse(text) || !/^https?:/i.test(text)))
    throw values.wrong(flag, 'is not a URL; write http://host/path');
  return text;
}

export function readNetworks(values: OptionValues): string | null {
  const flag = 'experimental-allowed-ip-networks';
  const text = values.text(flag);
  try {
    new NetworkPolicy(text);
    return text;
  } catch (error) {
    throw new OptionError(`${values.originOf(flag)}: ${(error as Error).message}`);
  }
}

/**
 * Origins as browsers send them: `https://host:port`, or `*`. Throws OptionError for an address that has more, or that is
 * none.
 */
export function readOrigins(values: OptionValues, flag: string): string[] {
  return listOf(values, flag).map((text) => {
    if (text === '*') return text;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const rest = url && `${url.username}${url.password}${url.pathname}${url.search}${url.hash}`;
    if (url === undefined || !/^https?:$/.test(url.protocol) || rest !== '/' || url.hostname.includes('*'))
      throw values.wrong(flag, `\`${text}\` is no origin such as https://chat.example.com`);
    return url.origin;
  });
}

/** The origins whose pages may send requests; null for every one. Throws OptionError. */
export function readHttpOrigins(values: OptionValues): readonly string[] | null {
  const flag = 'http-allowed-origins';
  if (!values.has(flag)) return null;
  if (values.text(flag)!.trim() === 'none') return [];
  const origins = readOrigins(values, flag);
  if (origins.length === 0) throw values.wrong(flag, 'names no origin; write `none` for no page of another server');
  return origins;
}

const HOST_NAME = /^(\*\.)?(?!\d+(\.\d+)*$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;

/** The names by which the server may be called, in lower case and as DNS has them; null for every one. Throws OptionError. */
export function readHttpHosts(values: OptionValues): readonly string[] | null {
  const flag = 'http-allowed-hosts';
  if (!values.has(flag)) return null;
  const hosts = listOf(values, flag).map((text) => {
    const [, star = '', name = ''] = /^(\*\.)?([^\s/:@?#\\*]+?)\.?$/.exec(text) ?? [];
    const host = URL.canParse(`http://${name}`) ? `${star}${new URL(`http://${name}`).hostname}` : '';
    if (!HOST_NAME.test(host))
      throw values.wrong(flag, `\`${text}\` is no name such as search.example.com or *.example.com, without a port`);
    return host;
  });
  if (hosts.length === 0) throw values.wrong(flag, 'names no host');
  return hosts;
}

/** The items of a comma list. */
function listOf(values: OptionValues, flag: string): string[] {
  return (values.text(flag) ?? '')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

export function readLogLevel(values: OptionValues): string {
  const level = own(LOG_LEVELS, values.text('log-level')!.toUpperCase());
  if (level === undefined) throw values.wrong('log-level', `is none of ${Object.keys(LOG_LEVELS).join(', ')}`);
  return level;
}

/** Files of PEM (OCSP: DER) for serving HTTPS. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly authFile: string | null;
  readonly requiresAuth: boolean;
  readonly ocspFile: string | null;
  readonly allowsResumption: boolean;
  readonly allowsTickets: boolean;
}
