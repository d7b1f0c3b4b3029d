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
import { useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useIndexes } from '../api/queries.js';
import { indexPath } from './current-index.js';
import { DocumentErrors } from './document-errors.js';
import { countOf, formatBytes } from './figures/numbers.js';
import { Icon } from './icon.js';
import { faultOfUid } from './index-dialogs.js';
import { switched, typed } from './inputs/typed.js';
import { ACCEPTED_FILES, contentTypeOf, followTask, sendFile, type Target, uidFor } from './send-file.js';

interface UploadProps {
  /** The index; a new one when absent. */
  readonly uid?: string;
  /** Whether the index has a primary key. */
  readonly hasKey?: boolean;
  /** Files that were dropped elsewhere. Files wait until their index is chosen. */
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
  const [waiting, setWaiting] = useState(dropped);
  // where neither index nor key is open, there is nothing to ask
  const [refused, setRefused] = useState<readonly File[]>([]);
  const receive = (files: readonly File[]): void => {
    const taken = files.filter(({ name }) => contentTypeOf(name) !== null);
    setRefused(files.filter((file) => !taken.includes(file)));
    if (uid !== undefined && hasKey) take(taken);
    else setWaiting(taken);
  };
  const isWaiting = waiting.length > 0;
  return (
    <Stack gap="md">
      {isWaiting ? (
        <Text fw={600}>{waiting.map(({ name: fileName }) => fileName).join(', ')}</Text>
      ) : (
        <DropArea onFiles={receive} />
      )}
      <SimpleGrid cols={{ base: 1, sm: uid === undefined ? 2 : 1 }}>
        {uid === undefined && (
          <IndexInput name={name} proposal={isWaiting ? uidFor(waiting[0]!.name) : undefined} onChange={setName} />
        )}
        {!hasKey && (
          <TextInput
            label="Primary key"
            description="The attribute that tells documents apart"
            placeholder="Found by itself"
            {...typed(primaryKey, setPrimaryKey)}
          />
        )}
      </SimpleGrid>
      {uid !== undefined && (
        <Switch
          label="Keep attributes that a document has already and the file does not"
          {...switched(isPartial, setPartial)}
        />
      )}
      <Switch
        label="Leave out faulty documents"
        description="Otherwise one of them fails the whole file"
        {...switched(skipsFaulty, setSkipping)}
      />
      {isWaiting && (
        <Group justify="flex-end">
          <Button variant="default" onClick={() => setWaiting([])}>
            Other files
          </Button>
          <Button
            onClick={() => {
              setWaiting([]);
              take(waiting);
            }}
            disabled={faultOfUid(name) !== null}
          >
            Upload
          </Button>
        </Group>
      )}
      {refused.map((file) => (
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

/** Where files are dropped or chosen; the browser's own input, which the keyboard reaches by the button. */
function DropArea({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drag = (event: DragEvent, isIn: boolean): void => {
    event.preventDefault();
    setOver(isIn);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button within does the same for the keyboard
    <div
      className={isOver ? 'drop is-over' : 'drop'}
      onDragOver={(event) => drag(event, true)}
      onDragLeave={(event) => drag(event, false)}
      onDrop={(event) => {
        drag(event, false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={ACCEPTED_FILES}
        aria-label="Files of documents"
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          // the same file may be chosen again
          currentTarget.value = '';
        }}
      />
      <Icon name="file-up" size={30} />
      <Text fw={600}>{isOver ? 'Let go to upload' : 'Drop JSON, NDJSON or CSV files here'}</Text>
      <Button variant="light" onClick={() => input.current?.click()}>
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
  state: { file, uid, phase, percentage, message, taskUid, faultyTasks = [] },
  onLeave,
  onRetry,
}: {
  readonly state: UploadState;
  readonly onLeave: (() => void) | undefined;
  readonly onRetry: () => void;
}) {
  const { name, size } = file;
  const share = `${Math.floor(percentage)} %`;
  const says = {
    sending: `Sending, ${share}`,
    indexing: `Indexing, task ${taskUid}, ${share}`,
    done: message,
    failed: message,
  }[phase];
  return (
    <div className="upload" aria-live={phase === 'done' || phase === 'failed' ? 'polite' : 'off'}>
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
      {faultyTasks.map((task) => (
        <DocumentErrors key={task} uid={task} />
      ))}
      {phase === 'done' && (
        <Button component={Link} href={indexPath(uid)} onClick={onLeave} size="compact-sm" variant="light" mt="xs">
          Search in {uid}
        </Button>
      )}
    </div>
  );
}

/** A file on its way into an index. */
interface UploadState {
  readonly file: File;
  readonly uid: string;
  readonly phase: 'sending' | 'indexing' | 'done' | 'failed';
  /** 0 to 100, of the phase. */
  readonly percentage: number;
  readonly message: string;
  /** The tasks that left documents out: a large file has several tasks. */
  readonly faultyTasks?: readonly number[];
  readonly taskUid?: number;
}

/** The uploads of a form. `targetOf`: the index of a file, and how its documents are added. */
function useUploads(targetOf: (file: File) => Target) {
  const [uploads, setUploads] = useState<readonly UploadState[]>([]);
  const queries = useQueryClient();
  /** Sends a file and follows its task; shows it at this place of the list. */
  const send = async (file: File, at: number): Promise<void> => {
    const show = (state: UploadState): void =>
      setUploads((before) => (at < before.length ? before.with(at, state) : [...before, state]));
    await upload(file, targetOf(file), show);
    await queries.invalidateQueries();
  };
  /** Sends files one after the other. */
  const take = async (files: readonly File[]): Promise<void> => {
    for (const file of files) await send(file, uploads.length + files.indexOf(file));
  };
  return { uploads, send, take };
}

async function upload(file: File, target: Target, onChange: (state: UploadState) => void): Promise<void> {
  const start: UploadState = { file, uid: target.uid, phase: 'sending', percentage: 0, message: '' };
  onChange(start);
  try {
    const receipts = await sendFile(file, target, (share) => onChange({ ...start, percentage: share * 100 }));
    const indexing = { ...start, phase: 'indexing' as const, taskUid: receipts.at(-1)!.taskUid };
    let count = 0;
    const faultyTasks: number[] = [];
    for (const [at, { taskUid }] of receipts.entries()) {
      const show = (percentage: number): void =>
        onChange({ ...indexing, taskUid, percentage: (at * 100 + percentage) / receipts.length });
      show(0);
      const task = await followTask(taskUid, show);
      if (task.error !== null || task.status !== 'succeeded')
        return onChange({
          ...{ ...indexing, taskUid, phase: 'failed' },
          message: task.error?.message ?? `The task was ${task.status}.`,
        });
      if (Number(task.details?.['failedDocuments'] ?? 0) > 0) faultyTasks.push(taskUid);
      count += Number(task.details?.['indexedDocuments'] ?? 0);
    }
    const message = countOf(count, 'document');
    onChange({ ...indexing, phase: 'done', percentage: 100, message, faultyTasks });
  } catch (error) {
    onChange({ ...start, phase: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
}
