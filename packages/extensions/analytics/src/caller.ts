import type { Asker } from '@fossick/runtime/extension';
import type { Caller } from './search-analytics.js';

/** Who made a request: the user and the group that it names, and its connection. No address is looked at. */
export function callerOf({ headers, connection }: Asker): Caller {
  return { user: textOf(headers['x-ms-user-id']), group: textOf(headers['fossick-user-group']), connection };
}

const textOf = (header: string | readonly string[] | undefined): string | undefined =>
  typeof header === 'string' && header !== '' ? header : undefined;
