import test from 'node:test';
import assert from 'node:assert/strict';
import { subtrees, pairs, children, sums } from '../js/trace/tree.js';
import { criticalPath, share, byRow, own, gaps } from '../js/trace/path.js';
import { growing, grown } from '../js/trace/growing.js';
import { folds, figures, label } from '../js/trace/folds.js';
import { argumentsOf, saidBy, short } from '../js/trace/talk.js';
import { Columns } from '../js/trace/columns.js';
import { build, runOn, pathFrom, reroot } from '../js/trace/model.js';
import { flatten, lineOf, hasBelow, SPAN, FOLD, MEMBER, MORE } from '../js/trace/rows.js';

// page writes rows [name, depth, start, end, kind, flags] as the server does.
function page(rows) {
  const strings = [...new Set(rows.map((r) => r[0]))], up = [];
  const parent = rows.map((r, i) => { up[r[1]] = i; return r[1] ? up[r[1] - 1] : -1; });
  return { from: 0, strings, id: rows.map((_, i) => 'id' + i), parent, depth: rows.map((r) => r[1]),
    start_ns: rows.map((r) => r[2]), end_ns: rows.map((r) => r[3]), name: rows.map((r) => strings.indexOf(r[0])),
    service: rows.map(() => 0), group: rows.map(() => 0), kind: rows.map((r) => r[4] || 1), flags: rows.map((r) => r[5] || 0),
    path_ns: rows.map(() => 0), notes: [], messages: [], skew: [], copies: [] };
}

function model(rows, now = 1e9) {
  const c = new Columns(rows.length);
  c.add(page(rows));
  return build(c, 0, now);
}

const view = (o) => ({ pairs: true, folds: true, root: -1, closed: new Set(), open: new Set(), ...o });
const names = (m, lines) => Array.from(lines.row, (i, k) => ' '.repeat(lines.depth[k]) + (lines.kind[k] === FOLD ? 'fold ' : lines.kind[k] === MORE ? 'more ' : '') + m.columns.strings[m.columns.name[i]]);

test('subtrees are runs of rows', () => {
  const sub = subtrees(Int32Array.from([-1, 0, 1, 0, -1]), 5);
  assert.deepEqual([...sub], [4, 3, 3, 4, 5]);
  assert.deepEqual(children(sub, 0), [1, 3]);
});

test('a client with exactly one server child is a call', () => {
  const kind = [3, 2, 3, 2, 2, 3];
  const sub = subtrees(Int32Array.from([-1, 0, 1, 2, 2, 1]), 6);
  const { pair, of } = pairs(kind, sub, 6);
  assert.deepEqual([...pair], [1, -1, -1, -1, -1, -1]);
  assert.equal(of[1], 0);
});

test('the critical path gives every moment to one row', () => {
  //        root 0-100, a 10-40, b 30-60 (overlaps a), c 70-90, d in c 75-80
  const start = [0, 10, 30, 70, 75], end = [100, 40, 60, 90, 80];
  const sub = subtrees(Int32Array.from([-1, 0, 0, 0, 3]), 5);
  const p = criticalPath(0, start, end, sub, 5);
  // a ended after b began, and what it did before that is its own
  assert.deepEqual([...share(p, 5)], [30, 20, 30, 15, 5]);
  assert.deepEqual([p.visitFrom[3], p.visitTo[3]], [70, 90]);
  const rows = byRow(p, 5);
  assert.deepEqual([...rows.from.slice(rows.at[3], rows.at[4])], [70, 80]);
});

test('a child that overruns its parent is cut to it', () => {
  const sub = subtrees(Int32Array.from([-1, 0, 0]), 3);
  const p = criticalPath(0, [0, 5, -10], [10, 20, 3], sub, 3);
  assert.deepEqual([...share(p, 3)], [2, 5, 3]);
});

test('a chain of 100,000 needs no recursion', () => {
  const n = 100000, parent = Int32Array.from({ length: n }, (_, i) => i - 1);
  const p = criticalPath(0, new Float64Array(n), new Float64Array(n).fill(5), subtrees(parent, n), n);
  assert.equal(share(p, n)[n - 1], 5);
});

test('own work is what no child covers', () => {
  const sub = subtrees(Int32Array.from([-1, 0, 0]), 3);
  assert.deepEqual(own(0, [0, 2, 3], [10, 5, 7], sub), [0, 2, 7, 10]);
});

test('15 alike stay, 16 fold', () => {
  for (const [n, want] of [[15, 0], [16, 1]]) {
    const m = model([['root', 0, 0, 100], ...Array.from({ length: n }, (_, i) => ['a', 1, i, i + 1])]);
    assert.equal(m.folds.length, want);
  }
});

