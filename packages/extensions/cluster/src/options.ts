import { isIP } from 'node:net';
import {
  integerOption,
  OptionError,
  type OptionGroup,
  type OptionValues,
  readAddress,
  readWord,
  textOption,
} from '@fossick/instance';
import { MAX_CLUSTER_SECRET_BYTES, MIN_CLUSTER_SECRET_BYTES } from './limits.js';

/** Files of PEM: the certificate and key of this node, and the authorities that sign those of all nodes. */
export interface ClusterTls {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
}

/** A node of a cluster. */
export interface ClusterOptions {
  /** `postgres://…` or `file:///folder`; null: the log is in the store of objects. */
  readonly logUrl: string | null;
  /** `s3://bucket/prefix?…` or `file:///folder`. */
  readonly objectsUrl: string;
  /** The address of this node for the others. */
  readonly url: string;
  /** Where it listens for them. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly secret: string | null;
  readonly tls: ClusterTls | null;
  /** `reader`: never leads. */
  readonly role: 'all' | 'reader';
  /** What a task waits for before it is shown as succeeded: all nodes in contact, or the leader alone. */
  readonly visible: 'all' | 'leader';
  /** What a node without contact does with reads. */
  readonly stale: 'serve' | 'refuse';
  /** Hours for which the log can be read again. */
  readonly keepHours: number;
  /** Milliseconds that records wait for others to share their entry. */
  readonly lingerMs: number;
}

export const CLUSTER_OPTIONS: OptionGroup = {
  title: 'A cluster',
  options: [
    textOption(
      'cluster-objects',
      'store of objects that all nodes share: s3://bucket/prefix or file:///folder',
      'no cluster',
    ),
    textOption(
      'cluster-log',
      'log that all nodes share: postgres://user@host/database, s3 (in the store of objects) or file:///folder',
      '=s3',
    ),
    textOption('cluster-url', 'address of this node for the others: https://host:port'),
    textOption('cluster-listen', 'address to listen on for the others', 'that of --cluster-url'),
    textOption('cluster-secret', 'secret of all nodes, at least 16 bytes'),
    textOption('cluster-tls-cert', 'certificate chain (PEM) of this node, for the others'),
    textOption('cluster-tls-key', 'private key (PEM) of the certificate'),
    textOption('cluster-tls-ca', 'certificate authorities (PEM) of the certificates of all nodes'),
    textOption('cluster-role', 'all, or reader: never leads', '=all'),
    textOption(
      'cluster-visible',
      'where a task can be searched when it is shown as succeeded: on all nodes in contact, or the leader',
      '=all',
    ),
    textOption('cluster-stale', 'what a node without contact does with reads: serve, or refuse them', '=serve'),
    integerOption('cluster-keep', 'hours for which the log can be read again', 24),
    integerOption('cluster-linger-ms', 'milliseconds that changes wait for others to be written together', 0),
  ],
};

/** Null without `--cluster-objects`. Throws OptionError. */
export function readCluster(values: OptionValues): ClusterOptions | null {
  const objectsUrl = values.text('cluster-objects');
  if (objectsUrl === null) {
    const lone = CLUSTER_OPTIONS.options.find(({ flag }) => values.has(flag));
    if (lone !== undefined) throw new OptionError(`${values.originOf(lone.flag)} needs --cluster-objects`);
    return null;
  }
  checkScheme(values, 'cluster-objects', ['s3', 'file'], 's3://bucket/prefix');
  const tls = readClusterTls(values);
  const url = readNodeUrl(values, tls !== null);
  return {
    logUrl: readLogUrl(values),
    objectsUrl,
    url: url.href.replace(/\/$/, ''),
    listen: readListen(values, url),
    secret: readSecret(values, tls !== null),
    tls,
    role: readWord(values, 'cluster-role', ['all', 'reader']),
    visible: readWord(values, 'cluster-visible', ['all', 'leader']),
    stale: readWord(values, 'cluster-stale', ['serve', 'refuse']),
    keepHours: values.integer('cluster-keep')!,
    lingerMs: values.integer('cluster-linger-ms')!,
  };
}

function readLogUrl(values: OptionValues): string | null {
  const text = values.text('cluster-log');
  if (text === null || text === 's3') return null;
  checkScheme(values, 'cluster-log', ['postgres', 'postgresql', 'file'], 'postgres://user@host/database');
  return text;
}

function checkScheme(values: OptionValues, flag: string, schemes: readonly string[], example: string): void {
  const text = values.text(flag)!;
  const scheme = URL.canParse(text) ? new URL(text).protocol.slice(0, -1) : '';
  // the text may contain a password
  if (!schemes.includes(scheme))
    throw new OptionError(`${values.originOf(flag)}: the scheme is none of ${schemes.join(', ')}; write ${example}`);
}

function readNodeUrl(values: OptionValues, hasTls: boolean): URL {
  const text = values.text('cluster-url');
  if (text === null)
    throw new OptionError(
      '--cluster-objects needs --cluster-url, the address of this node for the others: https://10.0.0.5:7710',
    );
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '')
    throw values.wrong('cluster-url', 'is not an address; write https://host:port');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw values.wrong('cluster-url', 'is plain HTTP, which nodes only use on loopback addresses; write https://');
  if ((url.protocol === 'https:') !== hasTls)
    throw values.wrong(
      'cluster-url',
      hasTls
        ? 'is plain HTTP, but the node has a certificate; write https://'
        : 'needs --cluster-tls-cert, -key and -ca',
    );
  return url;
}

/** The address of the URL unless another one is given. */
function readListen(values: OptionValues, url: URL): ClusterOptions['listen'] {
  const text = values.text('cluster-listen') ?? `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
  const address = readAddress(values, 'cluster-listen', '0.0.0.0:7710', text);
  if (url.protocol === 'http:' && !isLoopback(address.host))
    throw values.wrong('cluster-listen', 'is no loopback address, which plain HTTP between nodes needs');
  return address;
}

function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

function readSecret(values: OptionValues, hasTls: boolean): string | null {
  const secret = values.text('cluster-secret');
  if (secret === null) {
    if (hasTls) return null;
    throw new OptionError('nodes of a cluster need --cluster-secret, or certificates (--cluster-tls-cert, -key, -ca)');
  }
  const bytes = Buffer.byteLength(secret);
  if (bytes < MIN_CLUSTER_SECRET_BYTES || bytes > MAX_CLUSTER_SECRET_BYTES)
    throw new OptionError(
      `${values.originOf('cluster-secret')}: the secret has ${bytes} bytes; ` +
        `it needs ${MIN_CLUSTER_SECRET_BYTES} to ${MAX_CLUSTER_SECRET_BYTES}`,
    );
  return secret;
}

function readClusterTls(values: OptionValues): ClusterTls | null {
  const [certFile, keyFile, caFile] = ['cert', 'key', 'ca'].map((name) => values.text(`cluster-tls-${name}`));
  if (certFile === null && keyFile === null && caFile === null) return null;
  if (certFile == null || keyFile == null || caFile == null)
    throw new OptionError('--cluster-tls-cert, --cluster-tls-key and --cluster-tls-ca go together');
  return { certFile, keyFile, caFile };
}
