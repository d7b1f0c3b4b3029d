import { QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'react';
import { ApiFault, call, isRefused } from './client.js';
import { isServed } from './extensions.js';
import { storedKey } from './key.js';
import { coversAction } from './rights.js';
import type {
  ApiKey,
  ClusterAnswer,
  DocumentError,
  IndexStats,
  IndexView,
  Page,
  Settings,
  Stats,
  Task,
  TaskReceipt,
  UidPage,
} from './types.js';

/** Polling intervals: while nothing is going on, and while something is. */
export const CALM_POLL_MS = 5_000;
export const BUSY_POLL_MS = 700;
const MAX_LISTED_INDEXES = 1_000;
const MAX_LISTED_KEYS = 1_000;

/** The cache of answers. Refused requests are not retried; lost ones are, twice. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (count, error) => count < 2 && isAway(error),
        refetchInterval: ({ state }) => pollMs(state.error, false),
        staleTime: 2_000,
        refetchOnWindowFocus: false,
      },
    },
  });
}

const isAway = (error: unknown): boolean => error instanceof ApiFault && error.status === 0;

/** No answer, too many requests, and what servers and proxies answer while they cannot serve. */
const PASSING_STATUSES = new Set([0, 429, 502, 503, 504]);

/** How often a query is asked: what the server does not answer, or not now, is asked again until it does. `usualMs`: of a query that has not failed so. */
export function pollMs(error: unknown, usualMs: number | false): number | false {
  return error instanceof ApiFault && PASSING_STATUSES.has(error.status) ? CALM_POLL_MS : usualMs;
}

export function useIndexes() {
  return useQuery({
    queryKey: ['indexes'],
    queryFn: ({ signal }) => call<Page<IndexView>>('GET', '/indexes', { query: { limit: MAX_LISTED_INDEXES }, signal }),
    refetchInterval: CALM_POLL_MS,
  });
}

export function useStats(withSizes = false) {
  return useQuery({
    queryKey: ['stats', withSizes],
    queryFn: ({ signal }) =>
      call<Stats>('GET', '/stats', { query: withSizes ? { showInternalDatabaseSizes: true } : {}, signal }),
    refetchInterval: CALM_POLL_MS,
  });
}

/** What this node knows of its cluster; asked once when the server is single, or leaves clusters out. */
export function useCluster() {
  return useQuery({
    queryKey: ['cluster'],
    queryFn: ({ signal }) => call<ClusterAnswer>('GET', '/_fossick/cluster', { signal }),
    enabled: isServed('cluster'),
    staleTime: CALM_POLL_MS,
    refetchInterval: ({ state: { data, error } }) =>
      pollMs(error, data === undefined || data.role === 'single' ? false : CALM_POLL_MS),
  });
}

export function useIndexStats(uid: string) {
  return useQuery({
    queryKey: ['index-stats', uid],
    queryFn: ({ signal }) => call<IndexStats>('GET', `/indexes/${encodeURIComponent(uid)}/stats`, { signal }),
  });
}

export function settingsPath(uid: string): string {
  return `/indexes/${encodeURIComponent(uid)}/settings`;
}

const settingsOf = (uid: string) =>
  queryOptions({
    queryKey: ['settings', uid],
    queryFn: ({ signal }) => call<Settings>('GET', settingsPath(uid), { signal }),
  });

export function useSettings(uid: string) {
  return useQuery(settingsOf(uid));
}

/** The settings for an editor, which must not begin with an old copy: others may have changed them since. */
export function useFreshSettings(uid: string) {
  const [sinceMs] = useState(Date.now);
  const { data, error, refetch, dataUpdatedAt } = useQuery({ ...settingsOf(uid), refetchOnMount: 'always' });
  return { data: dataUpdatedAt >= sinceMs ? data : undefined, error, refetch };
}

/** The keys of the server, with their values. */
export function useKeys(isEnabled = true) {
  return useQuery({
    queryKey: ['keys'],
    enabled: isEnabled,
    queryFn: ({ signal }) => call<Page<ApiKey>>('GET', '/keys', { query: { limit: MAX_LISTED_KEYS }, signal }),
    retry: false,
  });
}

/** Whether the key of the session may do an action, as far as it can be known: of a key that may not read keys only whether it lists indexes. */
export function useRights(): (action: string) => boolean {
  const key = storedKey();
  const { data, error } = useKeys(key !== null);
  const canList = useIndexes().data !== undefined;
  if (key === null || (error !== null && !isRefused(error))) return () => true;
  if (data === undefined) return (action) => action === 'search' || canList;
  // that of nobody is the master key
  const actions = data.results.find((each) => each.key === key)?.actions ?? ['*'];
  return (action) => coversAction(actions, action);
}

/** The version of the server; absent for a key that may not know. */
export function useVersion() {
  return useQuery({
    queryKey: ['version'],
    queryFn: ({ signal }) => call<{ readonly pkgVersion: string }>('GET', '/version', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useFeatures() {
  return useQuery({
    queryKey: ['features'],
    queryFn: ({ signal }) => call<Readonly<Record<string, boolean>>>('GET', '/experimental-features', { signal }),
    staleTime: 30_000,
  });
}

/** The number of waiting and running tasks, polled more often while there are some. */
export function useOpenTaskCount() {
  return useQuery({
    queryKey: ['tasks', 'open'],
    queryFn: ({ signal }) =>
      call<UidPage<Task>>('GET', '/tasks', { query: { statuses: 'enqueued,processing', limit: 1 }, signal }),
    select: ({ total }) => total,
    refetchInterval: ({ state }) => ((state.data?.total ?? 0) > 0 ? BUSY_POLL_MS : CALM_POLL_MS),
  });
}

/** A task, polled until it is finished. */
export function useTask(uid: number | undefined) {
  return useQuery({
    queryKey: ['task', uid],
    queryFn: ({ signal }) => call<Task>('GET', `/tasks/${uid}`, { signal }),
    enabled: uid !== undefined,
    refetchInterval: ({ state }) => (state.data !== undefined && isFinished(state.data) ? false : BUSY_POLL_MS),
  });
}
export function isFinished({ status }: Task): boolean {
  return status !== 'enqueued' && status !== 'processing';
}

/** A page of the documents that a finished task left out. */
export function useTaskErrors(uid: number, offset: number, limit: number) {
  return useQuery({
    queryKey: ['task-errors', uid, offset, limit],
    queryFn: ({ signal }) =>
      call<Page<DocumentError>>('GET', `/tasks/${uid}/errors`, { query: { offset, limit }, signal }),
    placeholderData: (before) => before,
  });
}

/** Resolves with the task once it is finished. @throws ApiFault with the task's error when it failed */
export async function waitForTask(uid: number): Promise<Task> {
  for (let pauseMs = 60; ; pauseMs = Math.min(BUSY_POLL_MS, pauseMs * 1.5)) {
    const task = await call<Task>('GET', `/tasks/${uid}`);
    if (task.error !== null) throw new ApiFault(400, task.error.code, task.error.message, task.error.link);
    if (isFinished(task)) return task;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** A write whose task is awaited; afterwards all cached answers are reloaded. */
export function useWrite<T>(write: (input: T) => Promise<TaskReceipt>, onDone?: (input: T, task: Task) => void) {
  return useChange(async (input: T) => waitForTask((await write(input)).taskUid), onDone);
}

/** A change that is complete when it is answered. */
export function useChange<T, R = unknown>(change: (input: T) => Promise<R>, onDone?: (input: T, result: R) => void) {
  const queries = useQueryClient();
  // the mutation itself takes a new function only after the page is drawn: whoever is faster would send what was there before
  const latest = useRef({ change, onDone });
  useLayoutEffect(() => {
    latest.current = { change, onDone };
  });
  return useMutation({
    mutationFn: (input: T) => latest.current.change(input),
    onSuccess: (result, input) => latest.current.onDone?.(input, result),
    onSettled: () => queries.invalidateQueries(),
  });
}
