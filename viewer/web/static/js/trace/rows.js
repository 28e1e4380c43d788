// Which rows of a trace are shown, and in which order: what is closed, folded and paired is left out.

export const SPAN = 0, FOLD = 1, MEMBER = 2, MORE = 3;

const SEEN = 8;

// A view of a model: `closed` holds rows whose children are hidden, `open` folds that are unfolded, by the id of their first member,
// `root` the row that stands for the whole trace, or −1. Rows are in drawing order, so that one pass over them is enough.
export function flatten(m, view) {
  const c = m.columns, { sub, pairOf, foldOf, folds } = m;
  const from = view.root >= 0 ? view.root : 0, to = view.root >= 0 ? sub[view.root] : m.n;
  const out = new Lines(to - from + (view.folds ? folds.length * 2 : 0));
  const depth = new Int32Array(to - from); // of the line that a row's children hang below
  for (let i = from; i < to;) {
    const p = i === from ? -1 : c.parent[i], hidden = view.pairs && i !== from && pairOf[i] >= 0;
    let d = p < from ? 0 : depth[p - from] + 1;
    if (hidden) { // the server of a call: its children hang below the call
      depth[i - from] = d - 1;
      i++;
      continue;
    }
    const f = view.folds && i !== from ? foldOf[i] : -1;
    if (f >= 0) {
      const fold = folds[f], first = fold.members[0], at = oddAt(fold, i);
      if (i === first) out.put(FOLD, i, d, f);
      d++;
      if (view.open.has(c.id[first])) out.put(SPAN, i, d, -1);
      else if (at < 0 || at > SEEN) { i = sub[i]; continue; } else if (at === SEEN) { out.put(MORE, i, d, f); i = sub[i]; continue; } else out.put(MEMBER, i, d, f * 16 + at);
    } else out.put(SPAN, i, d, -1);
    depth[i - from] = d;
    i = view.closed.has(i) ? sub[i] : i + 1;
  }
  return out.done();
}

// oddAt is a member's place among those that stay visible, or −1.
function oddAt(fold, row) {
  if (!fold.oddAt) fold.oddAt = new Map(fold.odd.map((o, k) => [o.row, k]));
  return fold.oddAt.get(row) ?? -1;
}

// Lines grows in typed arrays.
class Lines {
  constructor(room) {
    this.n = 0;
    this.kind = new Uint8Array(room);
    this.row = new Int32Array(room);
    this.depth = new Int32Array(room);
    this.ref = new Int32Array(room);
  }

  put(kind, row, depth, ref) {
    const k = this.n++;
    this.kind[k] = kind;
    this.row[k] = row;
    this.depth[k] = depth;
    this.ref[k] = ref;
  }

  done() {
    for (const a of ['kind', 'row', 'depth', 'ref']) this[a] = this[a].subarray(0, this.n);
    return this;
  }
}

// hasBelow reports whether a row has something to open.
export function hasBelow(m, view, i) {
  if (m.sub[i] === i + 1) return false;
  const j = view.pairs ? m.pair[i] : -1;
  return j < 0 || m.sub[i] - i > 2 || m.sub[j] > j + 1;
}

// lineOf finds the line that shows a row, or the one that hides it: its call's, a fold's or the nearest shown parent's. −1: none.
export function lineOf(m, lines, i) {
  const at = index(lines, m.n);
  for (let r = i; r >= 0; r = m.columns.parent[r]) {
    if (at[r] >= 0) return at[r];
    const f = m.foldOf[r];
    if (f >= 0 && at[m.folds[f].members[0]] >= 0) return at[m.folds[f].members[0]];
  }
  return -1;
}

// index is made once for each set of lines, at the first question.
function index(lines, n) {
  if (lines.index) return lines.index;
  lines.index = new Int32Array(n).fill(-1);
  for (let k = lines.n - 1; k >= 0; k--) if (lines.kind[k] !== MORE) lines.index[lines.row[k]] = k;
  return lines.index;
}

// places counts each line among its siblings: lines.pos of lines.size, of what has n and depth.
export function places(lines) {
  const n = lines.n, pos = lines.pos = new Int32Array(n), size = lines.size = new Int32Array(n), seen = [];
  for (let k = 0; k < n; k++) {
    const d = lines.depth[k];
    seen.length = d + 1;
    pos[k] = seen[d] = (seen[d] || 0) + 1;
  }
  const last = [];
  for (let k = n - 1; k >= 0; k--) {
    const d = lines.depth[k];
    last.length = d + 1;
    size[k] = last[d] = last[d] || pos[k];
    if (pos[k] === 1) last[d] = 0;
  }
}
