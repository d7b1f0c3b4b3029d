import { OptionTable, OptionValues } from '@fossick/instance';
import { describe, expect, it } from 'vitest';
import { CLUSTER_OPTIONS, type ClusterOptions, readCluster } from './options.js';

const SECRET = '0123456789abcdef';
const NODE = {
  'cluster-objects': 's3://bucket/prefix',
  'cluster-url': 'http://127.0.0.1:7710',
  'cluster-secret': SECRET,
};
const TLS = { 'cluster-tls-cert': 'c.pem', 'cluster-tls-key': 'k.pem', 'cluster-tls-ca': 'a.pem' };

function optionsOf(given: Readonly<Record<string, string>>): ClusterOptions | null {
  const values = Object.entries(given).map(([flag, text]) => [flag, { text, origin: flag }] as const);
  return readCluster(new OptionValues(new Map(values), new OptionTable([CLUSTER_OPTIONS])));
}

describe('the options of a cluster', () => {
  it('are absent without a store of objects', () => {
    expect(optionsOf({})).toBeNull();
  });

  it('have defaults', () => {
    expect(optionsOf(NODE)).toEqual({
      logUrl: null,
      objectsUrl: 's3://bucket/prefix',
      url: 'http://127.0.0.1:7710',
      listen: { host: '127.0.0.1', port: 7710 },
      secret: SECRET,
      tls: null,
      role: 'all',
      visible: 'all',
      stale: 'serve',
      keepHours: 24,
      lingerMs: 0,
    });
    const tls = { ...NODE, ...TLS, 'cluster-url': 'https://10.0.0.5', 'cluster-log': 'postgres://a@b/c' };
    expect(optionsOf(tls)).toMatchObject({
      listen: { host: '10.0.0.5', port: 443 },
      logUrl: 'postgres://a@b/c',
    });
  });

  it.each<[what: string, given: Record<string, string>, message: string]>([
    ['a log without objects', { 'cluster-log': 's3' }, 'cluster-log needs --cluster-objects'],
    ['no address', { ...NODE, 'cluster-url': '' }, 'is not an address'],
    ['objects of another scheme', { ...NODE, 'cluster-objects': 'ftp://x' }, 'the scheme is none of s3, file'],
    ['a log of another scheme', { ...NODE, 'cluster-log': 'mysql://u:p@h/d' }, 'the scheme is none of postgres'],
    ['plain HTTP to other machines', { ...NODE, 'cluster-url': 'http://10.0.0.5:7710' }, 'plain HTTP'],
    ['plain HTTP for other machines', { ...NODE, 'cluster-listen': '0.0.0.0:7710' }, 'no loopback address'],
    ['HTTPS without a certificate', { ...NODE, 'cluster-url': 'https://10.0.0.5:7710' }, 'needs --cluster-tls-cert'],
    ['a certificate without HTTPS', { ...NODE, ...TLS }, 'write https://'],
    ['half of TLS', { ...NODE, 'cluster-tls-cert': 'c.pem' }, 'go together'],
    ['a path in the address', { ...NODE, 'cluster-url': 'http://127.0.0.1:7710/x' }, 'is not an address'],
    ['a short secret', { ...NODE, 'cluster-secret': 'short' }, 'the secret has 5 bytes; it needs 16 to 1024'],
    ['a long secret', { ...NODE, 'cluster-secret': 'x'.repeat(1_025) }, 'the secret has 1025 bytes'],
    ['an unknown role', { ...NODE, 'cluster-role': 'king' }, 'is none of all, reader'],
    ['a wrong address to listen on', { ...NODE, 'cluster-listen': 'here' }, 'is not an address'],
  ])('are refused: %s', (_what, given, message) => {
    expect(() => optionsOf(given)).toThrow(message);
  });

  it('never say a password', () => {
    expect(() => optionsOf({ ...NODE, 'cluster-log': 'mysql://u:hidden@h/d' })).toThrow(/^(?!.*hidden)/);
    const { 'cluster-secret': _, ...open } = NODE;
    expect(() => optionsOf(open)).toThrow('need --cluster-secret');
    const { 'cluster-url': __, ...nowhere } = NODE;
    expect(() => optionsOf(nowhere)).toThrow('needs --cluster-url');
  });
});
