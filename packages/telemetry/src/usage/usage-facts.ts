import type { ServerOptions } from '@fossick/configuration';
import type { EngineReader } from '@fossick/engine';
import type { Features, InstanceValues } from '@fossick/instance';
import { FEATURE_NAMES } from '@fossick/wire';
import type { InstanceFacts } from './usage-reports.js';

const STARTED_VALUE = 'has-started';

/** What a bundle tells of the instance: numbers and switches. O(indexes) */
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

/** Whether no server has started on this database before; from now on one has. */
export function isFirstStart(values: InstanceValues): boolean {
  if (values.get(STARTED_VALUE) === true) return false;
  values.put(STARTED_VALUE, true);
  return true;
}
