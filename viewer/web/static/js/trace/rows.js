// Which rows of a trace are shown, and in which order: what is closed, folded and paired is left out.

export const SPAN = 0, FOLD = 1, MEMBER = 2, MORE = 3;

// A view of a model. `closed` holds rows whose children are hidden, `open` folds that are unfolded, by the id of their first member.
export function flatten(m, view) {
  const kind = [], row = [], depth = [], ref = [];
  const c = m.columns, sub = m.sub;
  const put = (k, i, d, r) => { kind.push(k); row.push(i); depth.push(d); ref.push(r); };
  // a stack of work: [0, row, depth] draws a row with what is below it, [1, kind, row, depth, ref] only puts a line
  const stack = [];
  const push = (list) => { for (let k = list.length - 1; k >= 0; k--) stack.push(list[k]); };

  const below = (i, d) => {
    const out = [], done = new Set();
    const walk = (p) => {
      for (let k = p + 1; k < sub[p]; k = sub[k]) {
        if (view.pairs && p === i && m.pair[i] === k) { walk(k); continue; }
        take(k);
      }
    };
    const take = (k) => {
      const f = view.folds ? m.foldOf[k] : -1;
      if (f < 0) { out.push([0, k, d]); return; }
      if (done.has(f)) return;
      done.add(f);
      const fold = m.folds[f], open = view.open.has(c.id[fold.members[0]]);
      out.push([1, FOLD, fold.members[0], d, f]);
      if (open) for (const member of fold.members) out.push([0, member, d + 1]);
      else {
        fold.odd.slice(0, 8).forEach((o, at) => out.push([2, o.row, d + 1, f, at]));
        if (fold.odd.length > 8) out.push([1, MORE, fold.odd[8].row, d + 1, f]);
      }
    };
    if (i < 0) for (let k = 0; k < c.n; k = sub[k]) take(k);
    else walk(i);
    return out;
  };

  if (view.root >= 0) stack.push([0, view.root, 0]);
  else push(below(-1, 0));
  while (stack.length) {
    const w = stack.pop();
    if (w[0] === 1) { put(w[1], w[2], w[3], w[4]); continue; }
    if (w[0] === 2) put(MEMBER, w[1], w[2], w[3] * 16 + w[4]);
    else put(SPAN, w[1], w[2], -1);
    if (!view.closed.has(w[1])) push(below(w[1], w[2] + 1));
  }
  return { n: row.length, kind: Uint8Array.from(kind), row: Int32Array.from(row), depth: Int32Array.from(depth), ref: Int32Array.from(ref) };
}

// hasBelow reports whether a row has something to open.
export function hasBelow(m, view, i) {
  if (m.sub[i] === i + 1) return false;
  const j = view.pairs ? m.pair[i] : -1;
  return j < 0 || m.sub[i] - i > 2 || m.sub[j] > j + 1;
}

// lineOf finds the line that shows a row, or the one that hides it: its call's, a fold's or the nearest shown parent's. −1: none.
export function lineOf(m, lines, i) {
  const at = index(lines);
  for (let r = i; r >= 0; r = m.columns.parent[r]) {
    if (at.has(r)) return at.get(r);
    const f = m.foldOf[r];
    if (f >= 0 && at.has(m.folds[f].members[0])) return at.get(m.folds[f].members[0]);
  }
  return -1;
}

// index is made once for each set of lines, at the first question.
function index(lines) {
  if (lines.index) return lines.index;
  lines.index = new Map();
  for (let k = lines.n - 1; k >= 0; k--) if (lines.kind[k] !== MORE) lines.index.set(lines.row[k], k);
  return lines.index;
}
