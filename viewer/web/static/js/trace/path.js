// The critical path, as the server has it: from a point backwards it is in the child that ended last before the point, and goes on
// from that child's start. Where that leaves time which another child covers (one that also ran after the point), it is in that
// child, the earliest if there are several. What no child covers belongs to the span itself.
//
// Children are cut at the ends of their parent. The result is a list of pieces, latest first, and for each row that the path visits
// the stretch from its first to its last moment there. No recursion: traces may be deep.

const LEAF = { kids: [], early: [] };

export function criticalPath(root, start, end, sub, n) {
  const rows = [], from = [], to = [], stack = [], known = new Map();
  const visitFrom = new Float64Array(n).fill(NaN), visitTo = new Float64Array(n).fill(NaN);
  const enter = (i, lo, point) => {
    if (!(visitFrom[i] <= lo)) visitFrom[i] = lo;
    if (!(visitTo[i] >= point)) visitTo[i] = point;
    let below = LEAF;
    if (sub[i] > i + 1 && !(below = known.get(i))) known.set(i, below = childrenByEnd(i, start, end, sub));
    stack.push({ i, lo, point, below, k: firstBefore(below.kids, end, point) });
  };
  if (root >= 0 && root < n) enter(root, start[root], end[root]);
  while (stack.length) {
    const f = stack[stack.length - 1], kids = f.below.kids, early = f.below.early, lo = f.lo, point = f.point;
    if (point <= lo) { stack.pop(); continue; }
    while (f.k < kids.length && end[kids[f.k]] > point) f.k++;
    const ended = f.k < kids.length ? Math.max(lo, end[kids[f.k]]) : lo; // when the last child before the point did
    let c = -1, bound = lo;
    if (f.k < kids.length && ended === point) c = kids[f.k++];
    else if (f.k > 0 && start[kids[early[f.k - 1]]] < point) { c = kids[early[f.k - 1]]; bound = ended; }
    f.point = c < 0 ? ended : Math.max(start[c], bound);
    if (c >= 0) enter(c, f.point, point);
    else { rows.push(f.i); from.push(ended); to.push(point); }
  }
  return { rows: Int32Array.from(rows), from: Float64Array.from(from), to: Float64Array.from(to), visitFrom, visitTo };
}

// childrenByEnd lists the children of i that took time, the last to end first; early[k] is the place of the earliest start among
// the first k + 1.
function childrenByEnd(i, start, end, sub) {
  const kids = [], early = [];
  for (let c = i + 1; c < sub[i]; c = sub[c]) if (end[c] > start[c]) kids.push(c);
  kids.sort((a, b) => end[b] - end[a] || start[a] - start[b]); // else in drawing order
  for (let k = 0; k < kids.length; k++) early.push(k > 0 && start[kids[early[k - 1]]] <= start[kids[k]] ? early[k - 1] : k);
  return { kids, early };
}

// firstBefore finds the first child that ended at the point or before.
function firstBefore(kids, end, point) {
  let a = 0, b = kids.length;
  while (a < b) {
    const m = (a + b) >> 1;
    if (end[kids[m]] > point) a = m + 1; else b = m;
  }
  return a;
}

// share adds the pieces up by row.
export function share(path, n) {
  const out = new Float64Array(n);
  for (let k = 0; k < path.rows.length; k++) out[path.rows[k]] += path.to[k] - path.from[k];
  return out;
}

// byRow sorts the pieces so that those of row i are [at[i], at[i+1]), earliest first.
export function byRow(path, n) {
  const at = new Int32Array(n + 1);
  for (const i of path.rows) at[i + 1]++;
  for (let i = 0; i < n; i++) at[i + 1] += at[i];
  const next = at.slice(0, n), from = new Float64Array(path.rows.length), to = new Float64Array(path.rows.length);
  for (let k = path.rows.length - 1; k >= 0; k--) {
    const j = next[path.rows[k]]++;
    from[j] = path.from[k];
    to[j] = path.to[k];
  }
  return { at, from, to };
}

// own lists the parts of row i in which none of its children ran, as [from, to, from, to, …].
export function own(i, start, end, sub) {
  const below = [];
  for (let c = i + 1; c < sub[i]; c = sub[c]) below.push([start[c], end[c]]);
  return gaps(start[i], end[i], below).flat();
}

// gaps lists the parts of [from, to] that none of the stretches in `below` covers. They are ordered by start.
export function gaps(from, to, below) {
  const out = [];
  let t = from;
  for (const [a, b] of below) {
    if (t >= to) break;
    if (a > t) out.push([t, Math.min(a, to)]);
    if (b > t) t = Math.min(b, to);
  }
  if (t < to) out.push([t, to]);
  return out;
}
