#!/usr/bin/env node
/**
 * `npm run test:long`: kills, rounds of faults, random seeds, rows of time, oracles, bombs. All of it takes hours, for a
 * night; it consists of pieces (long-pieces.mjs):
 *
 *   npm run test:long -- --list           lists the pieces and how long each takes
 *   npm run test:long -- --piece room     runs one of them, or several: --piece room,embedding; all by default
 *
 * Each run of a piece has a seed by chance, which is printed; FOSSICK_TEST_SEED sets one. A seed that fails becomes a
 * case of `npm test` or `npm run test:system`. Further arguments go to vitest. Ends with a line for each piece and a
 * line `N of N pieces passed`.
 */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { PIECES } from './long-pieces.mjs';
import { rootFolder, runCommand } from './workspace.mjs';

const { isListed, names, rest } = readArguments(process.argv.slice(2));
const unknown = names.filter((name) => !PIECES.some((piece) => piece.name === name));
if (unknown.length > 0) {
  console.error(`there is no piece ${unknown.join(', ')}: --list names them`);
  process.exit(2);
}
if (isListed) {
  for (const { name, minutes, times = 1, rounds } of PIECES)
    console.log(
      `${name}${times > 1 ? `, ${times} times` : ''}${rounds ? `, ${rounds} rounds` : ''}: some ${minutes * times} minutes`,
    );
} else await runPieces(PIECES.filter(({ name }) => names.length === 0 || names.includes(name)));

async function runPieces(pieces) {
  const ends = [];
  for (const piece of pieces)
    for (let time = 1; time <= (piece.times ?? 1); time++) {
      const startedMs = performance.now();
      const seed = process.env['FOSSICK_TEST_SEED'] ?? String(randomInt(2 ** 31));
      console.log(`\n${piece.name} (${time}): FOSSICK_TEST_SEED=${seed}`);
      const code = await runPiece(piece, seed);
      const seconds = Math.round((performance.now() - startedMs) / 1_000);
      ends.push({
        isPassed: code === 0,
        line: `${code === 0 ? 'passed' : 'FAILED'} ${piece.name} (${time}) in ${seconds} s, FOSSICK_TEST_SEED=${seed}`,
      });
      console.log(ends.at(-1).line);
    }
  console.log(`\n${ends.map(({ line }) => line).join('\n')}`);
  const passedCount = ends.filter(({ isPassed }) => isPassed).length;
  console.log(`${passedCount} of ${ends.length} pieces passed`);
  process.exitCode = passedCount === ends.length ? 0 : 1;
}

function runPiece({ files, test, rounds }, seed) {
  const chosen = process.env['FOSSICK_TEST_ROUNDS'] ?? (rounds === undefined ? undefined : String(rounds));
  const env = {
    ...process.env,
    FOSSICK_TEST_FAULTS: 'long',
    FOSSICK_TEST_SEED: seed,
    ...(chosen === undefined ? {} : { FOSSICK_TEST_ROUNDS: chosen }),
  };
  const named = test === undefined ? [] : ['-t', test];
  return runCommand(process.execPath, [join(rootFolder, 'tools', 'run', 'test.mjs'), ...files, ...named, ...rest], {
    env,
  });
}

function readArguments(words) {
  const isListed = words.includes('--list');
  const at = words.indexOf('--piece');
  const names = at < 0 ? [] : (words[at + 1] ?? '').split(',');
  const rest = words.filter((word, place) => word !== '--list' && (at < 0 || (place !== at && place !== at + 1)));
  return { isListed, names, rest };
}
