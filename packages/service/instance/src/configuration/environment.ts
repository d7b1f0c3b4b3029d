import { own } from '@fossick/base';
import { closestName } from '@fossick/base/closest-name';
import type { OptionSpec, OptionTable } from './option-table.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Prefixes of variables: where both are set, the first one counts. */
const PREFIXES = ['FOSSICK_', 'MEILI_'] as const;

/** Settings that only the environment has. Names without their prefix. */
export const ENVIRONMENT_ONLY: readonly (readonly [name: string, help: string])[] = [
  ['CONFIG_FILE_PATH', 'as --config-file-path'],
  ['OPENAI_API_KEY', 'key of embedders of the source openAi that have none'],
  ['OLLAMA_URL', 'address of embedders of the source ollama that have none'],
  ['EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS', 'time of one request to a provider of embeddings (default 30)'],
  ['EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS', 'how long such a request is tried again (default 60)'],
  ['EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS', 'time that all remotes of one search have together (default 25)'],
  ['EXPERIMENTAL_DSR_FUEL_MAX_COUNTED_WORDS', 'words of a query that search rules look at'],
  ['EXPERIMENTAL_DSR_FUEL_MAX_ACTIVE_RULES', 'search rules that may fire for one query'],
  ['EXPERIMENTAL_DSR_FUEL_MAX_PIN_ACTIONS', 'documents that search rules may pin for one query'],
  ['EXPERIMENTAL_DSR_FUEL_MAX_SCALE_ACTIONS', 'scale actions of search rules that are applied to one query'],
  ['EXPERIMENTAL_DSR_FUEL_MAX_WEIGHTS', 'different weights of documents that they may give in one query'],
  ['EXPERIMENTAL_DSR_FUEL_FILTER_OR_FUEL', 'alternatives of a filter that rules look at'],
  ['EXPERIMENTAL_DSR_FUEL_FILTER_AND_FUEL', 'conditions of each of them'],
  ['EXPERIMENTAL_DSR_FUEL_FILTER_DEPTH_FUEL', 'levels of such a filter'],
];

/** The name of an option's variables after the prefix. */
export function variableOf({ flag, env }: OptionSpec): string {
  return env ?? flag.toUpperCase().replaceAll('-', '_');
}

/** A variable and its value, `FOSSICK_X` before `MEILI_X`; undefined when neither is set. */
export function fromEnvironment(
  env: Environment,
  name: string,
): { readonly variable: string; readonly text: string } | undefined {
  for (const prefix of PREFIXES) {
    const text = own(env, prefix + name);
    if (text !== undefined) return { variable: prefix + name, text };
  }
  return undefined;
}

/** Sentences about variables that look like misspelt options; other unknown variables are ignored. */
export function misspeltVariables(env: Environment, table: OptionTable): string[] {
  const known = [...table.all.map(variableOf), ...ENVIRONMENT_ONLY.map(([name]) => name), 'FAULTS'];
  const names = Object.keys(env).flatMap((name) => {
    const prefix = PREFIXES.find((each) => name.startsWith(each));
    return prefix === undefined ? [] : [{ name, prefix, rest: name.slice(prefix.length) }];
  });
  return names.flatMap(({ name, prefix, rest }) => {
    const near = known.includes(rest) ? undefined : closestName(rest, known);
    return near === undefined ? [] : [`the variable ${name} has no meaning; ${prefix}${near} has`];
  });
}
