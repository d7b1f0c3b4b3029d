import { Button, Code, Group, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call, fetchFile } from '../../api/client.js';
import { useChange, useWrite } from '../../api/queries.js';
import type { Task, TaskReceipt } from '../../api/types.js';
import { FaultNote } from '../../parts/fault-note.js';
import { formatAgo, formatBytes, formatDate } from '../../parts/figures/numbers.js';
import { notifyFault } from '../../parts/notify.js';
import { saveFile } from '../../parts/save-file.js';

/** Dumps are never deleted by the server: the latest are shown. */
const SHOWN = 8;

interface CopyFile {
  readonly uid: string;
  readonly size: number;
  readonly createdAt: string;
}

/** Dumps and snapshots. */
export function Copies() {
  const dump = useWrite(() => call<TaskReceipt>('POST', '/dumps'));
  const snapshot = useWrite(() => call<TaskReceipt>('POST', '/snapshots'));
  return (
    <section className="panel pad" aria-label="Copies">
      <Title order={2}>Copies</Title>
      <Text size="sm" c="dimmed" mb="sm">
        A dump can be imported by other versions, a snapshot is faster. Both are written on the server, into the folders
        of <code className="option">--dump-dir</code> and <code className="option">--snapshot-dir</code>.
      </Text>
      <Group gap="xs">
        <Button variant="light" loading={dump.isPending} onClick={() => dump.mutate(undefined)}>
          Make a dump
        </Button>
        <Button variant="light" loading={snapshot.isPending} onClick={() => snapshot.mutate(undefined)}>
          Make a snapshot
        </Button>
      </Group>
      {[dump, snapshot].map(
        // biome-ignore lint/suspicious/noArrayIndexKey: the two of them
        ({ error }, at) => error !== null && <FaultNote key={at} fault={error} />,
      )}
      <div aria-live="polite">
        {dump.data !== undefined && <Written task={dump.data} />}
        {snapshot.data !== undefined && <Written task={snapshot.data} />}
      </div>
      <CopyFiles path="/_fossick/dumps" ending=".dump" title="Dumps" />
      <CopyFiles path="/_fossick/snapshots" ending=".snapshot" title="Snapshots" />
    </section>
  );
}
function Written({ task: { uid, details } }: { readonly task: Task }) {
  const name = details?.['dumpUid'];
  return (
    <Text size="sm" mt="sm">
      {name == null ? 'The snapshot is written' : <Code>{`${name}.dump`}</Code>}
      {name == null ? '' : ' is written'}, by task {uid}.
    </Text>
  );
}

interface FilesProps {
  readonly path: string;
  readonly ending: string;
  readonly title: string;
}
/** The files of one kind; nothing for a key that may not read them. */
function CopyFiles({ path, ending, title }: FilesProps) {
  const files = useQuery({
    queryKey: ['copies', path],
    queryFn: ({ signal }) => call<{ readonly results: readonly CopyFile[] }>('GET', path, { signal }),
  });
  const all = files.data?.results ?? [];
  if (all.length === 0) return null;
  return (
    <>
      <Table mt="sm" aria-label={title}>
        <Table.Tbody>
          {all.slice(0, SHOWN).map((file) => (
            <CopyRow key={file.uid} path={path} name={`${file.uid}${ending}`} file={file} />
          ))}
        </Table.Tbody>
      </Table>
      {all.length > SHOWN && (
        <Text size="sm" c="dimmed">
          And {all.length - SHOWN} older ones in the folder.
        </Text>
      )}
    </>
  );
}

interface RowProps {
  readonly path: string;
  readonly name: string;
  readonly file: CopyFile;
}
function CopyRow({ path, name, file: { uid, size, createdAt } }: RowProps) {
  const download = useChange(async () => saveFile(name, await fetchFile(`${path}/${encodeURIComponent(uid)}/file`)));
  return (
    <Table.Tr>
      <Table.Td className="record-name">
        {name}
        <Text size="xs" c="dimmed" title={formatDate(createdAt)}>
          {formatBytes(size)}, {formatAgo(createdAt)}
        </Text>
      </Table.Td>
      <Table.Td ta="right">
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={`Download ${name}`}
          loading={download.isPending}
          onClick={() => download.mutate(undefined, { onError: (fault) => notifyFault(fault) })}
        >
          Download
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
