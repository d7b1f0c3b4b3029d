import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE_FILE = fileURLToPath(new URL('./name-log-shim.fixture.c', import.meta.url));

/** A file, or a folder with its names: as they are, and as they were at the last flush of the folder. */
class Item {
  readonly names = new Map<string, Item>();
  flushedNames: ReadonlyMap<string, Item> = new Map();
  /** A file was flushed at least once. */
  isFlushed = false;
  private lastFlushAt = -1;

  /** Of flushes that overlap, the one that began last counts. */
  finishFlush({ at, names }: Flush): void {
    this.isFlushed = true;
    if (at < this.lastFlushAt) return;
    this.lastFlushAt = at;
    this.flushedNames = names;
  }
}

/** A flush that began with line `at` of the log, and the names that were in the folder then. */
interface Flush {
  readonly item: Item;
  readonly at: number;
  readonly names: ReadonlyMap<string, Item>;
}

/**
 * A disk that loses its power under processes that are started with `env`: a name survives only when its folder was
 * flushed after the name was created, and a file that was never flushed is empty. This is what POSIX promises; file
 * systems with a journal keep more. Removed names do not come back, and a file that was flushed keeps all its bytes.
 */
export class DiskWithoutPower {
  readonly env: Readonly<Record<string, string>>;
  private readonly log: string;
  private readonly folder: string;

  /** `folder` is empty and counts as flushed; the compiled shim and its log are in `workFolder`, outside of it. */
  constructor(workFolder: string, folder: string) {
    const library = join(workFolder, 'name-log-shim.so');
    const { status, stderr } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE_FILE, '-ldl']);
    if (status !== 0) throw new Error(`cc: ${String(stderr)}`);
    this.folder = folder;
    this.log = join(workFolder, 'names.log');
    writeFileSync(this.log, '');
    this.env = { LD_PRELOAD: library, FOSSICK_TEST_NAMES: this.log };
  }

  /** Copies what survives to the new folder `to`, after the processes were killed; returns the paths that do not. */
  restore(to: string): readonly string[] {
    const root = this.replay();
    const paths = new Map<Item, string>();
    const folders = new Set<Item>();
    const locate = (item: Item, path: string): void => {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats === undefined) return;
      paths.set(item, path);
      if (stats.isDirectory()) folders.add(item);
      for (const [name, child] of item.names) locate(child, join(path, name));
    };
    locate(root, this.folder);
    const kept = new Set<string>();
    const copy = (item: Item, path: string): void => {
      const source = paths.get(item);
      if (source === undefined) return;
      kept.add(source);
      if (folders.has(item)) {
        mkdirSync(path);
        for (const [name, child] of item.flushedNames) copy(child, join(path, name));
      } else if (item.isFlushed) copyFileSync(source, path);
      else writeFileSync(path, '');
    };
    copy(root, to);
    return [...paths.values()].filter((path) => !kept.has(path)).map((path) => path.slice(this.folder.length + 1));
  }

  /** The folder as the log of names and flushes says. O(lines) */
  private replay(): Item {
    const root = new Item();
    const begun = new Map<string, Flush>();
    for (const [at, line] of readFileSync(this.log, 'utf8').split('\n').entries()) {
      const [kind, left = '', right = ''] = partsOf(line);
      if (kind === 'new') this.put(root, left, new Item());
      else if (kind === 'link') this.put(root, right, this.itemAt(root, left) ?? new Item());
      else if (kind === 'move') {
        const item = this.itemAt(root, left) ?? new Item();
        this.itemAt(root, dirname(left))?.names.delete(basename(left));
        this.put(root, right, item);
      } else if (kind === 'flush') {
        const item = this.itemAt(root, right);
        if (item !== undefined) begun.set(left, { item, at, names: new Map(item.names) });
      } else if (kind === 'done') {
        const flush = begun.get(left);
        begun.delete(left);
        if (flush !== undefined) flush.item.finishFlush(flush);
      }
    }
    return root;
  }

  private put(root: Item, path: string, item: Item): void {
    this.itemAt(root, dirname(path))?.names.set(basename(path), item);
  }

  private itemAt(root: Item, path: string): Item | undefined {
    if (path !== this.folder && !path.startsWith(`${this.folder}/`)) return undefined;
    let item: Item | undefined = root;
    for (const name of path.slice(this.folder.length).split('/')) if (name !== '') item = item?.names.get(name);
    return item;
  }
}

/** A line without its kind: two texts, separated by a tab. */
function partsOf(line: string): readonly string[] {
  const space = line.indexOf(' ');
  return [line.slice(0, space), ...line.slice(space + 1).split('\t')];
}
