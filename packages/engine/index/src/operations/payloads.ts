/** Where the documents of operations come from, by the names that the operations give. */
export interface Payloads {
  /** @throws ApiError when there is none with this name */
  linesOf(payloadFile: string): Iterable<string>;
  /** 0 when there is none with this name: reading it reports the fault. */
  bytesOf(payloadFile: string): number;
}
