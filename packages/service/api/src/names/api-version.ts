/** The version of the API that this server implements, as `/version` and dumps show it. */
export const API_VERSION = '1.57.0';
/** The version of databases and snapshots. It grows only when older ones must be upgraded. */
export const DATABASE_VERSION = '1.50.0';
