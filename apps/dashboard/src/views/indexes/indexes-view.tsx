import { ActionIcon, Badge, Button, Menu, Modal, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call } from '../../api/client.js';
import { useIndexes, useStats, useWrite } from '../../api/queries.js';
import type { IndexStats, IndexView, Settings, TaskReceipt } from '../../api/types.js';
import { Answered } from '../../parts/answered.js';
import { Confirm } from '../../parts/confirm-button.js';
import { forgetIndex, indexPath } from '../../parts/current-index.js';
import { EmptyNote } from '../../parts/empty-note.js';
import { FaultNote } from '../../parts/fault-note.js';
import { formatAgo, formatBytes, formatCount } from '../../parts/figures/numbers.js';
import { Icon } from '../../parts/icon.js';
import { CreateIndex, RenameIndex, SwapIndexes } from '../../parts/index-dialogs.js';
import { notify, notifyFault } from '../../parts/notify.js';
import { sendFile } from '../../parts/send-file.js';
import { Upload } from '../../parts/upload.js';
import { ViewHead } from '../../parts/view-head.js';

/** The indexes of the server: creating, renaming, swapping, deleting. Without any, an area to drop the first file. */
export function IndexesView() {
  const indexes = useIndexes();
  return <Answered query={indexes}>{({ results }) => <Listed indexes={results} />}</Answered>;
}

