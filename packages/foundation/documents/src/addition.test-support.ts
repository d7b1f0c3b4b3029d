import type { AdditionOperation } from './operation.js';

/** The operation that adds the documents of a payload file, with what a test says otherwise. */
export function addition(payloadFile: string, otherwise: Partial<AdditionOperation> = {}): AdditionOperation {
  return {
    type: 'documentAdditionOrUpdate',
    method: 'replace',
    payloadFile,
    primaryKey: null,
    skipCreation: false,
    ...otherwise,
  };
}
