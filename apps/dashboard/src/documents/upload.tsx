import { Alert, Button, Group, Progress, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useDropzone } from 'react-dropzone';
import { Link } from 'wouter';
import { indexPath } from '../parts/current-index.js';
import { Icon } from '../parts/icon.js';
import { faultOfUid } from '../parts/index-dialogs.js';
import { countOf, formatBytes } from '../parts/numbers.js';
import { ACCEPTED_FILES, contentTypeOf, followTask, sendFile, type Target, uidFor } from './send-file.js';

interface UploadState {
  readonly name: string;
  readonly bytes: number;
  readonly uid: string;
  readonly phase: 'sending' | 'indexing' | 'done' | 'failed';
  /** 0 to 100, of the phase. */
  readonly percentage: number;
  readonly message: string;
  readonly taskUid?: number;
}

interface UploadProps {
  /** The index; a new one where it is absent. */
  readonly uid?: string;
  /** Whether the index knows its primary key. */
  readonly hasKey?: boolean;
}

/** A place to drop files of documents. */
export function Upload({ uid, hasKey = false }: UploadProps) {
  const [name, setName] = useState('');
  const [primaryKey, setPrimaryKey] = useState('');
  const [isPartial, setPartial] = useState(false);
  const [uploads, setUploads] = useState<readonly UploadState[]>([]);
  const queries = useQueryClient();
  const take = async (files: readonly File[]): Promise<void> => {
    for (const file of files) {
      const target = { uid: uid ?? (name === '' ? uidFor(file.name) : name), primaryKey, isPartial };
      const at = uploads.length + files.indexOf(file);
      await upload(
        file,
        target,
        (state) => setUploads((before) => before.with(at, state)),
        () => setUploads((before) => [...before, startOf(file, target)]),
      );
      await queries.invalidateQueries();
    }
  };
  const { getRootProps, getInputProps, isDragActive, open, fileRejections } = useDropzone({
    onDropAccepted: take,
    accept: ACCEPTED_FILES,
    validator: (file) =>
      contentTypeOf(file.name) === null ? { code: 'type', message: 'no JSON, NDJSON or CSV' } : null,
    noClick: true,
    noKeyboard: true,
  });
  return (
    <Stack gap="md">
      <div {...getRootProps({ className: isDragActive ? 'drop is-over' : 'drop' })}>
        <input {...getInputProps({ 'aria-label': 'Files of documents' })} />
        <Icon name="file-up" size={30} />
        <Text fw={600}>{isDragActive ? 'Let go to upload' : 'Drop JSON, NDJSON or CSV files here'}</Text>
        <Button variant="light" onClick={open}>
          Choose files
        </Button>
      </div>
      <SimpleGrid cols={{ base: 1, sm: uid === undefined ? 2 : 1 }}>
        {uid === undefined && (
          <TextInput
            label="Index"
            placeholder="As the file is called"
            value={name}
            error={faultOfUid(name)}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
        {!hasKey && (
          <TextInput
            label="Primary key"
            placeholder="Found by itself"
            value={primaryKey}
            onChange={(event) => setPrimaryKey(event.currentTarget.value)}
          />
        )}
      </SimpleGrid>
      {uid !== undefined && (
        <Switch
          label="Keep attributes that a document has already and the file does not"
          checked={isPartial}
          onChange={(event) => setPartial(event.currentTarget.checked)}
        />
      )}
      {fileRejections.map(({ file }) => (
        <Alert key={file.name} color="red" role="alert">
          {file.name}: files of documents end in .json, .ndjson, .jsonl or .csv
        </Alert>
      ))}
      {uploads.map((state, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same file may come twice; the list only grows
        <UploadLine key={at} state={state} />
      ))}
    </Stack>
  );
}

function startOf(file: File, { uid }: Target): UploadState {
  return { name: file.name, bytes: file.size, uid, phase: 'sending', percentage: 0, message: '' };
}

async function upload(
  file: File,
  target: Target,
  onChange: (state: UploadState) => void,
  onStart: () => void,
): Promise<void> {
  const start = startOf(file, target);
  onStart();
  try {
    const { taskUid } = await sendFile(file, target, (share) => onChange({ ...start, percentage: share * 100 }));
    const indexing = { ...start, phase: 'indexing' as const, taskUid };
    onChange(indexing);
    const task = await followTask(taskUid, (percentage) => onChange({ ...indexing, percentage }));
    if (task.error !== null || task.status !== 'succeeded')
      onChange({ ...indexing, phase: 'failed', message: task.error?.message ?? `The task was ${task.status}.` });
    else {
      const count = Number(task.details?.['indexedDocuments'] ?? 0);
      onChange({ ...indexing, phase: 'done', percentage: 100, message: countOf(count, 'document') });
    }
  } catch (error) {
    onChange({ ...start, phase: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
}

function UploadLine({
  state: { name, bytes, uid, phase, percentage, message, taskUid },
}: {
  readonly state: UploadState;
}) {
  const says = { sending: 'Sending', indexing: `Indexing, task ${taskUid}`, done: message, failed: message }[phase];
  return (
    <div className="upload" aria-live="polite">
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {name}{' '}
          <Text span c="dimmed" fw={400}>
            {formatBytes(bytes)} into {uid}
          </Text>
        </Text>
        <Text size="sm" c={phase === 'failed' ? 'red' : 'dimmed'}>
          {says}
        </Text>
      </Group>
      <Progress
        mt={6}
        value={phase === 'failed' ? 100 : percentage}
        color={phase === 'failed' ? 'red' : 'pine'}
        animated={phase === 'indexing'}
        aria-label={`${name}: ${says}`}
      />
      {phase === 'done' && (
        <Button component={Link} href={indexPath(uid)} size="compact-sm" variant="light" mt="xs">
          Search in {uid}
        </Button>
      )}
    </div>
  );
}
