// What the page works out of a trace by itself is what the server says about it. The Go test TestRandomTrees writes the file.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Columns } from '../js/trace/columns.js';
import { build, setPath } from '../js/trace/model.js';
import { share } from '../js/trace/path.js';

const trees = readFileSync(new URL('../../testdata/random-trees.jsonl', import.meta.url), 'utf8').trim().split('\n').map((l) => JSON.parse(l));

// latest is the last moment of a row and all below it: until then runs what has not ended.
function latest(c, sub, row) {
  let t = c.start[row];
  for (let i = row; i < sub[row]; i++) t = Math.max(t, c.start[i], c.end[i] === c.end[i] ? c.end[i] : t);
  return t;
}

test('the critical path gives each row the time that the server gives it', () => {
  trees.forEach(({ root, spans }, k) => {
    const c = new Columns(spans.rows);
    c.add(spans);
    const m = build(c, root, 0);
    assert.deepEqual([...share(setPath(m, root, latest(c, m.sub, root)), m.n)], spans.path_ns, 'tree ' + k);
  });
  assert.ok(trees.length >= 80);
});

test('calls are the pairs of the server', () => {
  let some = 0;
  trees.forEach(({ root, spans, pairs }, k) => {
    const c = new Columns(spans.rows);
    c.add(spans);
    const m = build(c, root, 0);
    const ours = Array.from(pairs, (_, i) => (m.pair[i] >= 0 ? m.pair[i] : m.pairOf[i]));
    some += ours.filter((j) => j >= 0).length;
    assert.deepEqual(ours, pairs, 'tree ' + k);
  });
  assert.ok(some > 50);
});
