import { Button, Group, Menu, Modal, Pagination, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  type Column,
  type ColumnDef,
  flexRender,
  getCoreRowModel,
  useReactTable,
  type VisibilityState,
} from '@tanstack/react-table';
import { useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../api/client.js';
import { useIndexes, useIndexStats, useWrite } from '../../api/queries.js';
import type { Document, Page, TaskReceipt } from '../../api/types.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { indexPath, useIndexUid } from '../../parts/current-index.js';
import { EmptyNote } from '../../parts/empty-note.js';
import { FaultNote } from '../../parts/fault-note.js';
import { formatCount } from '../../parts/figures/numbers.js';
import { shapeOf } from '../../parts/hit-shape.js';
import { Icon } from '../../parts/icon.js';
import { typed } from '../../parts/inputs/typed.js';
import { notify, notifyFault } from '../../parts/notify.js';
import { Upload } from '../../parts/upload.js';
import { ViewHead } from '../../parts/view-head.js';
import { DocumentEditor, NEW_DOCUMENT } from './document-editor.js';

const SHOWN_COLUMNS = 6;
const MAX_CELL_CHARS = 120;

const PAGE_SIZE = 25;
const TYPING_PAUSE_MS = 250;

/** The stored documents of an index: in pages, one at a time, or uploaded as a file. */
export function DocumentsView({ id }: { readonly id: string | undefined }) {
  const uid = useIndexUid();
  const [, navigate] = useLocation();
  const [page, setPage] = useState(1);
  const [filter, setFilter] = useState('');
  const indexes = useIndexes().data?.results;
  const primaryKey = indexes?.find((each) => each.uid === uid)?.primaryKey ?? null;
  // an upload that does not know the key yet would ask for it
  const isKnown = indexes !== undefined;
  const stats = useIndexStats(uid).data;
  const { data, error } = useDocuments(uid, page, filter);
  const attributes = useAttributes(stats?.fieldDistribution, primaryKey, data?.results[0]);
  const open = (which: string) => navigate(`${indexPath(uid, 'documents')}/${encodeURIComponent(which)}`);
  // a user who left during the change stays where they are
  const close = (): void => {
    const here = `#${indexPath(uid, 'documents')}/${encodeURIComponent(id ?? '')}`;
    if (window.location.hash === here) navigate(indexPath(uid, 'documents'));
  };
  const isEmpty = data !== undefined && data.total === 0 && filter === '';
  const wasEmpty = useRef(false);
  // the upload of the first files stays visible to its end, even once there are documents
  if (isEmpty) wasEmpty.current = true;
  return (
    <>
      <ViewHead title="Documents" lead={stats && `${formatCount(stats.numberOfDocuments)} in ${uid}`}>
        {!isEmpty && <DeleteAll uid={uid} />}
        <Button variant="default" leftSection={<Icon name="plus" size={16} />} onClick={() => open(NEW_DOCUMENT)}>
          New document
        </Button>
        <UploadButton uid={uid} hasKey={primaryKey !== null} isReady={isKnown} />
      </ViewHead>
      {wasEmpty.current && (
        <div className="panel pad">
          {isEmpty && <EmptyNote icon="files" title="No document yet: drop a file here" />}
          {isKnown && <Upload uid={uid} hasKey={primaryKey !== null} />}
        </div>
      )}
      {!isEmpty && (
        <FilterInput
          filter={filter}
          onChange={(next) => {
            setFilter(next);
            setPage(1);
          }}
        />
      )}
      {error !== null && <FaultNote fault={error} />}
      {data !== undefined && data.results.length > 0 && attributes.length > 0 && (
        <DocumentTable
          key={uid}
          documents={data.results}
          attributes={attributes}
          primaryKey={primaryKey}
          onOpen={open}
        />
      )}
      {data !== undefined && data.total === 0 && filter !== '' && (
        <EmptyNote icon="funnel" title="No document fits the filter" />
      )}
      {data !== undefined && data.total > PAGE_SIZE && <Pages shown={data} page={page} onChange={setPage} />}
      <DocumentEditor {...{ uid, primaryKey, id }} onClose={close} />
    </>
  );
}

function useDocuments(uid: string, page: number, filter: string) {
  const [settled] = useDebouncedValue(filter, TYPING_PAUSE_MS);
  return useQuery({
    queryKey: ['documents', uid, page, settled],
    queryFn: ({ signal }) =>
      call<Page<Document>>('POST', `/indexes/${encodeURIComponent(uid)}/documents/fetch`, {
        body: { offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE, ...(settled === '' ? {} : { filter: settled }) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
}

/** The primary key first, then the title and short attributes; long texts and URLs come last. */
function useAttributes(
  fields: Readonly<Record<string, number>> | undefined,
  primaryKey: string | null,
  sample: Document | undefined,
): readonly string[] {
  const names = Object.keys(fields ?? {}).join('\n');
  const shape = sample === undefined ? undefined : shapeOf(sample, primaryKey);
  const first = [primaryKey, shape?.title, ...(shape?.facts ?? []), ...(shape?.tags ?? []), shape?.body].join('\n');
  return useMemo(() => {
    const all = names.split('\n').filter((name) => name !== '');
    return [...new Set([...first.split('\n').filter((name) => all.includes(name)), ...all])];
  }, [names, first]);
}

interface UploadButtonProps {
  readonly uid: string;
  readonly hasKey: boolean;
  readonly isReady: boolean;
}
function UploadButton({ uid, hasKey, isReady }: UploadButtonProps) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<Icon name="upload" size={16} />} disabled={!isReady} onClick={dialog.open}>
        Upload
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title={`Add documents to ${uid}`} size="lg">
        <Upload uid={uid} hasKey={hasKey} />
      </Modal>
    </>
  );
}

function FilterInput({ filter, onChange }: { readonly filter: string; readonly onChange: (filter: string) => void }) {
  return (
    <TextInput
      aria-label="Filter"
      placeholder='Filter, such as year > 1990 AND genres = "Drama"'
      {...typed(filter, onChange)}
      leftSection={<Icon name="funnel" size={16} />}
      mb="sm"
    />
  );
}

/** The range of the shown documents, and buttons for the other pages. */
function Pages({
  shown: { offset, results, total },
  page,
  onChange,
}: {
  readonly shown: Page<Document>;
  /** From 1. */
  readonly page: number;
  readonly onChange: (page: number) => void;
}) {
  return (
    <Group justify="space-between" mt="md">
      <Text size="sm" c="dimmed" className="number">
        {formatCount(offset + 1)} to {formatCount(offset + results.length)} of {formatCount(total)}
      </Text>
      <Pagination
        value={page}
        total={Math.ceil(total / PAGE_SIZE)}
        onChange={onChange}
        getControlProps={(control) => ({ 'aria-label': `${control} page` })}
      />
    </Group>
  );
}

function DeleteAll({ uid }: { readonly uid: string }) {
  const remove = useWrite(
    () => call<TaskReceipt>('DELETE', `/indexes/${encodeURIComponent(uid)}/documents`),
    () => notify(`${uid} holds no document any more`),
  );
  return (
    <ConfirmButton
      label="Delete all"
      question={`Delete all documents of ${uid}?`}
      variant="subtle"
      loading={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onError: (error) => notifyFault(error) })}
    >
      The index and its settings stay. The documents do not come back.
    </ConfirmButton>
  );
}

interface Props {
  readonly documents: readonly Document[];
  /** Names of the attributes, the most frequent first. */
  readonly attributes: readonly string[];
  readonly primaryKey: string | null;
  readonly onOpen: (id: string) => void;
}

/** A page of documents, a column for each attribute; the user selects the columns. */
function DocumentTable({ documents, attributes, primaryKey, onOpen }: Props) {
  const [columnVisibility, setColumnVisibility] = useState<VisibilityState>(() =>
    Object.fromEntries(attributes.map((name, at) => [name, at < SHOWN_COLUMNS])),
  );
  const columns = useMemo<ColumnDef<Document>[]>(
    () => attributes.map((name) => ({ id: name, header: name, accessorFn: (document) => cellText(document[name]) })),
    [attributes],
  );
  const data = useMemo(() => [...documents], [documents]);
  const table = useReactTable({
    ...{ data, columns, getCoreRowModel: getCoreRowModel(), onColumnVisibilityChange: setColumnVisibility },
    state: { columnVisibility },
  });
  return (
    <>
      <div className="table-tools">
        <ColumnMenu columns={table.getAllLeafColumns()} />
      </div>
      <Table.ScrollContainer minWidth={640} className="panel">
        <Table verticalSpacing="xs" horizontalSpacing="md" highlightOnHover>
          <Table.Thead>
            {table.getHeaderGroups().map((group) => (
              <Table.Tr key={group.id}>
                {group.headers.map((header) => (
                  <Table.Th key={header.id}>{flexRender(header.column.columnDef.header, header.getContext())}</Table.Th>
                ))}
              </Table.Tr>
            ))}
          </Table.Thead>
          <Table.Tbody>
            {table.getRowModel().rows.map((row) => (
              <Table.Tr key={row.id}>
                {row.getVisibleCells().map((cell) => (
                  <Cell
                    key={cell.id}
                    text={String(cell.getValue())}
                    onOpen={cell.column.id === primaryKey ? onOpen : undefined}
                  />
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  );
}

function ColumnMenu({ columns }: { readonly columns: readonly Column<Document>[] }) {
  return (
    <Menu closeOnItemClick={false} position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<Icon name="columns-3" size={15} />}>
          Columns
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} className="scrolls">
        {columns.map((column) => (
          <Menu.Item
            key={column.id}
            role="menuitemcheckbox"
            aria-checked={column.getIsVisible()}
            rightSection={column.getIsVisible() ? <Icon name="check" size={14} /> : null}
            onClick={() => column.toggleVisibility()}
          >
            {column.id}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Cell({
  text,
  onOpen,
}: {
  readonly text: string;
  /** Opens the document whose id the text is; absent for cells that are no ids. */
  readonly onOpen: ((id: string) => void) | undefined;
}) {
  return (
    <Table.Td className="cell" title={text.length > MAX_CELL_CHARS ? undefined : text}>
      {onOpen === undefined ? (
        text.slice(0, MAX_CELL_CHARS)
      ) : (
        <button type="button" className="link" onClick={() => onOpen(text)}>
          {text}
        </button>
      )}
    </Table.Td>
  );
}

function cellText(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join(', ');
  return JSON.stringify(value);
}
