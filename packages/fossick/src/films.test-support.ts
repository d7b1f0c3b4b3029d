import { readFileSync } from 'node:fs';

/** A film of the sample. */
export interface Film {
  readonly id: number;
  readonly title: string;
  readonly year: number;
  readonly genres: readonly string[];
  readonly cast: readonly string[];
  readonly overview?: string;
}

/** The first films of the sample, at most 2,000. */
export function films(count = 2000): Film[] {
  const lines = readFileSync(new URL('../../../data/movies-sample.ndjson', import.meta.url), 'utf8').split('\n');
  return lines.slice(0, count).map((line) => JSON.parse(line) as Film);
}
