/**
 * A stored JSON object. Integers beyond 2^53 are bigint, so that 64-bit ids survive a round trip; a float that JavaScript would print differently (`1.0`) is a
 * LosslessFloat.
 */
export type JsonObject = Record<string, unknown>;
