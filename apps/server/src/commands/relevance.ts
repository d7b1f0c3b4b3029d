import { readFileSync } from 'node:fs';
import { type JudgedFile, meanOf, ndcg, parseJudged } from '@fossick/api/judged';
import { own } from '@fossick/base';
import { LaunchError } from '@fossick/instance';
import { InstanceClient, RefusalError } from '@fossick/instance/client';

/** Statuses of answers that tell what is wrong with the search, and not with the server or the key. */
const OF_SEARCH = [400, 404];

/**
 * Runs the searches of a file on a server and prints how good each order of hits is. Returns false when the mean is below what the file asks for. Throws
 * LaunchError, and errors of the file system.
 */
export async function runJudged(file: string, { url, key }: { readonly url: string; readonly key: string | null }) {
  const judged = readJudged(file);
  const client = new InstanceClient({ role: 'server', url, key, keyFlag: '--key' });
  const values: (number | null)[] = [];
  try {
    for (const [at, { index, primaryKey, search, grades }] of judged.searches.entries()) {
      const place = `${file}: \`searches[${at}]\``;
      const body = { ...search, limit: judged.k, attributesToRetrieve: [primaryKey] };
      const { hits } = await client
        .call<{ hits: Record<string, unknown>[] }>('POST', `/indexes/${encodeURIComponent(index)}/search`, {
          body,
          attempts: 1,
        })
        .catch((error: unknown) => {
          const isOfSearch = error instanceof RefusalError && OF_SEARCH.includes(error.status);
          throw isOfSearch ? new LaunchError(`${place}: ${error.message}`) : error;
        });
      if (hits.length > 0 && hits.every((hit) => own(hit, primaryKey) === undefined))
        throw new LaunchError(`${place}: hits have no \`${primaryKey}\``);
      const value = ndcg(
        hits.map((hit) => String(own(hit, primaryKey))),
        grades,
        judged.k,
      );
      values.push(value);
      process.stdout.write(`${shown(value)}  ${index}: ${String(search['q'] ?? '')}\n`);
    }
  } finally {
    await client.close();
  }
  return isGoodEnough(judged, meanOf(values));
}

function readJudged(file: string): JudgedFile {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    // that of a folder has no path
    throw Object.assign(error as Error, { path: file });
  }
  try {
    // editors of Windows begin a file with a byte order mark
    return parseJudged(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new LaunchError(`${file}: ${(error as Error).message}`);
  }
}

function isGoodEnough({ k, atLeast }: JudgedFile, mean: number | null): boolean {
  process.stdout.write(
    `${shown(mean)}  mean nDCG@${k}${atLeast === null ? '' : `, at least ${atLeast} is asked for`}\n`,
  );
  // without a judged search there is nothing that could be good enough
  return atLeast === null || (mean !== null && mean >= atLeast);
}

const shown = (value: number | null): string => (value === null ? '    –' : value.toFixed(3));