test('unlike siblings never fold', () => {
  const m = model([['root', 0, 0, 100], ...Array.from({ length: 40 }, (_, i) => ['a' + i, 1, i, i + 1])]);
  assert.equal(m.folds.length, 0);
});

test('another shape of children ends a run', () => {
  const rows = [['root', 0, 0, 100]];
  for (let i = 0; i < 20; i++) { rows.push(['a', 1, i, i + 1]); if (i >= 10) rows.push(['b', 2, i, i + 1]); }
  assert.equal(model(rows).folds.length, 0);
});

test('a pattern folds, and says so', () => {
  const rows = [['root', 0, 0, 100]];
  for (let i = 0; i < 20; i++) rows.push(['ask', 1, i, i + .5], ['step', 1, i + .5, i + 1]);
  const m = model(rows);
  assert.equal(m.folds.length, 1);
  assert.equal(label(m.folds[0], (i) => m.columns.strings[m.columns.name[i]], String), '20 × ask, step');
});

test('odd members stay visible, with their number', () => {
  const rows = [['root', 0, 0, 2000]];
  for (let i = 0; i < 50; i++) rows.push(['a', 1, i * 10, i * 10 + (i === 7 ? 90 : 1), 1, i === 11 ? 1 : i === 20 ? 4 : 0]);
  const m = model(rows), lines = flatten(m, view());
  assert.deepEqual(m.folds[0].odd.map((o) => o.place), [8, 12, 21]);
  assert.deepEqual(names(m, lines), ['root', ' fold a', '  a', '  a', '  a']);
  assert.deepEqual([...lines.kind], [SPAN, FOLD, MEMBER, MEMBER, MEMBER]);
  assert.equal(lineOf(m, lines, 30), 1);
  assert.equal(flatten(m, view({ open: new Set(['id1']) })).n, 52);
  assert.equal(flatten(m, view({ folds: false })).n, 51);
  const f = figures(m.columns, m.sub, m.folds[0], 1e9);
  assert.equal(f.errors, 1);
  assert.equal(f.truncated, 1);
  assert.equal(f.times.length, 49);
  assert.deepEqual(f.longest[0].slice(1), [8, 90]);
});

test('more than eight odd members are counted', () => {
  const rows = [['root', 0, 0, 2000]];
  for (let i = 0; i < 50; i++) rows.push(['a', 1, i * 10, i * 10 + 1, 1, i < 20 ? 1 : 0]);
  const m = model(rows);
  assert.deepEqual([...flatten(m, view()).kind].filter((k) => k === MORE).length, 1);
  assert.equal(m.folds[0].odd.length, 20);
});

test('calls are one line, and two with pairs off', () => {
  const m = model([['root', 0, 0, 10], ['HTTP POST', 1, 1, 9, 3], ['POST /run', 2, 2, 8, 2], ['inner', 3, 3, 4]]);
  assert.deepEqual(names(m, flatten(m, view())), ['root', ' HTTP POST', '  inner']);
  assert.equal(flatten(m, view({ pairs: false })).n, 4);
  assert.equal(flatten(m, view({ closed: new Set([1]) })).n, 2);
  assert.ok(hasBelow(m, view(), 1));
  assert.equal(flatten(m, view({ root: 2 })).n, 2);
  assert.equal(lineOf(m, flatten(m, view()), 2), 1);
});

test('open spans reach to now', () => {
  const m = model([['root', 0, 0, -1, 1, 2], ['a', 1, 10, 20]], 50);
  assert.equal(m.ends[0], 50);
  assert.deepEqual([m.visitFrom[1], m.visitTo[1]], [10, 20]);
});

test('sums of a subtree', () => {
  assert.deepEqual([...sums([1, 2, 3], 3)], [0, 1, 3, 6]);
});

test('a call to another server never joins a run, however odd it is', () => {
  const rows = [['root', 0, 0, 2000]];
  for (let i = 0; i < 20; i++) rows.push(['HTTP POST', 1, i * 10, i * 10 + 8, 3], ['POST /step', 2, i * 10 + 1, i * 10 + 7, 2]);
  rows.push(['HTTP POST', 1, 300, -1, 3, 2], ['POST /v1/responses', 2, 301, -1, 2, 2]);
  const m = model(rows);
  assert.equal(m.folds.length, 1);
  assert.equal(m.folds[0].count, 20);
});

test('a call that never reached its server stays in the run, and visible', () => {
  const rows = [['root', 0, 0, 2000]];
  for (let i = 0; i < 20; i++) { rows.push(['HTTP POST', 1, i * 10, i * 10 + 8, 3, i === 5 ? 1 : 0]); if (i !== 5) rows.push(['POST /step', 2, i * 10 + 1, i * 10 + 7, 2]); }
  const m = model(rows);
  assert.equal(m.folds[0].count, 20);
  assert.deepEqual(m.folds[0].odd.map((o) => o.place), [6]);
});

