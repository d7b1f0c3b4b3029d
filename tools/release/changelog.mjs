/** The changelog of a release: what is written under Unreleased, and the commits of which nothing is written there. */

const UNRELEASED = '## Unreleased';
const HEADING = /^## /m;

/**
 * The text with the lines under Unreleased as those of a version, below an empty Unreleased. `commits`: subjects since the last release,
 * which are listed where nothing is written by hand. Throws when the version is there already, or nothing has changed.
 */
export function withRelease(text, { version, date, commits }) {
  const start = text.indexOf(`${UNRELEASED}\n`);
  if (start < 0) throw new Error(`the changelog has no heading ${UNRELEASED}`);
  if (text.includes(`\n## ${version} `)) throw new Error(`the changelog has a version ${version} already`);
  const from = start + UNRELEASED.length + 1;
  const next = text.slice(from).search(HEADING);
  const to = next < 0 ? text.length : from + next;
  const written = text.slice(from, to).trim();
  const entries = written === '' ? listed(commits) : written;
  if (entries === '') throw new Error('nothing is written under Unreleased, and there are no commits');
  return `${text.slice(0, from)}\n## ${version} - ${date}\n\n${entries}\n${next < 0 ? '' : '\n'}${text.slice(to)}`;
}

/** The entries of a version, for the notes of a release; throws when it is not there. */
export function notesOf(text, version) {
  const start = text.indexOf(`\n## ${version} `);
  if (start < 0) throw new Error(`the changelog has no version ${version}`);
  const body = text.slice(text.indexOf('\n', start + 1) + 1);
  const next = body.search(HEADING);
  return (next < 0 ? body : body.slice(0, next)).trim();
}

function listed(commits) {
  return commits.length === 0 ? '' : `### Commits\n\n${commits.map((subject) => `- ${subject}`).join('\n')}`;
}
