import type { LookupOptions } from 'node:dns';
import { createServer } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { closedHost, NetworkPolicy } from './network-policy.js';

const closed = new NetworkPolicy(null);

describe('addresses that are closed unless the operator opens them', () => {
  test.each([
    // IPv4
    '0.0.0.0',
    '0.255.0.1',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    // IPv6
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '100::1',
    '2001:2::1',
    '2001:db8::1',
    '2001::7f00:1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%lo',
    'febf::1',
    'fec0::1',
    'feff::1',
    'ff02::1',
    '64:ff9b:1::1',
    '1::1',
    // IPv4 inside of IPv6
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:0:127.0.0.1',
    '::127.0.0.1',
    '::7f00:1',
    '::10.0.0.1',
    '::2',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '2002:7f00:1::',
    '2002:7f00:1::808:808',
    '2002:a00:1::1',
    '2002:c0a8:101::',
    // no address
    '',
    'localhost',
    '127.0.0.1.evil',
  ])('%s', (address) => {
    expect(closed.allows(address)).toBe(false);
    expect(new NetworkPolicy('any').allows(address)).toBe(true);
  });
});

describe('addresses that are open', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '192.1.2.3',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450::1',
    // the same hosts as IPv6 sees them
    '::ffff:8.8.8.8',
    '::ffff:808:808',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ])('%s', (address) => {
    expect(closed.allows(address)).toBe(true);
  });
});

it.each([
  ['127.0.0.0/8', '127.1.2.3', true],
  ['127.0.0.0/8', '::ffff:127.0.0.1', true],
  ['127.0.0.0/8', '::1', false],
  ['127.0.0.0/8', '10.0.0.1', false],
  ['127.0.0.1', '127.0.0.1', true],
  ['127.0.0.1', '127.0.0.2', false],
  ['::1', '::1', true],
  ['::1', '127.0.0.1', false],
  ['::ffff:127.0.0.1', '127.0.0.1', true],
  ['::ffff:0:0/96', '10.0.0.1', true],
  ['fd00::/8 , 10.0.0.0/8', 'fd12::1', true],
  ['fd00::/8 , 10.0.0.0/8', '10.9.8.7', true],
  ['64:ff9b::/96', '64:ff9b::127.0.0.1', true],
  ['64:ff9b::/96', '127.0.0.1', false],
  ['0.0.0.0/0', '192.168.0.1', true],
  ['0.0.0.0/0', '::1', false],
])('with %s open, %s is allowed: %s', (allowed, address, isAllowed) => {
  expect(new NetworkPolicy(allowed).allows(address)).toBe(isAllowed);
});

it.each([
  '',
  'localhost',
  '127.1',
  '0x7f.0.0.1',
  '127.0.0.1/',
  '127.0.0.1/33',
  '::1/129',
  '127.0.0.1/8/8',
  '127.0.0.1/-1',
  '127.0.0.1/1.5',
  '127.0.0.1,',
])('refuses the range %j', (text) => {
  expect(() => new NetworkPolicy(text)).toThrow(RangeError);
});

it('treats an IPv4 address the same in every IPv6 notation', () => {
  const octet = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(fc.tuple(octet, octet, octet, octet), ([a, b, c, d]) => {
      const dotted = `${a}.${b}.${c}.${d}`;
      const hex = (high: number, low: number): string => ((high << 8) | low).toString(16);
      const isOpen = closed.allows(dotted);
      for (const written of [`::ffff:${dotted}`, `64:ff9b::${dotted}`, `2002:${hex(a, b)}:${hex(c, d)}::1`])
        expect([written, isIP(written), closed.allows(written)]).toEqual([written, 6, isOpen]);
    }),
  );
});

it('reads hosts as URLs write them', () => {
  for (const url of [
    'http://[::1]/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://127.0.0.1./',
    'http://[::ffff:7f00:1]/',
  ])
    expect([url, closed.allowsHost(new URL(url).hostname)]).toEqual([url, false]);
  expect(closed.allowsHost(new URL('http://example.com/').hostname)).toBe(true);
});

it('resolves a name to open addresses only, and a socket connects to no other', async () => {
  const resolve = (name: string, options: LookupOptions): Promise<unknown> =>
    new Promise((found, failed) => {
      closed.lookup(name, options, (error, address) => (error === null ? found(address) : failed(error)));
    });
  await expect(resolve('localhost', { all: true })).rejects.toThrow('`localhost` is on a private network');
  await expect(resolve('localhost', {})).rejects.toThrow('`localhost` is on a private network');
  const server = createServer((_request, response) => response.end('reached')).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { Agent } = await import('undici');
  const call = async (policy: NetworkPolicy): Promise<string> => {
    const agent = new Agent({ connect: { lookup: policy.lookup } });
    try {
      const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
      return await (await agent.request({ origin, path: '/', method: 'GET' })).body.text();
    } finally {
      await agent.destroy();
    }
  };
  const refusal = await call(closed).catch((error: unknown) => error);
  expect([closedHost(refusal), closedHost(new Error('outer', { cause: refusal }))]).toEqual(['localhost', 'localhost']);
  expect([closedHost(new Error('reset')), closedHost('text')]).toEqual([null, null]);
  expect(await call(new NetworkPolicy('127.0.0.0/8'))).toBe('reached');
  server.close();
});
