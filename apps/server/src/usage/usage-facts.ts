import { FEATURE_NAMES } from '@fossick/api';
import type { EngineReader } from '@fossick/index';
import type { Features, InstanceValues, ServerOptions } from '@fossick/instance';
import type { InstanceFacts } from './usage-reports.js';

const STARTED_VALUE = 'has-started';

/** Numbers and switches of the instance for a bundle. O(indexes) */
export function usageFacts(engine: EngineReader, features: Features, options: ServerOptions): InstanceFacts {
  const infos = engine.indexes();
  return {
    indexCount: infos.length,
    documentCount: infos.reduce((sum, { uid }) => sum + engine.stats(uid).numberOfDocuments, 0),
    databaseBytes: engine.size().diskBytes,
    experimentalFeatures: FEATURE_NAMES.filter(features.isOn),
    isProduction: options.isProduction,
    hasMasterKey: options.masterKey !== null,
  };
}

/** Whether this is the first start of a server on this database; false from then on. */
export async function isFirstStart(values: InstanceValues): Promise<boolean> {
  if (values.get(STARTED_VALUE) === true) return false;
  await values.put(STARTED_VALUE, true);
  return true;
}
