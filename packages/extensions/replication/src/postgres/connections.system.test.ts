import { describe, expect, it } from 'vitest';
import { connectionConfig } from './connections.js';
import { PostgresLog } from './postgres-log.js';

describe('the address of a PostgreSQL log', () => {
  it('is a URL of PostgreSQL', () => {
    for (const url of ['', 'http://a/b', 'mysql://a/b', 'host=a', '/run/postgresql']) {
      expect(() => connectionConfig(url)).toThrow('begins with postgres://');
    }
    expect(connectionConfig('postgresql://fossick@db.example/main').connectionString).toContain('db.example');
  });

  it('may ask for TLS with files, which must be there', () => {
    const url = 'postgres://fossick:hidden@db.example/main?sslmode=verify-full&sslrootcert=/nowhere/ca.pem';
    expect(() => connectionConfig(url)).toThrow(/\/nowhere\/ca\.pem/);
  });

  it('is not repeated in errors, because it has a password', () => {
    for (const url of ['postgres://fossick:hidden@db.example:x/main', 'postgres://fossick:hidden@[/main']) {
      let said = '';
      try {
        connectionConfig(url);
      } catch (error) {
        said = JSON.stringify([String(error), error, (error as Error).stack]);
      }
      expect(said).toContain('it is no valid URL');
      expect(said).not.toContain('hidden');
    }
  });

  it('may be one where nothing answers: what is appended there is unknown', async () => {
    const log = new PostgresLog({ url: 'postgres://fossick@127.0.0.1:1/main', name: 'main' });
    const watching = log.watch(1, () => undefined);
    expect(await log.append(1, Uint8Array.of(1))).toBe('unknown');
    await expect(log.read(1, 1)).rejects.toThrow('ECONNREFUSED');
    watching[Symbol.dispose]();
    await log.close();
  });
});
