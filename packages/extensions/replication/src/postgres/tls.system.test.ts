import { afterAll, beforeAll, expect, it } from 'vitest';
import { PostgresLog } from './postgres-log.js';
import { describeWithPostgres } from './postgres-server.test-support.js';

describeWithPostgres('a log in PostgreSQL with TLS', (server) => {
  let certificate: string;
  beforeAll(async () => {
    await server.create();
    certificate = await server.requireTls();
  });
  afterAll(() => server.remove());

  it('is asked for in the URL, and the certificate is checked', async () => {
    const open = (parameters: string): PostgresLog =>
      new PostgresLog({ url: `${server.url}${parameters}`, name: 'main' });
    const safe = open(`?sslmode=verify-full&sslrootcert=${encodeURIComponent(certificate)}`);
    const unknownIssuer = open('?sslmode=verify-full');
    const plain = open('');
    expect(await safe.append(1, Uint8Array.of(1))).toBe('appended');
    expect(await safe.read(1, 1)).toHaveLength(1);
    await expect(unknownIssuer.read(1, 1)).rejects.toThrow('self-signed certificate');
    await expect(plain.read(1, 1)).rejects.toThrow(/no pg_hba\.conf entry/);
    await Promise.all([safe, unknownIssuer, plain].map((log) => log.close()));
  });
});
