/** Searches of this thread that were ended by the time limit of their index, since it started. */
export const degradedSearches = { count: 0 };
