import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyFolders, HAS_COPIES } from './dumping-server.test-support.js';
import { CONTEXTS } from './edit-contexts.test-support.js';
import { newDatabaseFolder, removeFolder, type TestServer } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

const folder = newDatabaseFolder();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(`${folder}/data`, [
    ...['--experimental-allowed-ip-networks', '127.0.0.0/8'],
    ...copyFolders(folder),
  ]);
  await server.call('PATCH', '/experimental-features', {
    ...{ editDocumentsByFunction: true, foreignKeys: true, network: true },
  });
});
afterAll(async () => {
  await server?.stop();
  removeFolder(folder);
});

/** The text of an answer: parsing would move members. */
async function textOf(method: string, path: string, body?: string | object, from = server): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const sent = typeof body === 'object' ? JSON.stringify(body) : body;
  const answer = await fetch(`${from.url}${path}`, { method, headers, ...(sent === undefined ? {} : { body: sent }) });
  return answer.text();
}
let indexCount = 0;
/** An index of documents given as text. */
async function indexOf(documents: string, settings: object = {}): Promise<string> {
  const path = `/indexes/i${indexCount++}`;
  await server.call('PATCH', `${path}/settings`, settings);
  await textOf('POST', `${path}/documents?primaryKey=id`, documents);
  await server.allTasksDone();
  return path;
}
const change = async (method: string, path: string, body: string | object): Promise<void> => {
  await textOf(method, path, body);
  for (const { status, error } of (await server.allTasksDone()).slice(0, 1))
    expect([status, error]).toEqual(['succeeded', null]);
};
/** The list `"name"` of an answer, as text. */
function listIn(text: string, name: string): string {
  const from = text.indexOf(`"${name}":[`) + name.length + 3;
  for (let to = text.indexOf(']', from); to > 0; to = text.indexOf(']', to + 1)) {
    try {
      JSON.parse(text.slice(from, to + 1));
      return text.slice(from, to + 1);
    } catch {
      // a bracket within the list
    }
  }
  throw new Error(`no list ${name} in ${text}`);
}
const formattedIn = (text: string): string => text.slice(text.indexOf('"_formatted":') + 13);

const DOCUMENTS = [
  '{"id":1,"title":"a b","2024":"x"}',
  '{"id":"one","title":"a","10":"x","9":"y","2":"z"}',
  '{"id":1,"years":{"title":"a","2024":"b","1999":"c"}}',
  '{"id":1,"list":[{"z":"a","7":"b","0":"c"},{"3":"a","1":"b"}]}',
  '{"id":1,"deep":{"b":{"5":{"c":"d","4":"e"},"a":"f"},"0":"g"}}',
  '{"id":1,"00":"a","0":"b","01":"c","-1":"d","1.5":"e"}',
  '{"id":1,"4294967294":"a","4294967295":"b","4294967296":"c","z":"d","1":"e"}',
  '{"id":1,"z":true,"1":null,"a":1.0,"0":18446744073709551615,"b":1e+30}',
  '{"id":1,"o":{"__proto__":"a","2":"b","constructor":"c","1":"d"}}',
  '{"id":1,"o":{"b":[],"1":{},"a":[[{"c":1,"0":2}]]}}',
  '{"id":1,"é":"a","2":"ü","1":"\\"0\\":"}',
  '{"id":1,"same":{"2":"a","1":"b"},"other":{"1":"a","2":"b"}}',
  '{"id":1,"text":"\\"2\\": no member","z":"a"}',
];

/** Edits whose context a dump holds. */
const contextTasks = new Map<number, { readonly context: string; readonly batchUid: number }>();

