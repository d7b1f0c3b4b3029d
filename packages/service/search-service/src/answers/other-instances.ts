import { withTimeLimit } from '@fossick/outbound';
import type { JobResult } from '../jobs/kinds/job.js';
import type { ListAnswer } from '../jobs/kinds/networked-lists.js';
import type { SearchContext } from '../jobs/search-context.js';
import { type Remote, readNetwork } from '../network/network.js';
import { failureOf } from '../network/remote-answer.js';
import type { RemoteCall } from '../network/remote-client.js';

/** The other instances of the network, by name. */
function others({ values }: SearchContext): readonly [string, Remote][] {
  const { self, remotes } = readNetwork(values);
  return Object.entries(remotes).filter(([name]) => name !== self);
}

/** Sends a request to every other instance at once. A failed one is in the list with its error. `ends` aborts the requests. */
export function askOthers(
  context: SearchContext,
  call: Omit<RemoteCall<unknown>, 'signal'>,
  ends: readonly AbortSignal[] = [],
): Promise<ListAnswer[]> {
  const { remotes } = context;
  const ask = async ([name, remote]: readonly [string, Remote], signal: AbortSignal): Promise<ListAnswer> => {
    try {
      const { bytes } = await remotes.post(remote, { ...call, signal });
      return { name, bytes };
    } catch (error) {
      return failureOf(name, error);
    }
  };
  return withTimeLimit(remotes.timeoutMs, ends, (signal) =>
    Promise.all(others(context).map((remote) => ask(remote, signal))),
  );
}

/** What a job has found. Remotes with invalid answers count as failed from then on. */
export function settledValue<Value>(context: SearchContext, { value, failedRemotes }: JobResult<Value>): Value {
  for (const [name, { url }] of others(context)) if (failedRemotes.includes(name)) context.remotes.health.failed(url);
  return value;
}
