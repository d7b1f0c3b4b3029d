/** How indexes follow those of another node: for the thread that follows a shared log. Nothing else loads it. */

export { INSTANCE_STORE } from './catalogue/catalogue.js';
export { markUnnamed } from './catalogue/index-folders.js';
export { IndexFollower } from './following/index-follower.js';
