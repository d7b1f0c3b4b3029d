import { RefusalError } from './call-errors.js';
import type { InstanceClient } from './instance-client.js';

const PAGE = 1_000;

/** All entries of a listing with `offset` and `limit`. */
export async function listAll<T>(instance: InstanceClient, path: string): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const { results } = await instance.call<{ results: T[] }>('GET', `${path}?offset=${all.length}&limit=${PAGE}`);
    all.push(...results);
    if (results.length < PAGE) return all;
  }
}

/** The answer, or null for an error with one of these codes. */
export async function orNull<T>(answer: Promise<T>, ...codes: readonly string[]): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RefusalError && codes.includes(error.code)) return null;
    throw error;
  }
}

/** The error message of the instance; null when it accepts. */
export async function refusalOf(answer: Promise<unknown>): Promise<string | null> {
  try {
    await answer;
    return null;
  } catch (error) {
    if (error instanceof RefusalError) return error.message;
    throw error;
  }
}
