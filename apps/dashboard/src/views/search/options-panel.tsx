import { Badge, Button, Popover, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Icon } from '../../parts/icon.js';
import { NumberInput } from '../../parts/inputs/number-input.js';
import { switched, typed } from '../../parts/inputs/typed.js';
import { NO_OPTIONS, optionCount, type SearchOptions, TYPO_CHOICES } from '../../parts/search-options.js';

interface Props {
  readonly options: SearchOptions;
  readonly onChange: (options: SearchOptions) => void;
  readonly hasPictures: boolean;
  readonly setPictures: (isOn: boolean) => void;
}

/** What this search does differently from the settings of the index. */
export function OptionsPanel({ options, onChange, hasPictures, setPictures }: Props) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const count = optionCount(options);
  const set = (change: Partial<SearchOptions>): void => onChange({ ...options, ...change });
  return (
    <Popover opened={isOpen} onDismiss={close} width={340} position="bottom-end" trapFocus shadow="md">
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<Icon name="settings" size={16} />}
          rightSection={count > 0 ? <Badge circle>{count}</Badge> : null}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          This search
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Select
            label="Typos"
            data={[...TYPO_CHOICES]}
            value={options.typos}
            onChange={(typos) => set({ typos: typos as SearchOptions['typos'] })}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
          />
          <TextInput
            label="Filter"
            description="An expression, in addition to the chosen filters"
            placeholder="variants[color = red AND size = 42]"
            {...typed(options.filter, (filter) => set({ filter }))}
          />
          <TextInput
            label="Ranking rules"
            description="Instead of those in the settings"
            placeholder="words, score(log(1 + popularity)), year:desc"
            {...typed(options.rules, (rules) => set({ rules }))}
          />
          <TextInput
            label="Weights of attributes"
            description="The greatest first; others weigh 1"
            placeholder="title:10, overview:0"
            {...typed(options.weights, (weights) => set({ weights }))}
          />
          <NumberInput
            label="Words that count"
            placeholder="10"
            min={1}
            step={1}
            value={options.words}
            onChange={(words) => set({ words: words !== null && words >= 1 ? Math.trunc(words) : null })}
          />
          <Switch
            label="OR and brackets combine words"
            {...switched(options.isBoolean, (isBoolean) => set({ isBoolean }))}
          />
          <ComputedOptions options={options} set={set} />
          <Button variant="subtle" size="compact-sm" disabled={count === 0} onClick={() => onChange(NO_OPTIONS)}>
            As in the settings
          </Button>
          <Switch
            label="Pictures of this index"
            description="From the addresses in its documents, whose servers then see your visit. Kept in this browser."
            {...switched(hasPictures, setPictures)}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

interface ComputedProps {
  readonly options: SearchOptions;
  readonly set: (change: Partial<SearchOptions>) => void;
}
/** Groups, sums and exact counts. */
function ComputedOptions({ options, set }: ComputedProps) {
  return (
    <>
      <TextInput
        label="Group by"
        description="A filterable attribute: the best hits of each of its values"
        {...typed(options.groupBy, (groupBy) => set({ groupBy }))}
      />
      <TextInput
        label="Sum up"
        description="A filterable attribute with numbers"
        {...typed(options.summed, (summed) => set({ summed }))}
      />
      {options.summed !== '' && (
        <>
          <TextInput label="For each value of" {...typed(options.summedBy, (summedBy) => set({ summedBy }))} />
          <NumberInput
            label="Width of the buckets of a histogram"
            step="any"
            value={options.interval}
            onChange={(width) => set({ interval: width !== null && width > 0 ? width : null })}
          />
        </>
      )}
      <Switch
        label="Exact counts where hits are distinct"
        {...switched(options.isExact, (isExact) => set({ isExact }))}
      />
    </>
  );
}