function Listed({ indexes }: { readonly indexes: readonly IndexView[] }) {
  const stats = useStats().data?.indexes ?? {};
  const wasEmpty = useRef(false);
  const [isCreating, creating] = useDisclosure(false);
  const [isUploading, uploading] = useDisclosure(false);
  const uids = indexes.map(({ uid }) => uid);
  // the upload of the first file stays visible to its end, even once the index exists
  if (uids.length === 0) wasEmpty.current = true;
  return (
    <>
      <ViewHead title="Indexes" lead="Each holds documents of one kind, with settings of its own.">
        <Button variant="default" leftSection={<Icon name="plus" size={16} />} onClick={creating.open}>
          New index
        </Button>
        <Button leftSection={<Icon name="upload" size={16} />} onClick={uploading.open}>
          Upload
        </Button>
      </ViewHead>
      <Modal opened={isUploading} onClose={uploading.close} title="Add documents" size="lg">
        <Upload />
      </Modal>
      <CreateIndex isOpen={isCreating} onClose={creating.close} />
      {wasEmpty.current && (
        <div className="panel pad">
          <EmptyNote icon="database" title="No index yet: drop a file here">
            Documents as JSON, NDJSON or CSV. The index is made from them, and you can search at once.
            {uids.length === 0 && <SampleFilms />}
          </EmptyNote>
          <Upload />
        </div>
      )}
      {uids.length > 0 && (
        <Table.ScrollContainer minWidth={320} className="panel">
          <Table verticalSpacing="sm" horizontalSpacing="md" highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th ta="right">Documents</Table.Th>
                <Table.Th ta="right" visibleFrom="sm">
                  Size of documents
                </Table.Th>
                <Table.Th visibleFrom="sm">Primary key</Table.Th>
                <Table.Th visibleFrom="md">Changed</Table.Th>
                <Table.Th aria-label="Actions" />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {indexes.map((index) => (
                <Row
                  key={index.uid}
                  index={index}
                  stats={stats[index.uid]}
                  others={uids.filter((uid) => uid !== index.uid)}
                />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </>
  );
}

interface RowProps {
  readonly index: IndexView;
  readonly stats: IndexStats | undefined;
  readonly others: readonly string[];
}

function Row({ index: { uid, primaryKey, updatedAt }, stats, others }: RowProps) {
  return (
    <Table.Tr>
      <Table.Td>
        <Text component={Link} href={indexPath(uid)} fw={600} className="link">
          {uid}
        </Text>
        {stats?.isIndexing && (
          <Badge ml="xs" variant="light">
            indexing
          </Badge>
        )}
      </Table.Td>
      <Table.Td ta="right" className="number">
        {stats === undefined ? '–' : formatCount(stats.numberOfDocuments)}
      </Table.Td>
      <Table.Td ta="right" className="number" visibleFrom="sm">
        {stats === undefined ? '–' : formatBytes(stats.rawDocumentDbSize)}
      </Table.Td>
      <Table.Td visibleFrom="sm">{primaryKey ?? <Text c="dimmed">none yet</Text>}</Table.Td>
      <Table.Td visibleFrom="md">{formatAgo(updatedAt)}</Table.Td>
      <Table.Td ta="right">
        <Actions uid={uid} others={others} />
      </Table.Td>
    </Table.Tr>
  );
}

function Actions({ uid, others }: { readonly uid: string; readonly others: readonly string[] }) {
  const [dialog, setDialog] = useState<'rename' | 'swap' | 'delete' | null>(null);
  const close = () => setDialog(null);
  const path = `/indexes/${encodeURIComponent(uid)}`;
  const remove = useWrite(
    () => call<TaskReceipt>('DELETE', path),
    () => {
      forgetIndex(uid);
      notify(`Index ${uid} is deleted`);
    },
  );
  const compact = useWrite(
    () => call<TaskReceipt>('POST', `${path}/compact`),
    () => notify(`Index ${uid} is compacted`),
  );
  const onError = (fault: Error) => notifyFault(fault);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Actions on ${uid}`}
            loading={remove.isPending || compact.isPending}
          >
            <Icon name="ellipsis-vertical" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="pencil" size={16} />} onClick={() => setDialog('rename')}>
            Rename
          </Menu.Item>
          <Menu.Item
            leftSection={<Icon name="arrow-left-right" size={16} />}
            onClick={() => setDialog('swap')}
            disabled={others.length === 0}
          >
            Swap with another
          </Menu.Item>
          <Menu.Item
            leftSection={<Icon name="refresh-cw" size={16} />}
            onClick={() => compact.mutate(undefined, { onError })}
          >
            Compact
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<Icon name="trash-2" size={16} />} onClick={() => setDialog('delete')}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'rename' && <RenameIndex uid={uid} isOpen onClose={close} />}
      {dialog === 'swap' && <SwapIndexes uid={uid} others={others} isOpen onClose={close} />}
      <Confirm
        isOpen={dialog === 'delete'}
        onClose={close}
        label="Delete"
        question={`Delete the index ${uid}?`}
        onConfirm={() => remove.mutate(undefined, { onError })}
      >
        Its documents and its settings are gone then, and no search in it is answered any more.
      </Confirm>
    </>
  );
}

interface Sample {
  readonly indexUid: string;
  readonly primaryKey: string;
  readonly settings: Settings;
  /** As NDJSON. */
  readonly documents: string;
}

/** Loads the films that the server ships, for a first look. */
function SampleFilms() {
  const [, navigate] = useLocation();
  const load = useWrite(loadSample, (_, { indexUid }) => navigate(indexPath(indexUid ?? '')));
  return (
    <>
      <Button variant="light" mt="xs" loading={load.isPending} onClick={() => load.mutate(undefined)}>
        Load sample films
      </Button>
      {load.error !== null && <FaultNote fault={load.error} />}
    </>
  );
}

/** The last of its tasks; the others are done before. */
async function loadSample(): Promise<TaskReceipt> {
  const { indexUid, primaryKey, settings, documents } = await call<Sample>('GET', '/dashboard/sample.json');
  const path = `/indexes/${encodeURIComponent(indexUid)}`;
  await call('POST', '/indexes', { body: { uid: indexUid, primaryKey } });
  await call('PATCH', `${path}/settings`, { body: settings });
  const target = { uid: indexUid, primaryKey, isPartial: false, skipsFaulty: false };
  const receipts = await sendFile(new File([documents], 'films.ndjson'), target, () => undefined);
  return receipts.at(-1)!;
}
