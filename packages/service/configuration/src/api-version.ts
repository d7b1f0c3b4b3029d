/** The version of the API that this server implements; dumps and snapshots contain it. */
export const API_VERSION = '1.50.0';
