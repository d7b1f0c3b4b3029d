import { type Field, flag, optional } from '@fossick/base/contract';
import { FEATURE_NAMES } from '../../names/feature-names.js';

/** Body of a change of experimental features. `more`: names that extensions add. */
export function featuresBody(more: readonly string[]): Readonly<Record<string, Field<boolean, null>>> {
  return Object.fromEntries([...FEATURE_NAMES, ...more].map((name) => [name, optional('bad_request', flag(''))]));
}
