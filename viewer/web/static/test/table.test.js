import test from 'node:test';
import assert from 'node:assert/strict';

// What table.js needs of a browser: nothing is drawn before a table is mounted.
const element = () => ({ setAttribute() {}, append() {}, addEventListener() {}, replaceChildren() {}, contains: () => false, classList: { add() {}, toggle() {} }, style: { setProperty() {} }, dataset: {} });
globalThis.document = { createElement: element, activeElement: null };
globalThis.location = { pathname: '/runs' };
globalThis.matchMedia = () => ({ matches: false });
globalThis.ResizeObserver = class { observe() {} disconnect() {} };
const { Table } = await import('../js/table.js');

const rows = (from, to) => Array.from({ length: to - from }, (_, i) => ({ id: from + i }));
const ids = (t) => t.rows.map((r) => r.id);

test('rows that are read keep their place while newer ones wait, and the next page goes on from those', () => {
  const t = new Table({ label: 'Runs', columns: [], key: (r) => r.id, pending: () => {} });
  t.set(rows(10, 20), { total: 30 });
  t.append(rows(20, 30));
  t.hover = true;
  t.set(rows(8, 18), { total: 32, live: true });
  assert.deepEqual(ids(t), ids({ rows: rows(10, 30) }));
  t.append(rows(18, 28)); // the page behind those that wait
  assert.deepEqual(ids(t), ids({ rows: rows(10, 30) }), 'no row is there twice');
  t.append(rows(28, 32));
  assert.deepEqual(ids(t), ids({ rows: rows(10, 32) }));
  t.take();
  assert.deepEqual(ids(t), ids({ rows: rows(8, 32) }), 'none is missing');
});
