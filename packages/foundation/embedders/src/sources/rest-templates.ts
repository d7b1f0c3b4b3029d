import { EmbeddingError } from '../embedding-error.js';

/** Stands for the text, or the rendered fragment, of one input. */
const INPUT_PLACEHOLDERS = ['{{text}}', '{{fragment}}'] as const;
const EMBEDDING_PLACEHOLDER = '{{embedding}}';
/** The second item of an array of two, after a placeholder: repeats the first item for each further input. */
const REPEAT_PLACEHOLDER = '{{..}}';

/** The names of members, and the places of items, that lead to a value. */
export type Path = readonly (string | number)[];

/** The paths of the placeholders in a rest embedder's two templates. */
export interface RestTemplates {
  /** Path of the only input, or of the array of inputs, in `request`. */
  readonly inputPath: Path;
  /** Path of the embedding, or of one item of the repeated array, in `response`. */
  readonly embeddingPath: Path;
  /** Set if one call takes several inputs: for each side the path of the array that repeats. */
  readonly repeated: {
    readonly requestPath: Path;
    readonly responsePath: Path;
  } | null;
}
interface Found {
  readonly value: string;
  readonly path: Path;
}

/**
 * Parses the templates of a rest embedder: the input occurs exactly once in `request`, the embedding exactly once in
 * `response`, and either both or neither repeat. Throws EmbeddingError of kind `configuration`. O(size of the
 * templates)
 */
export function readRestTemplates(request: unknown, response: unknown, hasFragments: boolean): RestTemplates {
  const [wanted, other] = hasFragments ? [INPUT_PLACEHOLDERS[1], INPUT_PLACEHOLDERS[0]] : INPUT_PLACEHOLDERS;
  const inRequest = placeholdersIn(request);
  const inResponse = placeholdersIn(response);
  if (inRequest.some(({ value }) => value === other))
    throw wrong(
      `\`request\` holds \`"${other}"\`, but ${hasFragments ? 'with' : 'without'} fragments it is \`"${wanted}"\``,
    );
  const input = only(inRequest, wanted, 'request');
  const embedding = only(inResponse, EMBEDDING_PLACEHOLDER, 'response');
  const requestPath = repeatedPath(inRequest, input, request, 'request', true);
  const responsePath = repeatedPath(inResponse, embedding, response, 'response', false);
  if ((requestPath === null) !== (responsePath === null)) {
    const [has, lacks] = requestPath === null ? ['response', 'request'] : ['request', 'response'];
    throw wrong(`\`${has}\` repeats with \`"${REPEAT_PLACEHOLDER}"\` and \`${lacks}\` does not`);
  }
  return {
    inputPath: input.path,
    embeddingPath: embedding.path,
    repeated: requestPath === null || responsePath === null ? null : { requestPath, responsePath },
  };
}

function placeholdersIn(template: unknown): Found[] {
  const found: Found[] = [];
  const walk = (value: unknown, path: Path): void => {
    if (typeof value === 'string') {
      if (/^\{\{.*\}\}$/s.test(value)) found.push({ value, path });
    } else if (Array.isArray(value)) for (const [at, item] of value.entries()) walk(item, [...path, at]);
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) walk(member, [...path, name]);
  };
  walk(template, []);
  return found;
}

function only(found: readonly Found[], placeholder: string, field: string): Found {
  const matching = found.filter(({ value }) => value === placeholder);
  if (matching.length === 0) throw wrong(`\`${field}\` does not hold \`"${placeholder}"\``);
  if (matching.length > 1)
    throw wrong(
      `\`${field}\` holds \`"${placeholder}"\` at ${matching.map(({ path }) => pathText(path)).join(' and ')}, and it has to stand once`,
    );
  return matching[0]!;
}

/**
 * The path of the array that ends in the repeat placeholder and begins with the repeated item, or null when nothing
 * repeats.
 */
function repeatedPath(
  found: readonly Found[],
  repeated: Found,
  template: unknown,
  field: string,
  isDirect: boolean,
): Path | null {
  const repeats = found.filter(({ value }) => value === REPEAT_PLACEHOLDER);
  if (repeats.length === 0) return null;
  if (repeats.length > 1) throw wrong(`\`${field}\` holds \`"${REPEAT_PLACEHOLDER}"\` more than once`);
  const path = repeats[0]!.path;
  const arrayPath = path.slice(0, -1);
  const array = valueAt(template, arrayPath);
  const holdsRepeated = [...arrayPath, 0].every((part, at) => repeated.path[at] === part);
  const isAlone = !isDirect || repeated.path.length === arrayPath.length + 1;
  if (!Array.isArray(array) || array.length !== 2 || path.at(-1) !== 1 || !holdsRepeated || !isAlone)
    throw wrong(
      `\`"${REPEAT_PLACEHOLDER}"\` at ${pathText(path)} of \`${field}\` has to be the second of two items, after the one with \`"${repeated.value}"\``,
    );
  return arrayPath;
}

function valueAt(template: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => (value as Record<string | number, unknown>)[part], template);
}
/** A path in messages. */
export function pathText(path: Path): string {
  return `\`${path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('') || '.'}\``;
}
function wrong(fault: string): EmbeddingError {
  return new EmbeddingError('configuration', `The templates of the embedder do not fit: ${fault}.`);
}
