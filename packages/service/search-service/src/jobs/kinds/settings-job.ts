/**
 * Long settings, parsed and shown in any thread with an engine, as plain data: each step over half a million words
 * takes a tenth of a second and more.
 */

import { parseJson } from '@fossick/api';
import { collectGarbage, LONG_WHOLE_BYTES } from '@fossick/base';
import { toJsonText } from '@fossick/documents';
import type { EngineReader } from '@fossick/index';
import { type IndexSettings, SETTINGS_TABLE } from '@fossick/settings';
import { readSettings, settingsTask, settingTask, shownSettings, shownValue } from '../../settings/settings-task.js';
import { found, inThreadIf, type JobKind, placeOfRows } from './job.js';

/** `key`: the single setting concerned; null for all. `features`: the enabled experimental features. */
interface OnSettings {
  readonly indexUid: string;
  readonly key: keyof IndexSettings | null;
  readonly features: readonly string[];
}
/** A body of a change; the answer is the JSON text of the change, as its task stores it. */
export interface ReceivedSettingsJob extends OnSettings {
  readonly kind: 'receivedSettings';
  readonly body: Uint8Array;
}
/** The settings as JSON. */
export interface ShownSettingsJob extends OnSettings {
  readonly kind: 'shownSettings';
}

/** Bytes above which bodies with templates are long, each character of which takes several microseconds to parse. */
const LONG_TEMPLATES_BYTES = 8 * 1024;
/** Bytes of a body after which garbage is collected: a hundredth of a second of parsing. */
const COLLECTED_SETTINGS_BYTES = 1 << 20;

export const RECEIVED_SETTINGS: JobKind<ReceivedSettingsJob, Buffer> = {
  place: (job) => inThreadIf(job.body.length > (mayHaveTemplates(job) ? LONG_TEMPLATES_BYTES : LONG_WHOLE_BYTES)),
  run(engine, job) {
    // values of millions of members would stay in the heap of this thread, which seldom needs room
    if (job.body.length >= COLLECTED_SETTINGS_BYTES) setImmediate(collectGarbage);
    return found(received(engine, job));
  },
};

export const SHOWN_SETTINGS: JobKind<ShownSettingsJob, Buffer> = {
  place: placeOfRows,
  run(engine, { indexUid, key, features }) {
    const settings = engine.settings(indexUid);
    const isOn = (name: string): boolean => features.includes(name);
    const shown = key === null ? shownSettings(settings, { isOn }) : shownValue(settings, key);
    return found(Buffer.from(toJsonText(shown)));
  },
};

/** The names of members that are templates, up to their first letter, and what a name may begin an escape with. */
const TEMPLATE_MARKS = ['emplate"', 'ragments"', '\\u'];

/** Whether a body may hold templates, without parsing it. */
function mayHaveTemplates({ key, body }: ReceivedSettingsJob): boolean {
  if (key !== null && key !== 'embedders' && key !== 'chat') return false;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  return TEMPLATE_MARKS.some((mark) => bytes.includes(mark));
}

/** @throws ApiError for an invalid body */
function received(engine: EngineReader, job: ReceivedSettingsJob): Buffer {
  const { indexUid, key } = job;
  const features = { isOn: (name: string) => job.features.includes(name) };
  const body = parseJson(Buffer.from(job.body.buffer, job.body.byteOffset, job.body.length));
  const instance = { engine, features };
  const spec = SETTINGS_TABLE.find((each) => each.key === key);
  // only the caller that registers the task knows whether it may create the index
  const task =
    spec === undefined
      ? settingsTask(instance, indexUid, readSettings(body), () => false)
      : settingTask(instance, spec, indexUid, body, () => false);
  return Buffer.from(JSON.stringify(task.settings));
}
