/** The text of an error page for a code. */
export interface Prose {
  /** The meaning of the code, in one sentence. */
  readonly meaning: string;
  /** What caused it. */
  readonly cause: string;
  /** How to fix it. */
  readonly fix: string;
  /**
   * Part of the API that this server never throws: clients may have it in their tables, other instances may return it.
   */
  readonly isReserved?: true;
}
/** Code -> prose. */
export type ProseTable = Readonly<Record<string, Prose>>;

export const prose = (meaning: string, cause: string, fix: string): Prose => ({ meaning, cause, fix });
/** Prose of a code that this server never throws. */
export const reserved = (meaning: string, cause: string, fix: string): Prose => ({
  meaning,
  cause,
  fix,
  isReserved: true,
});

/** The values of one family of codes: name after the prefix -> the parameter as in requests, and its valid values. */
export type Parameters = Readonly<Record<string, readonly [parameter: string, allowed: string]>>;

/** Codes that say that one parameter of a request is invalid. `place` says where it is: "of a search". */
export function parameterProse(prefix: string, place: string, parameters: Parameters): ProseTable {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, [parameter, allowed]]) => [
      prefix + name,
      prose(
        `\`${parameter}\` ${place} is wrong.`,
        'Its type or its value is not one that is allowed; the message names the place and what was found there.',
        `Send ${allowed}.`,
      ),
    ]),
  );
}

/** Codes that say that a member of a table is invalid: the table names its valid values. */
export function tableProse(place: string, table: Readonly<Record<string, TableRow>>): ProseTable {
  const tables = Object.entries(table).map(([name, { code, kind }]) =>
    parameterProse('', place, { [code]: [name, kind.allows] }),
  );
  return Object.assign({}, ...tables) as ProseTable;
}
interface TableRow {
  readonly code: string;
  readonly kind: { readonly allows: string };
}

/** Codes of missing mandatory parameters. */
export function missingProse(prefix: string, place: string, parameters: Parameters): ProseTable {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, [parameter, allowed]]) => [
      prefix + name,
      prose(
        `\`${parameter}\` ${place} is missing.`,
        'The request leaves out a field that it cannot do without.',
        `Add \`${parameter}\`: ${allowed}.`,
      ),
    ]),
  );
}

/** Codes of read-only fields. */
export function immutableProse(prefix: string, place: string, fields: Readonly<Record<string, string>>): ProseTable {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      prefix + name,
      prose(
        `\`${field}\` ${place} cannot be changed.`,
        'The body of an update holds a field that is fixed when the thing is made, or kept by the server.',
        `Leave \`${field}\` out of the body; to have another value, make a new one and delete the old.`,
      ),
    ]),
  );
}
