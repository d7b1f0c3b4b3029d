import { ApiError, apiError, MAX_JSON_DEPTH, own, setOwn } from '@fossick/base';

/**
 * A copy of what a caller passes, as JSON would have it: what is not a value of JSON is refused here, so the engine sees
 * what a request could have. A bigint beyond 2^53 becomes its digits, as ids have them. Throws ApiError bad_request or
 * malformed_payload, whatever the value does.
 */
export function plain(value: unknown): unknown {
  try {
    return copyOf(value, 'argument', 0);
  } catch (error) {
    throw unreadable(error, 'The argument');
  }
}

/** The error of a value that threw when it was read, or that is too deep to be read. */
export function unreadable(
  error: unknown,
  what: string,
  code: 'bad_request' | 'malformed_payload' = 'bad_request',
): ApiError {
  try {
    if (error instanceof ApiError) return error;
    if (error instanceof RangeError) return apiError('malformed_payload', 'argumentTooDeep', what, MAX_JSON_DEPTH);
    return apiError(code, 'unreadable', what, error instanceof Error ? String(error.message) : String(error));
  } catch {
    return apiError(code, 'unreadable', what, 'it throws');
  }
}

/** The members of an argument that are not undefined; other values are left to whoever reads them. */
export function given(parameters: object | null | undefined): Record<string, unknown> {
  return (plain(parameters ?? {}) ?? {}) as Record<string, unknown>;
}

function copyOf(value: unknown, path: string, level: number): unknown {
  switch (typeof value) {
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case 'function':
    case 'symbol':
      throw apiError('bad_request', 'notJson', path, `a ${typeof value}`);
    case 'object':
      return value === null || ArrayBuffer.isView(value) ? value : copyOfObject(value, path, level);
    default:
      return value;
  }
}

function copyOfObject(value: object, path: string, level: number): unknown {
  if (level === MAX_JSON_DEPTH)
    throw apiError('malformed_payload', 'argumentTooDeep', `\`${shortened(path)}\``, MAX_JSON_DEPTH);
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === 'function') return copyOf(toJSON.call(value), path, level + 1);
  // vectors are long, and their paths are only for errors
  if (Array.isArray(value))
    return value.map((item: unknown, at) =>
      typeof item === 'number' || typeof item === 'string' ? item : (copyOf(item, `${path}[${at}]`, level + 1) ?? null),
    );
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return value.valueOf();
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = copyOf(own(value as Record<string, unknown>, name), `${path}.${name}`, level + 1);
    if (member !== undefined) setOwn(copy, name, member);
  }
  return copy;
}

const PATH_CHARS = 80;
const shortened = (path: string): string => (path.length > PATH_CHARS ? `${path.slice(0, PATH_CHARS)}…` : path);
