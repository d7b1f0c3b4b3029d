import { ViewHead } from '../parts/view-head.js';

export function IndexesView() {
  return <ViewHead title="Indexes" />;
}
