/**
 * What Deno, workers at the edge and pages get of `fossick`: its engine needs threads and a native module of Node.js. The names
 * are those of index.ts, because an import of a missing name would fail before this file can say anything.
 */
function refuse(): never {
  throw new Error(
    'fossick runs in Node.js and Bun, not here: its storage is a native module. The engine without Node.js does: ' +
      "import { createEngine } from 'fossick/web' ('npm:fossick/web' in Deno) keeps indexes in memory, see " +
      'https://github.com/fossick/fossick/blob/main/docs/guides/browser.md. For indexes on disk, run the server by `npx fossick` and use it over HTTP',
  );
}

export const createEngine: never = refuse();
export const ApiError: never = refuse();
export const LaunchError: never = refuse();
