// Tables as text: TSV for a spreadsheet, JSON for a program. A table's data is {heads, rows}; the rows hold plain values.

import { line } from './inert.js';
import { count, plural } from './format.js';
import { copyText } from './toast.js';

// tsv writes a table with heads; what would end a cell or a row early is shown instead.
export function tsv({ heads, rows }) {
  const clean = (v) => (v == null ? '' : line(String(v)).replaceAll('\t', ' '));
  return [heads, ...rows].map((r) => r.map(clean).join('\t')).join('\n') + '\n';
}

// json writes a table as a list of objects; an empty cell is null.
export function json({ heads, rows }) {
  return JSON.stringify(rows.map((r) => Object.fromEntries(heads.map((h, i) => [h, r[i] ?? null]))), null, 1) + '\n';
}

// copyTable puts a table on the clipboard as TSV, and offers JSON. total is how many rows there are when not all are here.
export function copyTable(data, total = data.rows.length) {
  const n = data.rows.length, rows = (total > n ? 'The first ' + count(n) + ' of ' + plural(total, 'row') : plural(n, 'row')) + ' as ';
  copyText(tsv(data), 'Table copied', rows + 'TSV.', ['as JSON', () => copyText(json(data), 'Table copied', rows + 'JSON.')]);
}
