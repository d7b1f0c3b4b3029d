/** Bytes of the secret of a cluster's nodes: 128 bits at least, as the master key. */
export const MIN_CLUSTER_SECRET_BYTES = 16;
/** Bytes of the secret of a cluster's nodes at most: far more than the 64 bytes to which SHA-256 reduces a key. */
export const MAX_CLUSTER_SECRET_BYTES = 1_024;
