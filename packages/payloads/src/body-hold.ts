/** What one request holds. */
export interface BodyHold {
  /** Throws ApiError too_many_payloads when there is no room for so many bytes. */
  set(bytes: number): void;
  /** The same, for so many more. */
  grow(bytes: number): void;
  release(): void;
}

/** For bodies of which nobody keeps count. */
export const NO_HOLD: BodyHold = { set: () => undefined, grow: () => undefined, release: () => undefined };
