import { Table } from '@mantine/core';

/** The row of a table that names its columns. */
export function TableHead({ names }: { readonly names: readonly string[] }) {
  return (
    <Table.Thead>
      <Table.Tr>
        {names.map((name) => (
          <Table.Th key={name}>{name}</Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
  );
}
