import { own } from '@fossick/base';

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1e3,
  kb: 1e3,
  m: 1e6,
  mb: 1e6,
  g: 1e9,
  gb: 1e9,
  t: 1e12,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** Parses `104857600`, `100 MB` or `2.5GiB` as bytes; undefined when invalid. */
export function parseByteSize(text: string): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*$/.exec(text);
  const unit = match === null ? undefined : own(UNITS, match[2]!.toLowerCase());
  return unit === undefined ? undefined : Math.floor(Number(match![1]) * unit);
}

/** `19.64 MiB`, `636 B`, `16 KiB`: binary units, at most two decimals, a zero fraction dropped. */
export function formatByteSize(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  const text = value.toFixed(2);
  return `${text.endsWith('.00') ? text.slice(0, -3) : text} ${units[unit]}`;
}

/** `100 MB`, `64 MiB`, `1000 B`: the shortest text that parseByteSize parses as exactly this many bytes. */
export function wholeSize(bytes: number): string {
  const units = [
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
    ['KiB', 2 ** 10],
    ['GB', 1e9],
    ['MB', 1e6],
    ['KB', 1e3],
  ] as const;
  const [unit, size] = units.find(([, each]) => bytes >= each && bytes % each === 0) ?? ['B', 1];
  return `${bytes / size} ${unit}`;
}
