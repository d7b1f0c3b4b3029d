/** One round: an index made from a seed, its writes, and the requests between them. */
import { makeDocument } from './documents.mjs';
import { makeQuery } from './queries.mjs';
import { Random } from './random.mjs';
import { facetsOf, makeChanges, makeSettings } from './settings.mjs';
import { makeVocabulary } from './vocabulary.mjs';

/**
 * The steps of a round, in order: `{ write }` or `{ query }` with a request `{ method, path, body }`. `uid` names the
 * index. The same seed always gives the same steps; settings with names in `leftOut` are not changed.
 */
export function makeRound(seed, uid, queryCount, leftOut = []) {
  const random = new Random(seed);
  const words = makeVocabulary(random, random.pick([40, 120, 250]));
  const documentCount = random.pick([8, 40, 120, 300]);
  const steps = [{ write: { method: 'POST', path: '/indexes', body: { uid, primaryKey: 'id' } } }];
  const first = makeSettings(random, words);
  const additions = makeAdditions(random, words, uid, documentCount);
  if (random.chance(0.6)) steps.push({ write: patch(uid, first) }, ...additions);
  else steps.push(...additions, { write: patch(uid, withoutNumbers(first)) });
  const stageCount = random.pick([1, 1, 2, 3]);
  for (let stage = 0; stage < stageCount; stage++) {
    if (stage > 0) steps.push(...makeUpdates(random, words, uid, documentCount));
    const count = Math.floor(((stage + 1) * queryCount) / stageCount) - Math.floor((stage * queryCount) / stageCount);
    for (let at = 0; at < count; at++)
      steps.push({ query: makeQuery(random, { words, uid, facets: facetsOf(first) }) });
  }
  for (const { write } of steps)
    if (write?.path.endsWith('/settings')) for (const name of leftOut) delete write.body[name];
  return steps;
}

/**
 * Once there are documents, `typoTolerance.disableOnNumbers` stays: when the same change makes attributes unsearchable,
 * servers may keep their words in counts but not in hits.
 */
function withoutNumbers(settings) {
  if (settings.typoTolerance === undefined) return settings;
  const { disableOnNumbers: _, ...typoTolerance } = settings.typoTolerance;
  return { ...settings, typoTolerance };
}

const patch = (uid, body) => ({ method: 'PATCH', path: `/indexes/${uid}/settings`, body });

function makeAdditions(random, words, uid, count) {
  const documents = Array.from({ length: count }, (_, id) => makeDocument(random, words, id));
  const batchSize = random.pick([count, count, Math.ceil(count / 3)]);
  const steps = [];
  for (let at = 0; at < count; at += batchSize) {
    steps.push({ write: documentsOf(uid, 'POST', documents.slice(at, at + batchSize)) });
  }
  return steps;
}

const documentsOf = (uid, method, body) => ({ method, path: `/indexes/${uid}/documents`, body });

/** The changes of an index: documents replaced, updated, deleted, added; settings changed. */
function makeUpdates(random, words, uid, documentCount) {
  const ids = () =>
    random.some(
      Array.from({ length: documentCount + 10 }, (_, id) => id),
      random.between(1, 12),
    );
  const writes = [
    () =>
      documentsOf(
        uid,
        'POST',
        ids().map((id) => makeDocument(random, words, id)),
      ),
    () =>
      documentsOf(
        uid,
        'PUT',
        ids().map((id) => partOf(random, makeDocument(random, words, id))),
      ),
    () => ({ method: 'POST', path: `/indexes/${uid}/documents/delete-batch`, body: ids() }),
    () => patch(uid, withoutNumbers(makeChanges(random, words))),
  ];
  return Array.from({ length: random.between(1, 4) }, () => ({ write: random.pick(writes)() }));
}

function partOf(random, document) {
  const names = Object.keys(document).filter((name) => name === 'id' || random.chance(0.3));
  return Object.fromEntries(names.map((name) => [name, document[name]]));
}
