import { ERROR_PAGES_URL } from '@fossick/base';
import { expect, it } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { manifestOf, publishedFolders } from '../packages/published.mjs';

/** The repository, as the links of errors name it. */
const REPOSITORY = ERROR_PAGES_URL.replace(/\/blob\/.*/, '');

const folders: readonly string[] = publishedFolders();

it.each(folders)('%s names its repository, its page and the place for bugs', (folder) => {
  expect(manifestOf(folder)).toMatchObject({
    repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: folder },
    homepage: `${REPOSITORY}#readme`,
    bugs: { url: `${REPOSITORY}/issues` },
  });
});

it('finds the published packages', () => {
  expect(folders.map((folder) => manifestOf(folder).name)).toEqual(
    expect.arrayContaining(['fossick', '@fossick/server']),
  );
});
