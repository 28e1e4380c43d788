// A trace made ready to draw: columns, shape, calls, folds and the critical path. Pure; the worker runs the same code.

import { OPEN } from './columns.js';
import { subtrees, pairs, sums, tops } from './tree.js';
import { criticalPath, byRow, share } from './path.js';
import { folds } from './folds.js';

// build makes a model of the rows that are there so far. now is where open spans reach to.
export function build(columns, rootRow, now) {
  const n = columns.n;
  const sub = subtrees(columns.parent, n);
  const { pair, of } = pairs(columns.kind, sub, n);
  const f = folds(columns, sub, n, tops(sub, n));
  const open = Int32Array.from({ length: n }, (_, i) => i).filter((i) => columns.flags[i] & OPEN);
  const m = { columns, n, sub, open, pair, pairOf: of, folds: f.list, foldOf: f.of, pathSum: sums(columns.path, n) };
  setPath(m, rootRow, now);
  m.total = m.pathSum[n];
  return m;
}

// setPath draws the path anew, from another root or to another now.
export function setPath(m, rootRow, now) {
  const c = m.columns, ends = new Float64Array(m.n);
  for (let i = 0; i < m.n; i++) ends[i] = c.end[i] === c.end[i] ? c.end[i] : Math.max(now, c.start[i]);
  const p = criticalPath(rootRow, c.start, within(c, ends, rootRow), m.sub, m.n);
  m.ends = ends;
  m.visitFrom = p.visitFrom;
  m.visitTo = p.visitTo;
  m.pieces = byRow(p, m.n);
  m.own = null;
  for (const f of m.folds) f.end = f.spans = undefined;
  return p;
}

// within lets what is open below an ended root end with it: the path of the root cannot know what came after.
function within(c, ends, root) {
  if (root < 0 || root >= ends.length || c.end[root] !== c.end[root]) return ends;
  return ends.map((e, i) => (c.end[i] === c.end[i] ? e : Math.max(c.end[root], c.start[i])));
}

// runOn follows what is open to now: the path, and each row's share of it. Returns the row that owns the last moment.
export function runOn(m, rootRow, now) {
  const p = setPath(m, rootRow, now);
  if (rootRow < 0) return -1;
  m.pathSum = sums(share(p, m.n), m.n);
  m.total = m.ends[rootRow] - m.columns.start[rootRow];
  return p.rows.length ? p.rows[0] : rootRow;
}

// pathFrom is the path below another root, with the shares of its rows: what reroot takes. It may be asked for in a worker: of
// columns it needs start and end only.
export function pathFrom(m, row, now) {
  const at = { n: m.n, sub: m.sub, columns: m.columns, folds: [] };
  const p = setPath(at, row, now);
  return { ends: at.ends, visitFrom: at.visitFrom, visitTo: at.visitTo, pieces: at.pieces, pathSum: sums(share(p, m.n), m.n), total: at.ends[row] - m.columns.start[row] };
}

// reroot draws the path of another root; null goes back to what the server said of the whole.
export function reroot(m, path) {
  if (path) {
    const { ends, visitFrom, visitTo, pieces, pathSum, total } = m;
    m.whole ||= { ends, visitFrom, visitTo, pieces, pathSum, total };
  }
  Object.assign(m, path || m.whole, { own: null });
  for (const f of m.folds) f.end = f.spans = undefined;
}

// buffers lists what may be handed over instead of copied when a model goes to another thread.
export function buffers(m) {
  const out = new Set();
  for (const v of [...Object.values(m), ...Object.values(m.columns), ...Object.values(m.pieces)]) if (ArrayBuffer.isView(v)) out.add(v.buffer);
  return [...out];
}
