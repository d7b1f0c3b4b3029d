/** The API version whose wire this server speaks; dumps and snapshots carry it. */
export const API_VERSION = '1.50.0';
