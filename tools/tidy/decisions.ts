const PAGE = /^docs\/decisions\/((\d{4})-[\w-]+\.md)$/;
const LIST = 'docs/decisions/README.md';

/** Decisions whose number is used twice, whose title lacks it, or that the list lacks under their title. */
export function findDecisionFaults(files: readonly { readonly path: string; readonly text: string }[]): string[] {
  const list = files.find(({ path }) => path === LIST)?.text ?? '';
  const seen = new Set<string>();
  return files.flatMap(({ path, text }) => {
    const [, file, number = ''] = PAGE.exec(path) ?? [];
    if (file === undefined) return [];
    const faults: string[] = [];
    if (seen.has(number)) faults.push(`${path} has a number that another decision has`);
    seen.add(number);
    const [head = ''] = text.split('\n');
    const title = head.startsWith(`# ${number}: `) ? head.slice(number.length + 4) : null;
    if (title === null) faults.push(`${path} does not begin with "# ${number}: "`);
    else if (!list.includes(`| [${number}](${file}) | ${title} |`))
      faults.push(`${path} is not in ${LIST} by its title`);
    return faults;
  });
}
