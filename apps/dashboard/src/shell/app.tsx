import { AppShell, Center, Loader, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Component, type ComponentType, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { ApiFault, call, isRefused, onKeyWanted, unreachable } from '../api/client.js';
import { isServed } from '../api/extensions.js';
import { useIndexes } from '../api/queries.js';
import { Answered } from '../parts/answered.js';
import { IndexUidContext, indexPath, lastIndex, rememberIndex } from '../parts/current-index.js';
import { EmptyNote } from '../parts/empty-note.js';
import { FaultNote } from '../parts/fault-note.js';
import { IndexField } from '../parts/index-field.js';
import { SignIn } from '../views/session/sign-in.js';
import { Header } from './header.js';
import { Navigation } from './navigation.js';

const Upload = lazyPart(() => import('../parts/upload.js').then((file) => ({ default: file.Upload })));

/** Handles files dropped outside of an upload area: by default a browser would leave the page for them. */
function PageDrop() {
  const [isOver, setOver] = useState(false);
  const [files, setFiles] = useState<readonly File[]>([]);
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      // without a related target, the drag left the window
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      setOver(false);
      const isTaken = event.defaultPrevented;
      const dropped = [...(event.dataTransfer?.files ?? [])];
      if (dropped.length === 0) return;
      event.preventDefault();
      if (!isTaken) setFiles(dropped);
    };
    const listeners = [
      ['dragover', over],
      ['dragleave', leave],
      ['drop', drop],
    ] as const;
    for (const [name, listener] of listeners) window.addEventListener(name, listener);
    return () => {
      for (const [name, listener] of listeners) window.removeEventListener(name, listener);
    };
  }, []);
  return (
    <>
      {isOver && <div className="page-drop" aria-hidden="true" />}
      <Modal
        opened={files.length > 0}
        onClose={() => setFiles([])}
        title="Add documents"
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Boundary>
          <Suspense>
            <Upload dropped={files} onLeave={() => setFiles([])} />
          </Suspense>
        </Boundary>
      </Modal>
    </>
  );
}

const AnalyticsView = lazyPart(() =>
  import('../views/analytics/analytics-view.js').then((file) => ({ default: file.AnalyticsView })),
);
const ChatView = lazyPart(() => import('../views/chat/chat-view.js').then((file) => ({ default: file.ChatView })));
const ClusterView = lazyPart(() =>
  import('../views/cluster/cluster-view.js').then((file) => ({ default: file.ClusterView })),
);
const CompareView = lazyPart(() =>
  import('../views/compare/compare-view.js').then((file) => ({ default: file.CompareView })),
);
const DocumentsView = lazyPart(() =>
  import('../views/documents/documents-view.js').then((file) => ({ default: file.DocumentsView })),
);
const IndexesView = lazyPart(() =>
  import('../views/indexes/indexes-view.js').then((file) => ({ default: file.IndexesView })),
);
const KeysView = lazyPart(() => import('../views/keys/keys-view.js').then((file) => ({ default: file.KeysView })));
const SearchView = lazyPart(() =>
  import('../views/search/search-view.js').then((file) => ({ default: file.SearchView })),
);
const ServerView = lazyPart(() =>
  import('../views/server/server-view.js').then((file) => ({ default: file.ServerView })),
);
const SettingsView = lazyPart(() =>
  import('../views/settings/settings-view.js').then((file) => ({ default: file.SettingsView })),
);
const StatsView = lazyPart(() => import('../views/stats/stats-view.js').then((file) => ({ default: file.StatsView })));
const TasksView = lazyPart(() => import('../views/tasks/tasks-view.js').then((file) => ({ default: file.TasksView })));
const WordsView = lazyPart(() => import('../views/words/words-view.js').then((file) => ({ default: file.WordsView })));

/** The whole page: sign-in, the frame, and the current view. */
export function App() {
  const [isKeyWanted, setKeyWanted] = useState(false);
  useEffect(() => onKeyWanted(() => setKeyWanted(true)), []);
  if (isKeyWanted) return <SignIn onDone={() => setKeyWanted(false)} />;
  return <Shell onSignOut={() => setKeyWanted(true)} />;
}

function Shell({ onSignOut }: { readonly onSignOut: () => void }) {
  const [isMenuOpen, menu] = useDisclosure(false);
  const [location] = useLocation();
  const uid = currentUid(location) ?? lastIndex();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place is what closes the menu of a phone
  useEffect(() => menu.close(), [location, menu.close]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isMenuOpen } }}
      padding={0}
    >
      <button type="button" className="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <AppShell.Header>
        <Header uid={uid} isMenuOpen={isMenuOpen} onMenu={menu.toggle} onSignOut={onSignOut} />
      </AppShell.Header>
      <AppShell.Navbar aria-label="Views">
        <Navigation uid={uid} />
      </AppShell.Navbar>
      <PageDrop />
      <AppShell.Main id="main" tabIndex={-1}>
        <div className="view">
          <Boundary key={viewOf(location)}>
            <Suspense fallback={<Waiting />}>
              <Views />
            </Suspense>
          </Boundary>
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

