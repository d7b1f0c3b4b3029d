/** Whose history makes a difference: an index ought to answer what a fresh one with the same documents and settings answers. */

/** Settings that are no part of a comparison, and may be refused when they are sent back. */
const UNSENT = ['embedders', 'chat', 'foreignKeys', 'localizedAttributes'];

/**
 * The name of the one server (of `left`, `right`) whose index answers otherwise than a fresh one while the fresh ones of both agree;
 * undefined when the difference has another cause. `differs(left, right)` compares two answers to the query.
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

/** A request or an answer as it would be of an index of another name. */
function renamed(value, from, to) {
  return JSON.parse(JSON.stringify(value).replaceAll(`"${from}"`, `"${to}"`).replaceAll(`/${from}/`, `/${to}/`));
}
