// The critical path: from the root's end backwards, the child that ended last before the point, then on from that child's
// start; what no child covers belongs to the span itself.
//
// A child is looked at inside its parent's time only. The result is a list of pieces, latest first, and for each row that the
// path visits the stretch from its first to its last moment there. No recursion: traces may be deep.

export function criticalPath(root, start, end, sub, n) {
  const rows = [], from = [], to = [];
  const visitFrom = new Float64Array(n).fill(NaN), visitTo = new Float64Array(n).fill(NaN);
  const piece = (i, a, b) => { if (b > a) { rows.push(i); from.push(a); to.push(b); } };
  const stack = [];
  const enter = (i, low, point) => {
    const lo = Math.max(low, start[i]);
    visitTo[i] = point;
    visitFrom[i] = lo;
    stack.push({ i, lo, point, kids: byEnd(i, start, end, sub, point), k: 0 });
  };
  if (root >= 0 && root < n) enter(root, start[root], end[root]);
  while (stack.length) {
    const f = stack[stack.length - 1];
    let went = false;
    while (f.k < f.kids.length && f.point > f.lo) {
      const c = f.kids[f.k++];
      const e = Math.min(end[c], f.limit ?? (f.limit = f.point));
      if (e > f.point || e <= f.lo || start[c] >= f.point) continue;
      piece(f.i, e, f.point);
      f.point = Math.max(f.lo, Math.min(start[c], e));
      enter(c, f.lo, e);
      went = true;
      break;
    }
    if (went) continue;
    piece(f.i, f.lo, f.point);
    stack.pop();
  }
  return { rows: Int32Array.from(rows), from: Float64Array.from(from), to: Float64Array.from(to), visitFrom, visitTo };
}

// byEnd lists the children of i that began before the point, the last to end first.
function byEnd(i, start, end, sub, point) {
  const out = [];
  for (let c = i + 1; c < sub[i]; c = sub[c]) if (start[c] < point) out.push(c);
  return out.sort((a, b) => end[b] - end[a]);
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
