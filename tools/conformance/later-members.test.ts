import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { addLaterMembers } from './later-members.mjs';

it('recorded statistics of indexes get the members of later versions, everything else stays', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-later-members-'));
  const to = `${folder}-to`;
  try {
    const stats = { numberOfDocuments: 1, rawDocumentDbSize: 5, fieldDistribution: { id: 1 } };
    const session = (response: object): object => ({ name: 'a', steps: [{ path: '/stats', response }] });
    writeFileSync(join(folder, 'a.json'), JSON.stringify([session({ indexes: { films: stats } }), session(stats)]));
    const features = { logsRoute: false, containsFilter: true, disableDocumentsFetchQueue: false };
    const others = [session({ hits: [] }), { ...session(features), body: { logsRoute: false } }];
    writeFileSync(join(folder, 'b.json.gz'), gzipSync(JSON.stringify(others)));
    expect(addLaterMembers(folder, to)).toBe(3);
    const added = { ...stats, indexSize: { $any: 'any' }, usedIndexSize: { $any: 'any' } };
    const read = (name: string): unknown => JSON.parse(readFileSync(join(to, name), 'utf8'));
    expect(read('a.json')).toEqual([session({ indexes: { films: added } }), session(added)]);
    expect(read('b.json')).toEqual([
      session({ hits: [] }),
      { ...session({ ...features, tasksStreamingRoute: false, mcpRoute: true }), body: { logsRoute: false } },
    ]);
  } finally {
    for (const each of [folder, to]) rmSync(each, { recursive: true, force: true });
  }
});
