import type { MessageRows } from './message-row.js';

/** Messages of errors of indexes and settings, by code. */
export const INDEXES_MESSAGES = {
  index_already_exists: {
    renamed: (indexes: string, exist: string) => `${indexes} already ${exist}; no index can be renamed to that.`,
    created: (uid: string) => `Index \`${uid}\` already exists.`,
  },
  index_not_found: {
    one: (uid: string) => `Index \`${uid}\` not found.`,
    several: (indexes: string) => `${indexes} not found.`,
    federated: (uid: string) => `Index \`${uid}\` does not exist.`,
  },
  invalid_settings_embedders: {
    fault: (path: string, reason: string) => `Invalid value at \`${path}\`: ${reason}`,
    value: (path: string, fault: string) => `Invalid value at \`${path}\`: ${fault}.`,
  },
  invalid_settings_typo_tolerance: {
    profileMode: () => '`profileMemory` needs the mode `profile`.',
    wordSizes: (oneTypo: number, twoTypos: number) =>
      `\`minWordSizeForTypos\` is invalid: \`oneTypo\` (${oneTypo}) must not be greater than \`twoTypos\` (${twoTypos}).`,
  },
  invalid_swap_duplicate_index_found: (uid: string) => `The index \`${uid}\` takes part twice; once is allowed.`,
} satisfies MessageRows;
