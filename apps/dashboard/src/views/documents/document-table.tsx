import { Button, Menu, Table } from '@mantine/core';
import {
  type Column,
  type ColumnDef,
  flexRender,
  getCoreRowModel,
  useReactTable,
  type VisibilityState,
} from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import type { Document } from '../../api/types.js';
import { Icon } from '../../parts/icon.js';

interface Props {
  readonly documents: readonly Document[];
  /** Names of the attributes, the most frequent first. */
  readonly attributes: readonly string[];
  readonly primaryKey: string | null;
  readonly onOpen: (id: string) => void;
}
const SHOWN_COLUMNS = 6;
const MAX_CELL_CHARS = 120;

/** A page of documents, a column for each attribute; the user selects the columns. */
export function DocumentTable({ documents, attributes, primaryKey, onOpen }: Props) {
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
