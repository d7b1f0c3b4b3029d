import { type Field, flag, optional } from '@fossick/base/contract';
import { FEATURE_NAMES, type FeatureName } from '../../names/feature-names.js';

/** Body of a change of experimental features. */
export const FEATURES_BODY = Object.fromEntries(
  FEATURE_NAMES.map((name) => [name, optional('bad_request', flag(''))]),
) as Readonly<Record<FeatureName, Field<boolean, null>>>;