describe('members keep the order in which they came', () => {
  it.each(DOCUMENTS)('%s', async (document) => {
    const { id } = JSON.parse(document) as { id: string | number };
    const path = await indexOf(`[${document}]`, { filterableAttributes: ['id'] });
    const uid = path.slice(9);
    expect(await textOf('GET', `${path}/documents/${id}`)).toBe(document);
    expect(listIn(await textOf('GET', `${path}/documents`), 'results')).toBe(`[${document}]`);
    expect(listIn(await textOf('POST', `${path}/documents/fetch`, { fields: ['*'] }), 'results')).toBe(`[${document}]`);
    const names = Object.keys(JSON.parse(document) as object);
    const byName = { fields: names.toReversed() };
    expect(listIn(await textOf('POST', `${path}/documents/fetch`, byName), 'results')).toBe(`[${document}]`);
    const hits = `[${document}]`;
    for (const query of [{}, { attributesToRetrieve: names }, { filter: `id = ${id}` }, { q: 'a', hitsPerPage: 1 }]) {
      const text = await textOf('POST', `${path}/search`, query);
      if (!text.includes('"hits":[]')) expect(listIn(text, 'hits')).toBe(hits);
    }
    const scored = await textOf('POST', `${path}/search`, { showRankingScore: true });
    expect(listIn(scored, 'hits')).toBe(`[${document.slice(0, -1)},"_rankingScore":1.0}]`);
    const texts = document.replace(/:(-?[0-9][0-9.e+]*)/g, (_, number: string) => `:"${number}"`);
    const formatted = await textOf('POST', `${path}/search`, { attributesToHighlight: ['*'] });
    expect(formattedIn(formatted).startsWith(`${texts}}`)).toBe(true);
    const multi = await textOf('POST', '/multi-search', { queries: [{ indexUid: uid }] });
    expect(listIn(multi, 'hits')).toBe(hits);
    const federated = await textOf('POST', '/multi-search', {
      ...{ federation: {}, queries: [{ indexUid: uid, attributesToHighlight: ['*'] }] },
    });
    expect(federated).toContain(`{"hits":[${document.slice(0, -1)},"_federation":{`);
    expect(formattedIn(federated).startsWith(`${texts}}`)).toBe(true);
  });

  it('and hits their fields in the order in which the index met them', async () => {
    const path = await indexOf('[{"id":1,"10":"a","b":"c","2":"d"},{"2":"a","b":"c","10":"d","id":2,"0":"e"}]');
    const [first, second] = ['{"id":1,"10":"a","b":"c","2":"d"}', '{"id":2,"10":"d","b":"c","2":"a","0":"e"}'];
    expect(listIn(await textOf('POST', `${path}/search`, {}), 'hits')).toBe(`[${first},${second}]`);
    expect(await textOf('GET', `${path}/documents/2`)).toBe('{"2":"a","b":"c","10":"d","id":2,"0":"e"}');
    const shown = { attributesToRetrieve: ['0', '2', 'id'] };
    expect(listIn(await textOf('POST', `${path}/search`, shown), 'hits')).toBe(
      '[{"id":1,"2":"d"},{"id":2,"2":"a","0":"e"}]',
    );
  });

  it('when documents are updated in part: known members keep their places, new ones follow', async () => {
    const path = await indexOf('[{"id":1,"b":"a","2":{"z":1,"0":2}},{"id":2,"a":1}]');
    await change(
      'PUT',
      `${path}/documents`,
      '[{"2":{"y":1,"5":2},"id":1,"9":"a","1":"b","b":"c"},{"id":2,"7":1,"b":2,"3":4}]',
    );
    expect(await textOf('GET', `${path}/documents/1`)).toBe('{"id":1,"b":"c","2":{"y":1,"5":2},"9":"a","1":"b"}');
    expect(await textOf('GET', `${path}/documents/2`)).toBe('{"id":2,"a":1,"7":1,"b":2,"3":4}');
  });

  it('when a function edits them', async () => {
    const path = await indexOf('[{"id":1,"z":{"b":1,"2":2,"a":3,"1":4},"7":"x"}]');
    const edit = { function: 'doc.z["0"] = 5; doc.z.remove("2"); doc["3"] = "new"; doc.y = #{"q": 1, "4": 2}' };
    await change('POST', `${path}/documents/edit`, edit);
    expect(await textOf('GET', `${path}/documents/1`)).toBe(
      '{"id":1,"z":{"b":1,"a":3,"1":4,"0":5},"7":"x","3":"new","y":{"q":1,"4":2}}',
    );
  });

  it.each(CONTEXTS)('as the context of an edit: %s', async (context) => {
    const path = await indexOf('[{"id":1}]');
    // a script's own list of members is sorted, as that of a map in Rhai
    const edit = 'doc.whole = context; doc.parts = [context, #{ inner: context }]';
    const answer = JSON.parse(
      await textOf('POST', `${path}/documents/edit`, `{"context":${context},"function":"${edit}"}`),
    ) as { taskUid: number };
    const shown = `"context":${context},"function":`;
    await server.allTasksDone();
    const task = await textOf('GET', `/tasks/${answer.taskUid}`);
    expect(task).toContain('"status":"succeeded"');
    const { batchUid } = JSON.parse(task) as { batchUid: number };
    for (const route of [`/tasks/${answer.taskUid}`, `/tasks?uids=${answer.taskUid}`, `/batches/${batchUid}`])
      expect(await textOf('GET', route)).toContain(shown);
    expect(await textOf('GET', `${path}/documents/1`)).toBe(
      `{"id":1,"parts":[${context},{"inner":${context}}],"whole":${context}}`,
    );
    contextTasks.set(answer.taskUid, { context, batchUid });
  });

  it('from NDJSON and CSV, and escaped', async () => {
    const path = '/indexes/lines';
    const send = async (type: string, body: string): Promise<void> => {
      await fetch(`${server.url}${path}/documents?primaryKey=id`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
      await server.allTasksDone();
    };
    await send('application/x-ndjson', '{"id":1,"b":"a","1":"b"}\n{"z":{"\\u0032":1,"a":2,"\\u0031":3},"id":2}\n');
    await send('text/csv', 'id,2024,name,0:number\n3,a,b,4\n');
    expect(await textOf('GET', `${path}/documents/1`)).toBe('{"id":1,"b":"a","1":"b"}');
    expect(await textOf('GET', `${path}/documents/2`)).toBe('{"z":{"2":1,"a":2,"1":3},"id":2}');
    expect(await textOf('GET', `${path}/documents/3`)).toBe(
      '{"id":3,"2024":"a","name":"b","0":4}'.replace('3,', '"3",'),
    );
  });

  it('in documents that foreign keys name, with vectors, and in parts of nested objects', async () => {
    const there = await indexOf('[{"id":"a","z":1,"5":{"y":2,"4":3}}]');
    const here = await indexOf('[{"id":1,"y":"x","2":{"b":"a","1":"c"},"_vectors":{"own":[1,2]}}]', {
      foreignKeys: [{ foreignIndexUid: there.slice(9), fieldName: '2.b' }],
      embedders: { own: { source: 'userProvided', dimensions: 2 } },
    });
    const document = '{"id":"a","z":1,"5":{"y":2,"4":3}}';
    expect(listIn(await textOf('POST', `${here}/search`, {}), 'hits')).toBe(
      `[{"id":1,"y":"x","2":{"b":${document},"1":"c"}}]`,
    );
    expect(await textOf('GET', `${here}/documents/1?retrieveVectors=true`)).toBe(
      '{"id":1,"y":"x","2":{"b":"a","1":"c"},"_vectors":{"own":{"embeddings":[[1.0,2.0]],"regenerate":false}}}',
    );
    expect(await textOf('GET', `${here}/documents/1?fields=2.1,y,2.b`)).toBe('{"y":"x","2":{"b":"a","1":"c"}}');
    expect(await textOf('GET', `${here}/documents/1?fields=2.1,y`)).toBe('{"y":"x","2":{"1":"c"}}');
  });

  it.runIf(HAS_COPIES)('through dumps and answers of other instances', async () => {
    const documents = `[${DOCUMENTS.map((text, at) => text.replace(/"id":("one"|1)/, `"id":${at + 100}`)).join(',')}]`;
    const path = await indexOf(documents, { sortableAttributes: ['id'] });
    const all = async (from: TestServer): Promise<string> =>
      listIn(await textOf('GET', `${path}/documents?limit=100`, undefined, from), 'results');
    expect(await all(server)).toBe(documents);
    const other = await startTestServer(`${folder}/other`, []);
    try {
      await other.call('PATCH', '/experimental-features', { network: true });
      await textOf('PATCH', `${path}/settings`, { sortableAttributes: ['id'] }, other);
      await textOf('POST', `${path}/documents?primaryKey=id`, documents, other);
      await other.allTasksDone();
      expect(await all(other)).toBe(documents);
      const network = { self: 'here', remotes: { there: { url: other.url, searchApiKey: null } } };
      await server.call('PATCH', '/network', network);
      const queries = [
        { indexUid: path.slice(9), attributesToHighlight: ['title'], federationOptions: { remote: 'there' } },
      ];
      const federated = await textOf('POST', '/multi-search', { federation: { limit: 1 }, queries });
      expect(federated).toContain('{"hits":[{"id":100,"title":"a b","2024":"x","_federation":');
      const fetched = await textOf('POST', `${path}/documents/fetch`, { useNetwork: true, offset: 13, limit: 13 });
      const names = (text: string): string[] => text.match(/"[^"]*":/g) ?? [];
      expect(names(listIn(fetched, 'results'))).toEqual(names(documents));
    } finally {
      await other.stop();
    }
    await change('POST', '/dumps', {});
    const { dumpUid } = (await server.allTasksDone())[0]!.details as { dumpUid: string };
    const restored = await startTestServer(`${folder}/restored`, [
      ...['--import-dump', `${folder}/dumps/${dumpUid}.dump`],
    ]);
    try {
      expect(await all(restored)).toBe(documents);
      for (const [uid, { context, batchUid }] of contextTasks)
        for (const route of [`/tasks/${uid}`, `/batches/${batchUid}`])
          expect(await textOf('GET', route, undefined, restored)).toContain(`"context":${context},`);
    } finally {
      await restored.stop();
    }
  });
});
