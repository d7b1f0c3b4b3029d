import { objectSchema } from '@fossick/base/contract';
import { z } from 'zod';
import { FEATURE_NAMES } from '../../names/feature-names.js';
import { featuresBody } from '../../requests/instance/feature-fields.js';
import { type Operation, operationsOf, shows } from './operation.js';

const path = '/experimental-features';
const tag = 'Instance';

/** The operations of experimental features. `more`: names that extensions add. */
export function featureOperations(more: readonly string[]): readonly Operation[] {
  const names = [...FEATURE_NAMES, ...more];
  const features = z
    .strictObject(Object.fromEntries(names.map((name) => [name, z.boolean()])))
    .meta({ id: 'Features', description: 'Experimental features, and whether each is on.' });
  const example = Object.fromEntries(names.map((name) => [name, false]));
  const body = {
    ...objectSchema(featuresBody(more)),
    description: 'Features to turn on or off; what is absent stays.',
  };
  const answers = (shown: object): Operation['answers'] => shows('All features.', features, shown);
  return operationsOf({ tag }, [
    {
      id: 'getFeatures',
      route: `GET ${path}`,
      summary: 'Experimental features',
      action: 'experimental.get',
      answers: answers(example),
    },
    {
      id: 'updateFeatures',
      route: `PATCH ${path}`,
      summary: 'Turn experimental features on or off',
      action: 'experimental.update',
      body: { schema: body, example: { containsFilter: true } },
      answers: answers({ ...example, containsFilter: true }),
    },
  ]);
}
