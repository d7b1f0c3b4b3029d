import { faultPoint } from '@fossick/base';
import type { Catalogue } from './catalogue/catalogue.js';
import { deleteMoreObsolete } from './documents/obsolete-segments.js';
import type { Merger } from './merging/merger.js';
import type { OpenEngineOptions } from './port.js';
import { removeUncommitted } from './transaction/uncommitted-rows.js';

/** Copies an index to a new file without free pages, which then takes its place. */
export async function compactIndex(
  catalogue: Catalogue,
  merger: Merger,
  uid: string,
  replication: OpenEngineOptions['replication'],
): Promise<{ readonly beforeBytes: number; readonly afterBytes: number }> {
  const entry = catalogue.existing(uid);
  const before = catalogue.store(entry.folder);
  removeUncommitted(before);
  merger.abandon(entry.folder, before);
  const beforeBytes = before.size().diskBytes;
  // rows of dropped segments would be copied needlessly
  while (before.transaction((rows) => deleteMoreObsolete(rows)));
  const folder = catalogue.newFolder();
  await before.copyTo(catalogue.path(folder));
  replication?.copied(entry.folder, folder);
  const afterBytes = catalogue.store(folder).size().diskBytes;
  catalogue.summarise(folder);
  faultPoint('copy.made', 'index');
  catalogue.abandon(entry.folder);
  catalogue.change((rows) => rows.put(uid, { ...entry, folder }));
  faultPoint('copy.adopted', 'index');
  await catalogue.forget(entry.folder);
  catalogue.remove(entry.folder);
  return { beforeBytes, afterBytes };
}
