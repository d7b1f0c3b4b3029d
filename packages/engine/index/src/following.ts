/** How indexes follow those of another node: for the thread of a cluster. Nothing else loads it. */

export { IndexFollower } from './following/index-follower.js';
