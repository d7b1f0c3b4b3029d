import {
  Alert,
  Autocomplete,
  Button,
  Group,
  Progress,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { type DropzoneState, useDropzone } from 'react-dropzone';
import { Link } from 'wouter';
import { useIndexes } from '../api/queries.js';
import { indexPath } from './current-index.js';
import { DocumentErrors } from './document-errors.js';
import { formatBytes } from './figures/numbers.js';
import { Icon } from './icon.js';
import { faultOfUid } from './index-dialogs.js';
import { ACCEPTED_FILES, contentTypeOf, uidFor } from './send-file.js';
import { type UploadState, useUploads } from './uploads.js';

interface UploadProps {
  /** The index; a new one when absent. */
  readonly uid?: string;
  /** Whether the index has a primary key. */
  readonly hasKey?: boolean;
  /** Files that were dropped elsewhere: they wait until their index is chosen. */
  readonly dropped?: readonly File[];
  /** Called when the user leaves to see the uploaded documents. */
  readonly onLeave?: () => void;
}

/** An area to drop files of documents, and the progress of each. */
export function Upload({ uid, hasKey = false, dropped = [], onLeave }: UploadProps) {
  const [name, setName] = useState('');
  const [primaryKey, setPrimaryKey] = useState('');
  const [isPartial, setPartial] = useState(false);
  const [skipsFaulty, setSkipping] = useState(false);
  const { uploads, send, take } = useUploads((file) => ({
    uid: uid ?? (name === '' ? uidFor(file.name) : name),
    primaryKey,
    isPartial,
    skipsFaulty,
  }));
  const zone = useDocumentDrop(take);
  const isWaiting = dropped.length > 0 && uploads.length === 0;
  return (
    <Stack gap="md">
      {isWaiting ? (
        <Text fw={600}>{dropped.map(({ name: fileName }) => fileName).join(', ')}</Text>
      ) : (
        <DropArea zone={zone} />
      )}
      <SimpleGrid cols={{ base: 1, sm: uid === undefined ? 2 : 1 }}>
        {uid === undefined && (
          <IndexInput name={name} proposal={isWaiting ? uidFor(dropped[0]!.name) : undefined} onChange={setName} />
        )}
        {!hasKey && (
          <TextInput
            label="Primary key"
            description="The attribute that tells documents apart"
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
      <Switch
        label="Leave out faulty documents"
        description="Otherwise one of them fails the whole file"
        checked={skipsFaulty}
        onChange={(event) => setSkipping(event.currentTarget.checked)}
      />
      {isWaiting && (
        <Button onClick={() => take(dropped)} disabled={faultOfUid(name) !== null} ml="auto">
          Upload
        </Button>
      )}
      {zone.fileRejections.map(({ file }) => (
        <Alert key={file.name} color="red" role="alert">
          {file.name}: files of documents end in .json, .ndjson, .jsonl or .csv
        </Alert>
      ))}
      {uploads.map((state, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same file may come twice; the list only grows
        <UploadLine key={at} state={state} onLeave={onLeave} onRetry={() => send(state.file, at)} />
      ))}
    </Stack>
  );
}

/** A drop zone that accepts files of documents only. */
function useDocumentDrop(onDropAccepted: (files: readonly File[]) => Promise<void>): DropzoneState {
  return useDropzone({
    onDropAccepted,
    accept: ACCEPTED_FILES,
    // a file has no name while it is being dragged
    validator: (file) =>
      file instanceof File && contentTypeOf(file.name) === null
        ? { code: 'type', message: 'no JSON, NDJSON or CSV' }
        : null,
    noClick: true,
    noKeyboard: true,
  });
}

function DropArea({ zone: { getRootProps, getInputProps, isDragActive, open } }: { readonly zone: DropzoneState }) {
  return (
    <div {...getRootProps({ className: isDragActive ? 'drop is-over' : 'drop' })}>
      <input {...getInputProps({ 'aria-label': 'Files of documents' })} />
      <Icon name="file-up" size={30} />
      <Text fw={600}>{isDragActive ? 'Let go to upload' : 'Drop JSON, NDJSON or CSV files here'}</Text>
      <Button variant="light" onClick={open}>
        Choose files
      </Button>
    </div>
  );
}

function IndexInput({
  name,
  proposal,
  onChange,
}: {
  readonly name: string;
  /** The index of the files that wait; absent when none does. */
  readonly proposal: string | undefined;
  readonly onChange: (name: string) => void;
}) {
  const known = useIndexes().data?.results.map((index) => index.uid) ?? [];
  return (
    <Autocomplete
      label="Index"
      description="A new one, or one that is there"
      placeholder={proposal ?? 'As the file is called'}
      data={known}
      value={name}
      error={faultOfUid(name)}
      onChange={onChange}
    />
  );
}

function UploadLine({
  state: { file, uid, phase, percentage, message, taskUid, failedCount = 0 },
  onLeave,
  onRetry,
}: {
  readonly state: UploadState;
  readonly onLeave: (() => void) | undefined;
  readonly onRetry: () => void;
}) {
  const { name, size } = file;
  const says = { sending: 'Sending', indexing: `Indexing, task ${taskUid}`, done: message, failed: message }[phase];
  return (
    <div className="upload" aria-live="polite">
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {name}{' '}
          <Text span c="dimmed" fw={400}>
            {formatBytes(size)} into {uid}
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
      {phase === 'failed' && (
        <Button onClick={onRetry} size="compact-sm" variant="light" mt="xs">
          Try again
        </Button>
      )}
      {failedCount > 0 && taskUid !== undefined && <DocumentErrors uid={taskUid} />}
      {phase === 'done' && (
        <Button component={Link} href={indexPath(uid)} onClick={onLeave} size="compact-sm" variant="light" mt="xs">
          Search in {uid}
        </Button>
      )}
    </div>
  );
}
