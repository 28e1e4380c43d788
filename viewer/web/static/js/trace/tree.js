// The shape of a trace, read off the drawing order: a subtree is a run of rows.

// subtrees gives for each row the row behind its subtree: children of i are i+1, sub[i+1], … below sub[i].
export function subtrees(parent, n) {
  const sub = new Int32Array(n);
  for (let i = n - 1; i >= 0; i--) {
    if (sub[i] < i + 1) sub[i] = i + 1;
    const p = parent[i];
    if (p >= 0 && sub[p] < sub[i]) sub[p] = sub[i];
  }
  return sub;
}

// children lists the rows directly below i.
export function children(sub, i) {
  const out = [];
  for (let c = i + 1; c < sub[i]; c = sub[c]) out.push(c);
  return out;
}

// tops lists the rows without a parent.
export function tops(sub, n) {
  const out = [];
  for (let i = 0; i < n; i = sub[i]) out.push(i);
  return out;
}

// pairs finds calls: a CLIENT span with exactly one SERVER child. pair[client] is that server, of[server] its client, else −1.
export function pairs(kind, sub, n, client = 3, server = 2) {
  const pair = new Int32Array(n).fill(-1), of = new Int32Array(n).fill(-1);
  for (let i = 0; i < n; i++) {
    if (kind[i] !== client) continue;
    let found = -1;
    for (let c = i + 1; c < sub[i]; c = sub[c]) {
      if (kind[c] !== server) continue;
      if (found >= 0) { found = -1; break; }
      found = c;
    }
    if (found >= 0) { pair[i] = found; of[found] = i; }
  }
  return { pair, of };
}

// sums adds a column up, so that the sum over rows [a, b) is sums[b] − sums[a].
export function sums(column, n) {
  const out = new Float64Array(n + 1);
  for (let i = 0; i < n; i++) out[i + 1] = out[i] + column[i];
  return out;
}
