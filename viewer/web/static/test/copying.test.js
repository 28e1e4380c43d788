import test from 'node:test';
import assert from 'node:assert/strict';

// toast.js makes its box when it is loaded.
globalThis.document = { createElement: () => ({ setAttribute() {}, append() {}, style: {}, dataset: {} }) };
const { tsv, json } = await import('../js/copying.js');

const table = { heads: ['name', 'spans', 'reward'], rows: [['a\tb\nc', 3, null], ['\u202eevil', 0, -0.5]] };

test('TSV keeps its rows and columns whatever the cells hold', () => {
  assert.equal(tsv(table), 'name\tspans\treward\na b↵c\t3\t\n\\u202eevil\t0\t-0.5\n');
});

test('JSON keeps values and says null for empty cells', () => {
  assert.deepEqual(JSON.parse(json(table)), [{ name: 'a\tb\nc', spans: 3, reward: null }, { name: '\u202eevil', spans: 0, reward: -0.5 }]);
});
