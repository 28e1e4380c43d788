import test from 'node:test';
import assert from 'node:assert/strict';

// What page.js needs of a browser.
globalThis.document = { createElement: () => ({ setAttribute() {}, append() {}, style: {}, dataset: {} }) };
globalThis.matchMedia = () => ({ matches: false });
const { Page } = await import('../js/pages/page.js');

// listPage is a page with a table, of which the next rows are asked for by hand.
function listPage() {
  const page = new Page(null), questions = [];
  page.next = 'a';
  page.table = { rows: [], append(rows) { this.rows.push(...rows); } };
  page.get = (path, params) => new Promise((answer) => questions.push({ params, answer }));
  return { page, questions };
}

test('a table grows page by page', async () => {
  const { page, questions } = listPage();
  const first = page.grow(page.table, '/runs', { q: 'x' });
  await page.grow(page.table, '/runs', { q: 'x' });
  assert.equal(questions.length, 1, 'one page at a time');
  assert.deepEqual(questions[0].params, { q: 'x', cursor: 'a' });
  questions[0].answer({ rows: [1, 2], next: null });
  await first;
  assert.deepEqual(page.table.rows, [1, 2]);
  await page.grow(page.table, '/runs', {});
  assert.equal(questions.length, 1, 'there is no more');
});

test('a page of a list that was loaded anew meanwhile is left out', async () => {
  for (const change of [(p) => { p.next = 'b'; }, (p) => { p.table = { ...p.table }; }]) {
    const { page, questions } = listPage(), table = page.table, asked = page.grow(table, '/runs', {});
    change(page);
    const next = page.next;
    questions[0].answer({ rows: [1, 2], next: 'c' });
    await asked;
    assert.deepEqual(table.rows, []);
    assert.equal(page.next, next);
  }
});
