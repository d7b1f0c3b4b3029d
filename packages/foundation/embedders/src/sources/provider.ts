import type { EmbedderInput, EmbedOptions } from '../port.js';

/**
 * Implements one provider's protocol: one request at a time. Its caller chooses sizes, splits inputs and counts
 * requests.
 */
export interface Provider {
  /** The most inputs of one request. */
  readonly inputsMax: number;
  /** Number of dimensions according to the configuration; null if the provider must be asked. */
  readonly dimCount: number | null;
  /** The vectors of at most `inputsMax` inputs. Throws EmbeddingError. */
  request(inputs: readonly EmbedderInput[], options: EmbedOptions): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** The text of an input; a fragment that is a string is that text, any other is its JSON. */
export function textOf(input: EmbedderInput): string {
  if (input.kind === 'text') return input.text;
  return typeof input.value === 'string' ? input.value : JSON.stringify(input.value);
}
