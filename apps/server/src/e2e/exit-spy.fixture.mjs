// Loaded before a process's own code: writes a line when it is ended by `process.exit`. A process that ends because
// nothing is open does not call this.
import { writeSync } from 'node:fs';

const exit = process.reallyExit;
process.reallyExit = (code) => {
  writeSync(2, 'process.exit was called\n');
  exit.call(process, code);
};
