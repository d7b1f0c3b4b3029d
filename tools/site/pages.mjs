/** Which files of the repository are pages of the site, and where a link of one of them goes. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { packageFolders, rootFolder } from '../run/workspace.mjs';

/** The repository, as the packages name it: files that are no pages are linked there. */
const REPOSITORY = JSON.parse(readFileSync(join(rootFolder, 'packages/fossick/package.json'), 'utf8')).homepage.replace(
  /#.*$/,
  '',
);

/** Groups of the menu, in its order, with their files or folders. */
const GROUPS = [
  [
    'Start',
    [
      'README.md',
      'docs/guides/getting-started.md',
      'docs/guides/browser.md',
      'packages/fossick/README.md',
      'CHANGELOG.md',
    ],
  ],
  ['Guides', ['docs/guides', 'examples', 'deploy']],
  ['Reference', ['docs/reference']],
  ['Operations', ['docs/operations', 'docs/operations/grafana', 'SECURITY.md']],
  ['Internals', ['docs', 'docs/internals']],
  ['Decisions', ['docs/internals/decisions']],
  ['Development', ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'bench', 'data', 'tools']],
  ['Packages', packageFolders()],
];
/** Folders whose pages include those of folders in them. */
const DEEP = ['examples', 'deploy', 'tools'];

/** Pages as `{ file, address, title, group }`, each file once: paths below the root of the checkout and of the site. */
export function sitePages() {
  const pages = new Map();
  for (const [group, places] of GROUPS)
    for (const file of places.flatMap(filesOf))
      if (!pages.has(file)) pages.set(file, { file, group, address: addressOf(file), title: titleOf(file) });
  return [...pages.values()];
}

/** The text of a page. */
export function pageText(file) {
  return readFileSync(join(rootFolder, file), 'utf8');
}

/**
 * The address that a link or image in `file` has in the site: another page, a copied picture, or a file in the repository.
 * Throws for a file that is not in the checkout. `isPage` says whether a file is a page.
 */
export function linkedAddress(href, file, isPage) {
  if (/^([a-z]+:|\/\/|#)/i.test(href)) return href;
  const [, path, rest] = /^([^?#]*)(.*)$/s.exec(href);
  const target = posix.normalize(posix.join(posix.dirname(file), decodeURI(path))).replace(/\/$/, '');
  if (!existsSync(join(rootFolder, target))) throw new Error(`${file} links to ${href}, which does not exist`);
  const page = [target, posix.join(target, 'README.md')].find(isPage);
  if (page !== undefined) return posix.relative(posix.dirname(addressOf(file)), addressOf(page)) + rest;
  if (isPicture(target)) return posix.relative(posix.dirname(addressOf(file)), target);
  const kind = statSync(join(rootFolder, target)).isDirectory() ? 'tree' : 'blob';
  return `${REPOSITORY}/${kind}/main/${target}${rest}`;
}

/** Pictures are copied to the same path. */
export function isPicture(path) {
  return /^docs\/images\/[^/]+\.(webp|png|svg)$/.test(path);
}

function filesOf(place) {
  if (place.endsWith('.md')) return [place];
  const names = readdirSync(join(rootFolder, place), { recursive: DEEP.includes(place) }).map(String);
  const files = names.filter((name) => name.endsWith('.md') && !name.includes('node_modules'));
  return files.sort(readmeFirst).map((name) => posix.join(place, name));
}

function readmeFirst(one, other) {
  const key = (name) => [dirname(name), basename(name) === 'README.md' ? '' : name].join('/');
  return key(one) < key(other) ? -1 : 1;
}

function addressOf(file) {
  return file.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html');
}

function titleOf(file) {
  return /^# (.+)$/m.exec(pageText(file))[1].replace(/[`*]/g, '');
}
