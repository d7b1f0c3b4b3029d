/** The search of the page as a program of others. */
import type { GivenSearch } from '@fossick/api';
import { hitParametersOf, parametersOf } from '../../parts/search-options.js';
import { filterOf, HITS_PER_PAGE } from './search-request.js';
import type { SearchState } from './search-state.js';

export type CodeLanguage = 'curl' | 'JavaScript' | 'Python';
export const CODE_LANGUAGES: readonly CodeLanguage[] = ['curl', 'JavaScript', 'Python'];

/** The package of the public clients, in the registries of JavaScript and of Python. */
const CLIENT = 'meilisearch';
const CLIENT_CLASS = 'Meilisearch';

export interface CodeContext {
  /** The address of the server, without a slash at its end. */
  readonly url: string;
  readonly uid: string;
  /** Whether the server asks for a key. The key itself is never in the code. */
  readonly hasKey: boolean;
}

/** What the user asks for, without what only this page needs to show it. */
export function plainSearchOf(state: SearchState, facets: readonly string[]): GivenSearch {
  const { q, page, sort, embedder, semanticRatio, options } = state;
  const filter = filterOf(state);
  return {
    q,
    ...(filter.length === 0 ? {} : { filter }),
    ...(sort === null ? {} : { sort: [sort] }),
    ...(embedder === null ? {} : { hybrid: { embedder, semanticRatio } }),
    ...parametersOf(options),
    ...hitParametersOf(options),
    ...(facets.length === 0 ? {} : { facets }),
    ...(page === 1 ? {} : { offset: (page - 1) * HITS_PER_PAGE }),
    limit: HITS_PER_PAGE,
  };
}

/** A program that runs the search: with curl, or with the public client of a language. */
export function codeOf(language: CodeLanguage, search: GivenSearch, { url, uid, hasKey }: CodeContext): string {
  const { q = '', ...options } = search;
  switch (language) {
    case 'curl': {
      const lines = [
        `curl ${inShell(`${url}/indexes/${encodeURIComponent(uid)}/search`)}`,
        `-H 'Content-Type: application/json'`,
        ...(hasKey ? ['-H "Authorization: Bearer $FOSSICK_KEY"'] : []),
        `-d ${inShell(JSON.stringify(search, null, 2))}`,
      ];
      return lines.join(' \\\n  ');
    }
    case 'JavaScript': {
      const apiKey = hasKey ? ', apiKey: process.env.FOSSICK_KEY' : '';
      return [
        `import { ${CLIENT_CLASS} } from '${CLIENT}'; // npm install ${CLIENT}\n`,
        `const client = new ${CLIENT_CLASS}({ host: ${JSON.stringify(url)}${apiKey} });`,
        `const answer = await client.index(${JSON.stringify(uid)}).search(${JSON.stringify(q)}, ${JSON.stringify(options, null, 2)});`,
        'console.log(answer.hits);',
      ].join('\n');
    }
    case 'Python':
      return [
        ...(hasKey ? ['import os'] : []),
        `import ${CLIENT}  # pip install ${CLIENT}\n`,
        `client = ${CLIENT}.Client(${JSON.stringify(url)}${hasKey ? ', os.environ["FOSSICK_KEY"]' : ''})`,
        `answer = client.index(${JSON.stringify(uid)}).search(${JSON.stringify(q)}, ${inPython(options)})`,
        'print(answer["hits"])',
      ].join('\n');
  }
}

/** One word of a POSIX shell, whatever is in the text. */
function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A value of JSON as Python writes it: its texts are those of JSON, its words are not. */
function inPython(value: unknown, indent = ''): string {
  const inner = `${indent}    `;
  const block = (open: string, parts: readonly string[], close: string): string =>
    parts.length === 0
      ? open + close
      : `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value))
    return block(
      '[',
      value.map((each) => inPython(each, inner)),
      ']',
    );
  if (typeof value === 'object')
    return block(
      '{',
      Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${inPython(each, inner)}`),
      '}',
    );
  return JSON.stringify(value);
}
