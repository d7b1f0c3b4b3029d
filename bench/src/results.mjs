/** Output of every bench at its end: a table for people, one line of JSON for programs, and a file on request. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { readMachineFacts } from './machine.mjs';

/** Prints rows of `{ name, ...figures }` with the columns in the order of their first occurrence. */
export function printTable(rows) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [columns, ...rows.map((row) => columns.map((column) => show(row[column])))];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at].length)));
  for (const line of cells) {
    console.log(line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  '));
  }
}

/** Ends a bench: the figures with the facts of the machine, as the last line of the output and in `file`. */
export function writeResult(figures, file) {
  const result = { machine: readMachineFacts(), figures };
  console.log(JSON.stringify(result));
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
}

/** Median, mean and tail of durations in milliseconds. */
export function scatter(durationsMs) {
  const sorted = [...durationsMs].sort((left, right) => left - right);
  const quantile = (part) => round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]);
  const sum = sorted.reduce((total, duration) => total + duration, 0);
  return { p50: quantile(0.5), mean: round(sum / sorted.length), p99: quantile(0.99) };
}

/** A short hash of the answers: builds with the same answers have the same hash. */
export function hashOf(value) {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}

export function round(value, digits = 3) {
  return Number(value.toFixed(digits));
}

/** Wall-clock and processor time of all threads since `startMeter`, in milliseconds. */
export function startMeter() {
  const startedMs = performance.now();
  const startedCpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(startedCpu);
    return { wallMs: round(performance.now() - startedMs, 1), cpuMs: round((user + system) / 1000, 1) };
  };
}

function show(value) {
  if (value === undefined || value === null) return '-';
  return typeof value === 'number' ? String(round(value)) : String(value);
}
