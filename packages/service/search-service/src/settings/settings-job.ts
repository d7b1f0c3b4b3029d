/**
 * Long settings, parsed and shown in any thread with an engine, as plain data: each step over half a million words
 * takes a tenth of a second and more.
 */

import { parseJson, SETTINGS_TABLE } from '@fossick/api';
import { toJsonText } from '@fossick/documents';
import type { EngineReader, IndexWeight } from '@fossick/index';
import type { IndexSettings } from '@fossick/settings';
import { readSettings, settingsTask, settingTask, shownSettings, shownValue } from './settings-task.js';

/** `key`: the single setting concerned; null for all. `features`: the enabled experimental features. */
interface OnSettings {
  readonly indexUid: string;
  readonly key: keyof IndexSettings | null;
  readonly features: readonly string[];
}
export type SettingsJob =
  /** A body of a change; the answer is the JSON text of the change, as its task stores it. */
  | (OnSettings & { readonly kind: 'receivedSettings'; readonly body: Uint8Array })
  | (OnSettings & { readonly kind: 'shownSettings' });

/** Bytes above which bodies, and stored settings, count as long. */
const LONG_SETTINGS_BYTES = 256 * 1024;
/** The same of bodies with templates, each character of which takes several microseconds to parse. */
const LONG_TEMPLATES_BYTES = 8 * 1024;

/** Whether a job may block its thread for longer than other requests should wait. */
export function isHeavySettings(job: SettingsJob, weightOf: (uid: string) => IndexWeight): boolean {
  if (job.kind === 'receivedSettings')
    return job.body.length > (mayHaveTemplates(job) ? LONG_TEMPLATES_BYTES : LONG_SETTINGS_BYTES);
  return weightOf(job.indexUid).settingsBytes > LONG_SETTINGS_BYTES;
}

/** The names of members that are templates, up to their first letter, and what a name may begin an escape with. */
const TEMPLATE_MARKS = ['emplate"', 'ragments"', '\\u'];

/** Whether a body may hold templates, without parsing it. */
function mayHaveTemplates({ key, body }: Extract<SettingsJob, { kind: 'receivedSettings' }>): boolean {
  if (key !== null && key !== 'embedders' && key !== 'chat') return false;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  return TEMPLATE_MARKS.some((mark) => bytes.includes(mark));
}

/** The answer as JSON bytes in a buffer of their own. @throws ApiError for an invalid body */
export function answerSettings(engine: EngineReader, job: SettingsJob): Buffer {
  const { indexUid, key } = job;
  const features = { isOn: (name: string) => job.features.includes(name) };
  if (job.kind === 'shownSettings') {
    const settings = engine.settings(indexUid);
    return Buffer.from(toJsonText(key === null ? shownSettings(settings, features) : shownValue(settings, key)));
  }
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
