interface Page {
  readonly path: string;
  readonly text: string;
}

const PAGE = /^docs\/internals\/decisions\/([a-z][a-z-]*\.md)$/;
const FOLDER = 'docs/internals/decisions/';
const LIST = `${FOLDER}README.md`;
/** More pages than this are a history, which git keeps. */
export const PAGES_MAX = 22;
/** A page has the figures that decided something; others belong to the results of benches. */
export const NUMBERS_MAX = 40;

/**
 * Faults of the pages about decisions: too many pages, a page that has too many numbers or a file name
 * with other characters than letters and hyphens, and a page that the list does not name exactly once, with its title.
 */
export function findDecisionFaults(files: readonly Page[]): string[] {
  const list = files.find(({ path }) => path === LIST)?.text ?? '';
  const pages = files.filter(({ path }) => path.startsWith(FOLDER) && path !== LIST);
  const faults = pages.flatMap((page) => faultsOfPage(page, list));
  if (pages.length > PAGES_MAX) faults.push(`${FOLDER} has ${pages.length} pages, more than ${PAGES_MAX}`);
  for (const [, name] of list.matchAll(/\]\(([\w-]+\.md)\)/g))
    if (!pages.some(({ path }) => path === FOLDER + name)) faults.push(`${LIST} names ${name}, which is not there`);
  return faults;
}

function faultsOfPage({ path, text }: Page, list: string): string[] {
  const faults: string[] = [];
  const name = PAGE.exec(path)?.[1];
  if (name === undefined) return [`${path} is not named by letters and hyphens`];
  const title = /^# (.+)\n/.exec(text)?.[1];
  if (title === undefined) faults.push(`${path} does not begin with a title`);
  else if (!list.includes(`| [${title}](${name}) |`)) faults.push(`${path} is not in ${LIST} by its title`);
  if (list.split(`](${name})`).length > 2) faults.push(`${LIST} names ${path} more than once`);
  const numberCount = countNumbers(text);
  if (numberCount > NUMBERS_MAX) faults.push(`${path} has ${numberCount} numbers, more than ${NUMBERS_MAX}`);
  return faults;
}

/** Numbers in digits, with those in code and in the targets of links left out. O(characters) */
function countNumbers(text: string): number {
  const prose = text.replace(/`[^`]*`/g, '').replace(/\]\([^)]*\)/g, ']');
  return prose.match(/(?<![\w.-])\d[\d,.]*/g)?.length ?? 0;
}
