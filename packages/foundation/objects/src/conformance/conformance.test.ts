import { describeObjectStore } from './object-store.test-support.js';
import { OBJECT_STORES } from './object-stores.test-support.js';

for (const [name, open] of Object.entries(OBJECT_STORES)) describeObjectStore(name, open);
