import { Select, Stack, TextInput } from '@mantine/core';
import { useIndexes } from '../../api/queries.js';
import { NO_OPTIONS, parametersOf, type SearchOptions, TYPO_CHOICES } from '../../parts/search-options.js';

/** One way to search. */
export interface Side {
  /** The index: another one with the same documents has other settings. */
  readonly uid: string;
  readonly options: SearchOptions;
}
/** As the index is set. */
export const startSide = (uid: string): Side => ({ uid, options: NO_OPTIONS });

/** The parameters of a search this way, without its words. */
export function sideParameters({ options }: Side): object {
  const { filter } = options;
  return { ...parametersOf(options), ...(filter.trim() === '' ? {} : { filter }) };
}

interface Props {
  readonly side: Side;
  readonly onChange: (side: Side) => void;
}
export function SideOptions({ side: { uid, options }, onChange }: Props) {
  const uids = useIndexes().data?.results.map((index) => index.uid) ?? [uid];
  const set = (change: Partial<SearchOptions>): void => onChange({ uid, options: { ...options, ...change } });
  return (
    <Stack gap="xs">
      <Select
        label="Index and its settings"
        data={uids}
        value={uid}
        onChange={(chosen) => onChange({ uid: chosen ?? uid, options })}
        allowDeselect={false}
      />
      <TextInput
        label="Ranking rules"
        placeholder="Those of the index"
        value={options.rules}
        onChange={(event) => set({ rules: event.currentTarget.value })}
      />
      <TextInput
        label="Weights of attributes"
        placeholder="Those of the index"
        value={options.weights}
        onChange={(event) => set({ weights: event.currentTarget.value })}
      />
      <Select
        label="Typos"
        data={[...TYPO_CHOICES]}
        value={options.typos}
        onChange={(typos) => set({ typos: typos as SearchOptions['typos'] })}
        allowDeselect={false}
      />
    </Stack>
  );
}
