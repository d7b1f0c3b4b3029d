import { isErrorCode } from '@fossick/base';

/** Codes that were renamed since. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['missing_primary_key', 'index_primary_key_no_candidate_found'],
  ['primary_key_inference_failed', 'index_primary_key_no_candidate_found'],
  ['primary_key_already_present', 'index_primary_key_already_exists'],
]);

/**
 * An error of an older task: code by its former name (`MissingPrimaryKey` in V3), `unretrievable_error_code` when there
 * is no such code today.
 */
export function upgradedError(code: unknown, message: unknown): { readonly code: string; readonly message: string } {
  const name = String(code).replace(/[A-Z]/g, (letter, at: number) => (at === 0 ? '' : '_') + letter.toLowerCase());
  const today = RENAMED.get(name) ?? name;
  return { code: isErrorCode(today) ? today : 'unretrievable_error_code', message: String(message ?? code ?? '') };
}