test('what none of the children covers is own work', () => {
  assert.deepEqual(gaps(0, 10, []), [[0, 10]]);
  assert.deepEqual(gaps(0, 10, [[2, 4], [3, 5], [8, 12]]), [[0, 2], [5, 8]]);
  assert.deepEqual(gaps(5, 10, [[0, 6], [20, 30]]), [[6, 10]]);
});

test('a running rollout grows in the part that works now', () => {
  const services = [{ role: 'driver' }, { role: 'model' }, { role: 'resources' }];
  const part = (rows, service) => {
    const m = model(rows.map((r) => [r[0], r[1], r[2], r[3] ?? -1, r[4], r[3] == null ? 2 : 0]), 100);
    m.columns.service.set(service);
    return growing(m.columns, services, runOn(m, 0, 100));
  };
  const root = ['gym.rollout', 0, 0, null, 1];
  assert.equal(part([root, ['POST /v1/responses', 1, 50, null, 2]], [0, 1]), 2);
  assert.equal(part([root, ['POST /step', 1, 50, null, 2]], [0, 2]), 3);
  assert.equal(part([root, ['POST /verify', 1, 50, null, 2], ['judge', 2, 60, null, 1]], [0, 2, 2]), 4);
  assert.equal(part([root, ['POST /seed_session', 1, 50, null, 2]], [0, 2]), 5);
  assert.equal(part([root, ['POST /step', 1, 50, 60, 2]], [0, 2]), 5, 'the call is over: the driver itself');
  assert.deepEqual(grown({ duration_ns: 60, total_ns: 70, parts_ns: [10, 0, 20, 40, 0, 0] }, 2, 100), { duration: 100, total: 110, parts: [10, 0, 60, 40, 0, 0] });
});

test('shares of a running path sum to the whole', () => {
  const m = model([['root', 0, 0, -1, 1, 2], ['a', 1, 10, 30, 1], ['b', 1, 40, -1, 1, 2]], 50);
  assert.equal(runOn(m, 0, 100), 2);
  assert.equal(m.total, 100);
  assert.equal(m.pathSum[m.n], 100);
  assert.equal(m.pathSum[3] - m.pathSum[2], 60);
});

test('a tool is noted with what it was asked for', () => {
  const rows = [{ type: 'call', call: 'c1', text: '{"synonym":"Dry"}' }, { type: 'call', call: 'c2', text: '{"a":1,"b":2}' }, { type: 'output', call: 'c2', span: 's2' }, { type: 'output', call: 'c1', span: 's1' }, { type: 'output', call: 'c9', span: 's9' }];
  assert.deepEqual([...argumentsOf(rows)], [['s2', '{"a":1,"b":2}'], ['s1', '"Dry"']]);
  assert.equal(short('{"a":{"b":1}}'), '{"b":1}');
  assert.equal(short('{"a":"x","b":"}"}'), '{"a":"x","b":"}"}');
  assert.equal(short('plain'), 'plain');
});

test('another root has a path of its own, and the whole comes back', () => {
  const m = model([['root', 0, 0, 100], ['a', 1, 10, 90], ['b', 2, 20, 60]]);
  const { pathSum, total, pieces } = m;
  const found = pathFrom({ n: m.n, sub: m.sub, columns: { start: m.columns.start, end: m.columns.end } }, 1, 0); // what a worker gets
  reroot(m, found);
  assert.equal(m.total, 80);
  assert.deepEqual([...m.pathSum], [0, 0, 40, 80]);
  reroot(m, null);
  assert.deepEqual([m.pathSum, m.total, m.pieces], [pathSum, total, pieces]);
});

test('open rows are listed', () => {
  assert.deepEqual([...model([['root', 0, 0, -1, 1, 2], ['a', 1, 10, 90], ['b', 1, 20, -1, 1, 2]]).open], [0, 2]);
});

test('a call is shown with its answer, and an answer with its call', () => {
  const rows = [{ type: 'text', span: null }, { type: 'call', call: 'c1', span: 'm1' }, { type: 'output', call: 'c1', span: 't1' }, { type: 'call', call: 'c2', span: 'm2' }, { type: 'output', call: 'c2', span: 't2' }, { type: 'text', call: '', span: 'm3' }];
  const pick = (...spans) => saidBy(rows, spans).map((r) => rows.indexOf(r));
  assert.deepEqual(pick('m1'), [1, 2]);
  assert.deepEqual(pick('t2'), [3, 4]);
  assert.deepEqual(pick('m3'), [5]);
  assert.deepEqual(pick('x'), []);
});
