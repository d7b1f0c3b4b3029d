const DELIMITERS = [',', ';', '\t', '|'];

/**
 * Reads CSV as the server does: the first line has the names, `price:number` and `new:boolean` say what is no text, and values in quotes may have commas and
 * lines. Unlike there, the delimiter is found and not named. Returns the documents. Throws where a line has another number of values than there are names.
 */
export function documentsOfCsv(text) {
  const [names, ...rows] = rowsOf(text.replace(/^\uFEFF/, ''));
  const fields = (names ?? []).map((name) => {
    const [, stem, type = 'string'] = /^(.*?)(?::(string|number|boolean))?$/s.exec(name);
    return { name: stem, type };
  });
  return rows.map((values, at) => {
    if (values.length !== fields.length)
      throw new Error(`Row ${at + 1} has ${values.length} values for ${fields.length} names.`);
    return Object.fromEntries(fields.map(({ name, type }, column) => [name, typedValue(values[column], type)]));
  });
}

function typedValue(text, type) {
  if (type === 'string') return text;
  if (text.trim() === '') return null;
  if (type === 'boolean') return text.trim() === 'true';
  const number = Number(text);
  if (Number.isNaN(number)) throw new Error(`\`${text}\` is no number.`);
  return number;
}

function rowsOf(text) {
  const rows = [];
  let row = [];
  const delimiter = delimiterOf(text);
  const one = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${delimiter}\\r\\n]*))([${delimiter}]|\\r?\\n|$)`, 'y');
  while (one.lastIndex < text.length) {
    const found = one.exec(text);
    if (found === null) throw new Error(`Row ${rows.length + 1} has a quote within a value.`);
    const [whole, quoted, plain, end] = found;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === delimiter) {
      // the last value of the file is empty
      if (one.lastIndex === text.length) row.push('');
      else continue;
    }
    // a line without anything is no row
    if (row.length > 1 || row[0] !== '' || whole.startsWith('"')) rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

/** The sign that the line of names has most often, outside of quotes. */
export function delimiterOf(text) {
  const [names] = text.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1);
  const counts = DELIMITERS.map((sign) => names.split(sign).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))];
}
