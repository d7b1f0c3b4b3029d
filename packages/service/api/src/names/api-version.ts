/** The version of the API that this server implements, as `/version` and copies show it. */
export const API_VERSION = '1.57.0';
/** The version of databases and of copies of their files. It grows only when older ones must be upgraded. */
export const DATABASE_VERSION = '1.50.0';
