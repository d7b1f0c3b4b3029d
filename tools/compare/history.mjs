/**
 * Finds the server on which the history of an index matters: an index should answer like a new one with the same
 * documents and settings.
 */

/** Settings that are not compared, and may be refused when they are sent back. */
const UNSENT = ['embedders', 'chat', 'foreignKeys', 'localizedAttributes'];

/**
 * The name of the only server (of `left`, `right`) whose index answers differently from a new one while the new ones of
 * both agree; undefined when the difference has another cause. `differs(left, right)` compares two answers to the
 * query.
 */
export async function whoseHistory(servers, uid, query, differs) {
  const fresh = `${uid}-fresh`;
  const [left, right] = await Promise.all(servers.map((server) => askTwice(server, uid, fresh, query)));
  if (differs(left.fresh, right.fresh)) return undefined;
  const changed = [differs(left.kept, left.fresh), differs(right.kept, right.fresh)];
  if (changed[0] === changed[1]) return undefined;
  return changed[0] ? 'left' : 'right';
}

async function askTwice(server, uid, fresh, query) {
  const settings = (await server.ask({ method: 'GET', path: `/indexes/${uid}/settings` })).body;
  for (const name of UNSENT) delete settings[name];
  const fetched = { method: 'POST', path: `/indexes/${uid}/documents/fetch`, body: { limit: 100_000 } };
  const documents = (await server.ask(fetched)).body.results;
  const writes = [
    { method: 'DELETE', path: `/indexes/${fresh}` },
    { method: 'POST', path: '/indexes', body: { uid: fresh, primaryKey: 'id' } },
    { method: 'PATCH', path: `/indexes/${fresh}/settings`, body: settings },
    { method: 'POST', path: `/indexes/${fresh}/documents`, body: documents },
  ];
  for (const write of writes) await server.write(write);
  const answers = {
    kept: await server.ask(query),
    fresh: renamed(await server.ask(renamed(query, uid, fresh)), fresh, uid),
  };
  await server.write(writes[0]);
  return answers;
}

/** A request or an answer with another index name. */
function renamed(value, from, to) {
  return JSON.parse(JSON.stringify(value).replaceAll(`"${from}"`, `"${to}"`).replaceAll(`/${from}/`, `/${to}/`));
}
