import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readInvocation } from '../invocation.js';
import { optionsOf } from './server-options.js';

const originsOf = (text: string) => optionsOf({ 'http-allowed-origins': text }).httpOrigins;
const hostsOf = (text: string) => optionsOf({ 'http-allowed-hosts': text }).httpHosts;

it('without the options every page and every name is allowed', () => {
  const { httpOrigins, httpHosts } = optionsOf({});
  expect([httpOrigins, httpHosts]).toEqual([null, null]);
});

it.each<[string, readonly string[]]>([
  ['none', []],
  [' none ', []],
  ['*', ['*']],
  ['https://shop.example.com', ['https://shop.example.com']],
  ['https://shop.example.com/', ['https://shop.example.com']],
  ['https://Shop.Example.com:443', ['https://shop.example.com']],
  ['http://shop.example.com:80,https://a.example:8443', ['http://shop.example.com', 'https://a.example:8443']],
  [' http://localhost:3000 , http://[::1]:3000,', ['http://localhost:3000', 'http://[::1]:3000']],
  ['http://192.0.2.7', ['http://192.0.2.7']],
  ['https://bücher.example', ['https://xn--bcher-kva.example']],
])('--http-allowed-origins %j', (text, origins) => {
  expect(originsOf(text)).toEqual(origins);
});

it.each([
  '',
  ' , ',
  'null',
  'shop.example.com',
  '//shop.example.com',
  'https://',
  'https://shop.example.com/page',
  'https://shop.example.com?a=1',
  'https://shop.example.com#a',
  'https://user@shop.example.com',
  'https://user:word@shop.example.com',
  'https://*.example.com',
  'ftp://shop.example.com',
  'file:///home',
  'chrome-extension://abcdef',
  'https://shop.example.com https://b.example',
  'https://shop.example.com:port',
  'https://shop.example.com, none',
])('--http-allowed-origins %j is refused', (text) => {
  expect(() => originsOf(text)).toThrow('http-allowed-origins');
});

it.each<[string, readonly string[]]>([
  ['search.example.com', ['search.example.com']],
  ['Search.Example.COM.', ['search.example.com']],
  ['*.example.com', ['*.example.com']],
  ['search, a_b.internal ,', ['search', 'a_b.internal']],
  ['fossick-0.fossick.default.svc', ['fossick-0.fossick.default.svc']],
  ['bücher.example', ['xn--bcher-kva.example']],
])('--http-allowed-hosts %j', (text, hosts) => {
  expect(hostsOf(text)).toEqual(hosts);
});

it.each([
  '',
  ',',
  '*',
  '*.',
  '*.*.example.com',
  'a.*.example.com',
  'search.example.com:7700',
  'http://search.example.com',
  'search.example.com/',
  'user@search.example.com',
  'search example.com',
  '-search.example.com',
  'search..example.com',
  'search.example.com?',
  '127.0.0.1',
  '[::1]',
])('--http-allowed-hosts %j is refused', (text) => {
  expect(() => hostsOf(text)).toThrow('http-allowed-hosts');
});

it('come from the environment and the configuration file as well', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-options-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'config.toml');
  writeFileSync(file, 'http_allowed_origins = "https://file.example"\nhttp_allowed_hosts = "file.example"\n');
  const read = (env: Record<string, string>) => {
    const { httpOrigins, httpHosts } = readInvocation(['--config-file-path', file], env).options;
    return [httpOrigins, httpHosts];
  };
  expect(read({})).toEqual([['https://file.example'], ['file.example']]);
  expect(
    read({ FOSSICK_HTTP_ALLOWED_ORIGINS: 'https://env.example', FOSSICK_HTTP_ALLOWED_HOSTS: 'env.example' }),
  ).toEqual([['https://env.example'], ['env.example']]);
  expect(() => read({ FOSSICK_HTTP_ALLOWED_ORIGINS: 'env.example' })).toThrow('FOSSICK_HTTP_ALLOWED_ORIGINS');
});
