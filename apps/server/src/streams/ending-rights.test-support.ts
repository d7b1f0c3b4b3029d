import { vi } from 'vitest';
import type { MovieServer } from '../e2e/movie-server.test-support.js';

/** The key whose right ends. */
export const KEY_UID = '6062abda-a5aa-4414-ac91-ecd7944c0f8d';

/** What a test of answers that go on has. */
export interface EndingRights {
  /** Resolves with the value of a new key, which is valid for an hour. */
  newKey(uid?: string): Promise<string>;
  deleteKey(): Promise<unknown>;
  /** What takes the right away, and the code of the error, where there is one. */
  readonly ends: readonly { readonly when: string; readonly code: string; readonly end: () => Promise<unknown> }[];
  /** Brings the features back and deletes the key; the date is that of the machine again. */
  restored(): Promise<void>;
}

/** The ways in which a key with these actions, on a server with these features, loses its right. */
export function endingRights(
  server: Pick<MovieServer, 'call'>,
  features: Readonly<Record<string, true>>,
  actions: readonly string[],
): EndingRights {
  const switchTo = (isOn: boolean): Promise<unknown> => {
    const body = Object.fromEntries(Object.keys(features).map((name) => [name, isOn]));
    return server.call('PATCH', '/experimental-features', body);
  };
  const newKey = async (uid = KEY_UID, allowed = actions): Promise<string> => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await server.call('POST', '/keys', { uid, actions: allowed, indexes: ['*'], expiresAt });
    return body.key;
  };
  const deleteKey = (): Promise<unknown> => server.call('DELETE', `/keys/${KEY_UID}`);
  const ofKey = 'invalid_api_key';
  const ends: EndingRights['ends'] = [
    { when: 'its key is deleted', code: ofKey, end: deleteKey },
    {
      when: 'its key is deleted by its value',
      code: ofKey,
      end: async () => server.call('DELETE', `/keys/${(await server.call('GET', `/keys/${KEY_UID}`)).body.key}`),
    },
    {
      when: 'its key is replaced by one of fewer actions',
      code: ofKey,
      end: async () => {
        await deleteKey();
        await newKey(KEY_UID, ['version']);
      },
    },
    {
      when: 'its key expires',
      code: ofKey,
      end: async () => {
        // the server takes the date from the process of the test
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_001 });
        await server.call('PATCH', '/indexes/movies/settings', { stopWords: [String(Date.now())] });
      },
    },
    { when: 'the feature is switched off', code: 'feature_not_enabled', end: () => switchTo(false) },
  ];
  const restored = async (): Promise<void> => {
    vi.useRealTimers();
    await switchTo(true);
    await deleteKey();
  };
  return { newKey, deleteKey, ends, restored };
}
