import { checkIndexUid } from '@fossick/api';
import { apiError } from '@fossick/base';
import type { EngineReader, IndexInfo } from '@fossick/index';

/** The named index; throws invalid_index_uid and index_not_found. */
export function requireInfo(engine: EngineReader, uid: string): IndexInfo {
  const info = engine.index(checkIndexUid(uid));
  if (info === undefined) throw apiError('index_not_found', 'one', uid);
  return info;
}
