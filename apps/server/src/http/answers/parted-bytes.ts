/** An answer whose parts are sent one after the other and never joined: it is too large to exist twice. */
export class PartedBytes {
  readonly parts: readonly Buffer[];
  readonly byteLength: number;

  constructor(parts: readonly Buffer[]) {
    this.parts = parts;
    this.byteLength = parts.reduce((sum, { length }) => sum + length, 0);
  }
}

export function byteLength(payload: string | Buffer | PartedBytes): number {
  return payload instanceof PartedBytes ? payload.byteLength : Buffer.byteLength(payload);
}
