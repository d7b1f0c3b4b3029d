/**
 * Reduces a differing case: fewer documents, settings, words and parts of the request, as long as the answers still
 * differ.
 */

/**
 * The smallest case found within `tries` attempts. A case is `{ writes, query }`; `differs(case)` plays it on both
 * servers.
 */
export async function shrinkCase(start, differs, tries = 400) {
  let best = start;
  let left = tries;
  const attempt = async (candidate) => {
    if (left <= 0) return false;
    left -= 1;
    if (!(await differs(candidate))) return false;
    best = candidate;
    return true;
  };
  for (let before = ''; before !== JSON.stringify(best) && left > 0; ) {
    before = JSON.stringify(best);
    await dropWrites(() => best, attempt);
    await dropDocuments(() => best, attempt);
    for (const path of pathsOf(best)) await attempt(without(best, path));
    await dropWords(() => best, attempt);
  }
  return best;
}

async function dropWrites(best, attempt) {
  for (let at = best().writes.length - 1; at > 0; at--) {
    const { writes, query } = best();
    await attempt({ writes: writes.filter((_, index) => index !== at), query });
  }
}

/** Halves, quarters, ... of each list of documents. */
async function dropDocuments(best, attempt) {
  for (let at = 0; at < best().writes.length; at++) {
    if (!Array.isArray(best().writes[at].body)) continue;
    for (
      let size = Math.ceil(best().writes[at].body.length / 2);
      size >= 1;
      size = size === 1 ? 0 : Math.ceil(size / 2)
    ) {
      for (let from = 0; from < best().writes[at].body.length; ) {
        const { writes, query } = best();
        const body = writes[at].body.filter((_, index) => index < from || index >= from + size);
        const isShrunk = await attempt({ writes: writes.with(at, { ...writes[at], body }), query });
        if (!isShrunk) from += size;
      }
    }
  }
}

/** Drops words of the query and of the remaining documents. */
async function dropWords(best, attempt) {
  const places = textPlaces(best());
  for (const path of places) {
    for (let at = wordsOf(valueAt(best(), path)).length - 1; at >= 0; at--) {
      const words = wordsOf(valueAt(best(), path));
      if (words.length <= 1 || at >= words.length) continue;
      await attempt(replaced(best(), path, words.filter((_, index) => index !== at).join(' ')));
    }
  }
}

const wordsOf = (text) => (typeof text === 'string' ? text.split(' ') : []);

function textPlaces(candidate) {
  return pathsOf(candidate).filter((path) => {
    const isText = typeof valueAt(candidate, path) === 'string';
    return isText && (path.at(-1) === 'q' || (path[0] === 'writes' && path.length > 4 && path[2] === 'body'));
  });
}

/** Paths of everything in the bodies that may be left out, large parts first. */
function pathsOf({ writes, query }) {
  const found = [];
  const visit = (value, path, depth) => {
    if (depth === 0 || typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      const inner = [...path, Array.isArray(value) ? Number(key) : key];
      found.push(inner);
      visit(value[key], inner, depth - 1);
    }
  };
  visit(query.body, ['query', 'body'], 3);
  writes.forEach((write, at) => {
    if (at > 0) visit(write.body, ['writes', at, 'body'], Array.isArray(write.body) && write.body.length > 12 ? 1 : 4);
  });
  return found
    .filter((path) => path.at(-1) !== 'id' && path.at(-1) !== 'facetName')
    .sort((a, b) => a.length - b.length);
}

const valueAt = (value, path) => path.reduce((inner, key) => inner?.[key], value);

function replaced(candidate, path, value) {
  const copy = structuredClone(candidate);
  const holder = valueAt(copy, path.slice(0, -1));
  if (holder !== undefined && holder !== null) holder[path.at(-1)] = value;
  return copy;
}

function without(candidate, path) {
  const copy = structuredClone(candidate);
  const holder = valueAt(copy, path.slice(0, -1));
  if (Array.isArray(holder)) holder.splice(path.at(-1), 1);
  else if (typeof holder === 'object' && holder !== null) delete holder[path.at(-1)];
  return copy;
}
