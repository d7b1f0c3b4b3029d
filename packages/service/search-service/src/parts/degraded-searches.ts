/** Searches of this thread that the time limit of their index ended, since its start. */
export const degradedSearches = { count: 0 };
