import { AppShell, Center, Loader, Modal } from '@mantine/core';
import { useDisclosure, useWindowEvent } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Component, type ComponentType, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { ApiFault, call, isRefused, onKeyWanted, unreachable } from '../api/client.js';
import { useIndexes } from '../api/queries.js';
import { Answered } from '../parts/answered.js';
import { IndexUidContext, indexPath, lastIndex, rememberIndex } from '../parts/current-index.js';
import { EmptyNote } from '../parts/empty-note.js';
import { FaultNote } from '../parts/fault-note.js';
import { IndexField } from '../parts/index-field.js';
import { SignIn } from '../views/session/sign-in.js';
import { Header } from './header.js';
import { isThere, Navigation, SERVER_ENTRIES } from './navigation.js';

const Upload = lazyPart(() => import('../parts/upload.js'), 'Upload');

/** Handles files dropped outside of an upload area: by default a browser would leave the page for them. */
function PageDrop() {
  const [isOver, setOver] = useState(false);
  const [files, setFiles] = useState<readonly File[]>([]);
  useWindowEvent('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    setOver(true);
  });
  useWindowEvent('dragleave', (event) => {
    // without a related target, the drag left the window
    if (event.relatedTarget === null) setOver(false);
  });
  useWindowEvent('drop', (event) => {
    setOver(false);
    const isTaken = event.defaultPrevented;
    const dropped = [...(event.dataTransfer?.files ?? [])];
    if (dropped.length === 0) return;
    event.preventDefault();
    if (!isTaken) setFiles(dropped);
  });
  return (
    <>
      {isOver && <div className="page-drop" aria-hidden="true" />}
      <Modal opened={files.length > 0} onClose={() => setFiles([])} title="Add documents" size="lg">
        <Boundary>
          <Suspense>
            <Upload dropped={files} onLeave={() => setFiles([])} />
          </Suspense>
        </Boundary>
      </Modal>
    </>
  );
}

const IndexesView = lazyPart(() => import('../views/indexes/indexes-view.js'), 'IndexesView');
const INDEX_VIEWS = {
  search: lazyPart(() => import('../views/search/search-view.js'), 'SearchView'),
  documents: lazyPart(() => import('../views/documents/documents-view.js'), 'DocumentsView'),
  settings: lazyPart(() => import('../views/settings/settings-view.js'), 'SettingsView'),
  words: lazyPart(() => import('../views/words/words-view.js'), 'WordsView'),
  compare: lazyPart(() => import('../views/compare/compare-view.js'), 'CompareView'),
};
const SERVER_VIEWS = {
  indexes: IndexesView,
  tasks: lazyPart(() => import('../views/tasks/tasks-view.js'), 'TasksView'),
  stats: lazyPart(() => import('../views/stats/stats-view.js'), 'StatsView'),
  chat: lazyPart(() => import('../views/chat/chat-view.js'), 'ChatView'),
  analytics: lazyPart(() => import('../views/analytics/analytics-view.js'), 'AnalyticsView'),
  keys: lazyPart(() => import('../views/keys/keys-view.js'), 'KeysView'),
  server: lazyPart(() => import('../views/server/server-view.js'), 'ServerView'),
  cluster: lazyPart(() => import('../views/cluster/cluster-view.js'), 'ClusterView'),
};

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
      {SERVER_ENTRIES.filter(isThere).map(({ view }) => (
        <Route key={view} path={`/${view}`} component={SERVER_VIEWS[view]} />
      ))}
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
  const isView = (name: string): name is keyof typeof INDEX_VIEWS => Object.hasOwn(INDEX_VIEWS, name);
  if (!isView(view)) return <Redirect to={indexPath(uid)} />;
  const View = INDEX_VIEWS[view];
  return <View id={id} />;
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
function lazyPart<K extends string, P>(load: () => Promise<Readonly<Record<K, ComponentType<P>>>>, name: K) {
  return lazy(() =>
    load().then(
      ({ [name]: part }) => ({ default: part }),
      () => {
        throw unreachable();
      },
    ),
  );
}
