/** The bytes that one request holds in memory. */
export interface BodyReservation {
  /** Throws ApiError too_many_payloads when the limit does not allow that many bytes. */
  set(bytes: number): void;
  /** The same, for additional bytes. */
  grow(bytes: number): void;
  release(): void;
}

/** For bodies that are not counted. */
export const NO_RESERVATION: BodyReservation = {
  set: () => undefined,
  grow: () => undefined,
  release: () => undefined,
};