function Views() {
  return (
    <Switch>
      <Route path="/">
        <Start />
      </Route>
      <Route path="/index/:uid/:view/:id?">
        {({ uid, view, id }) => (
          <IndexUidContext value={uid}>
            <IndexView key={uid} uid={uid} view={view} id={id} />
          </IndexUidContext>
        )}
      </Route>
      <Route path="/indexes" component={IndexesView} />
      <Route path="/tasks" component={TasksView} />
      <Route path="/stats" component={StatsView} />
      {isServed('chats') && <Route path="/chat" component={ChatView} />}
      {isServed('analytics') && <Route path="/analytics" component={AnalyticsView} />}
      <Route path="/keys" component={KeysView} />
      <Route path="/server" component={ServerView} />
      {isServed('cluster') && <Route path="/cluster" component={ClusterView} />}
      <Route>
        <Redirect to="/" />
      </Route>
    </Switch>
  );
}

interface IndexViewProps {
  readonly uid: string;
  readonly view: string;
  readonly id: string | undefined;
}
function IndexView({ uid, view, id }: IndexViewProps) {
  useEffect(() => rememberIndex(uid), [uid]);
  switch (view) {
    case 'search':
      return <SearchView />;
    case 'documents':
      return <DocumentsView id={id} />;
    case 'compare':
      return <CompareView />;
    case 'settings':
      return <SettingsView />;
    case 'words':
      return <WordsView />;
    default:
      return <Redirect to={indexPath(uid)} />;
  }
}

/** The first view is a search: in the last index, or the first one. */
function Start() {
  const indexes = useIndexes();
  const wasEmpty = useRef(false);
  if (indexes.data === undefined && isRefused(indexes.error)) return <NamedSearch />;
  return (
    <Answered query={indexes} waiting={<Waiting />}>
      {({ results }) => {
        const uids = results.map(({ uid }) => uid);
        const last = lastIndex();
        const uid = last !== undefined && uids.includes(last) ? last : uids[0];
        // whoever begins with the first file stays with it to its end
        if (uid === undefined) wasEmpty.current = true;
        return uid === undefined || wasEmpty.current ? <IndexesView /> : <FirstSearch uid={uid} />;
      }}
    </Answered>
  );
}

/** For a key that searches and may not list indexes: the last one, or that which the user names. */
function NamedSearch() {
  const last = lastIndex();
  if (last !== undefined) return <FirstSearch uid={last} />;
  return (
    <EmptyNote icon="search" title="Search in an index">
      This key may search, but not list indexes: name the one to search in.
      <IndexField uid={undefined} />
    </EmptyNote>
  );
}

/** Leads to the search of an index. A user who went elsewhere while the list of indexes was loading stays there. */
function FirstSearch({ uid }: { readonly uid: string }) {
  const [, navigate] = useLocation();
  useEffect(() => {
    // the router may not have heard of the new address yet
    if (/^#?\/?$/.test(window.location.hash)) navigate(indexPath(uid), { replace: true });
  }, [uid, navigate]);
  return <Waiting />;
}

function Waiting() {
  return (
    <Center mih={240}>
      <Loader />
    </Center>
  );
}

/** The path of a view, without the part that belongs to the view itself. */
function viewOf(location: string): string {
  return location.split('/').slice(0, 4).join('/');
}

function currentUid(location: string): string | undefined {
  const found = /^\/index\/([^/]+)\//.exec(location)?.[1];
  return found === undefined ? undefined : decodeURIComponent(found);
}

/** An error in a view leaves the rest of the page working. */
class Boundary extends Component<{ readonly children: ReactNode }, { readonly fault: Error | null }> {
  override state: { readonly fault: Error | null } = { fault: null };
  static getDerivedStateFromError(fault: Error): { fault: Error } {
    return { fault };
  }
  override render(): ReactNode {
    const { fault } = this.state;
    if (fault === null) return this.props.children;
    return fault instanceof ApiFault && fault.status === 0 ? <Away fault={fault} /> : <FaultNote fault={fault} />;
  }
}

/** A part of the page could not be loaded: the page is loaded anew as soon as the server is there again. */
function Away({ fault }: { readonly fault: ApiFault }) {
  const { isSuccess, refetch } = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => call('GET', '/health', { signal }),
    gcTime: 0,
  });
  useEffect(() => {
    if (isSuccess) location.reload();
  }, [isSuccess]);
  return <FaultNote fault={fault} onRetry={refetch} />;
}

/** A part of the page whose script is loaded when it is shown. A server that is gone by then is told of in words. */
// biome-ignore lint/suspicious/noExplicitAny: the props are those of the part
function lazyPart<C extends ComponentType<any>>(load: () => Promise<{ default: C }>) {
  return lazy(() =>
    load().catch(() => {
      throw unreachable();
    }),
  );
}
