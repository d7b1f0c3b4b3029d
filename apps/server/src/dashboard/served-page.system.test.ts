import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { readBuiltPage } from '../routes/pages/dashboard.js';

/** All scripts of the page together, as they go over the wire. */
const MAX_SCRIPT_BYTES = 250 * 1024;
const MASTER_KEY = 'a master key that the page does not need';

describe('the dashboard', () => {
  const folder = newDatabaseFolder();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess(folder, ['--master-key', MASTER_KEY]);
  });
  afterAll(async () => {
    await server.kill();
    removeFolder(folder);
  });
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(server.url + path, { headers });

  it('is built, within its budget of script', () => {
    const files = [...readBuiltPage()!.files];
    const scripts = files.filter(([name]) => name.endsWith('.js'));
    const gzipBytes = scripts.reduce((sum, [, { bytes }]) => sum + gzipSync(bytes).length, 0);
    console.log(`scripts of the dashboard: ${scripts.length} files, ${Math.round(gzipBytes / 1024)} kB as gzip`);
    expect(gzipBytes).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  });

  it('is what `/` answers without a key, under a policy of its own', async () => {
    const answer = await get('/');
    const html = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const policy = answer.headers.get('content-security-policy')!;
    const nonce = /style-src 'self' 'nonce-([\w+/=]{24})'/.exec(policy)?.[1];
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(html).toContain(`content="${nonce}"`);
    expect(html).not.toMatch(/<script(?![^>]* src="\.\/dashboard\/)|<style| on\w+=|https?:\/\//);
    const again = (await get('/')).headers.get('content-security-policy');
    expect(again).not.toBe(policy);
  });

  it('has files that browsers keep, and no others', async () => {
    const html = await (await get('/')).text();
    const paths = [...html.matchAll(/(?:src|href)="\.(\/dashboard\/[^"]+)"/g)].map(([, path]) => path!);
    expect(paths.length).toBeGreaterThanOrEqual(3);
    for (const path of paths) {
      const answer = await get(path, { 'accept-encoding': 'br' });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('content-encoding')).toBe('br');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect((await answer.text()).length).toBeGreaterThan(100);
    }
    const others = [
      '',
      '.',
      '..',
      'none.js',
      '..%2findex.html',
      '..%2f..%2fpackage.json',
      '%2e%2e%2fpackage.json',
      '__proto__',
    ];
    for (const name of others) expect((await get(`/dashboard/${name}`)).status, name).toBe(name === '..' ? 200 : 404);
  });

  it('leaves programs that ask for JSON what they had', async () => {
    const answer = await get('/', { accept: 'application/json' });
    expect(await answer.json()).toEqual({ status: 'Fossick is running' });
    expect(answer.headers.get('vary')).toContain('accept');
  });

  it('is not there in production', async () => {
    const other = newDatabaseFolder();
    const production = await startServerProcess(other, ['--env', 'production', '--master-key', MASTER_KEY]);
    try {
      const first = await fetch(production.url, { headers: { accept: 'text/html' } });
      expect(await first.json()).toEqual({ status: 'Fossick is running' });
      const [name] = [...readBuiltPage()!.files.keys()];
      expect((await fetch(`${production.url}/dashboard/${name}`)).status).toBe(404);
    } finally {
      await production.kill();
      removeFolder(other);
    }
  });
});
