// Folding: 16 or more siblings in a row alike in name, process and shape of children, or a pattern of 2 to 4 of them
// repeated 16 times, become one row. Members that need a look stay visible: an error, sent again, truncated, still running,
// or more than ten times the median. Those may differ in shape and still belong to the run. Unlike spans never fold.

import { ERROR, OPEN, TRUNCATED, RESENT, CLIENT, SERVER } from './columns.js';
import { children } from './tree.js';

const LEAST = 16, PATTERN = 4, SLOW = 10;
const ODD = ERROR | OPEN | TRUNCATED | RESENT;

// folds finds them all. Each is {parent, period, count, members, odd}: members are rows in order, `odd` those that stay visible,
// as [row, place in the fold from 1]. of[row] is the fold of a member, −1 for others.
export function folds(c, sub, n, roots) {
  const of = new Int32Array(n).fill(-1), list = [];
  const shape = shapes(c, sub, n);
  const look = (parent, kids) => {
    if (kids.length < LEAST) return;
    for (const f of runs(kids, (i) => alike(c, i), (i) => callee(c, sub, i), shape, (i) => odd(c, sub, i))) {
      for (const m of f.members) of[m] = list.length;
      list.push({ parent, ...f, odd: visible(c, sub, f) });
    }
  };
  look(-1, roots);
  for (let i = 0; i < n; i++) {
    if (sub[i] - i <= LEAST) continue;
    look(i, children(sub, i));
  }
  return { list, of };
}

// shapes names what hangs below a row: the names and processes of its children in order, equal neighbours once.
function shapes(c, sub, n) {
  const out = new Int32Array(n), seen = new Map();
  for (let i = n - 1; i >= 0; i--) {
    if (sub[i] === i + 1) continue;
    let key = '', last = '';
    for (let k = i + 1; k < sub[i] && key.length < 512; k = sub[k]) {
      const s = alike(c, k) + '/' + out[k];
      if (s !== last) key += s + ';';
      last = s;
    }
    let v = seen.get(key);
    if (v === undefined) seen.set(key, v = seen.size + 1);
    out[i] = v;
  }
  return out;
}

function alike(c, i) { return c.name[i] + ':' + c.service[i] + ':' + c.kind[i]; }

// callee names what a call went to: two calls to different servers are never alike, whatever their own name is.
function callee(c, sub, i) {
  if (c.kind[i] !== CLIENT) return '';
  for (let k = i + 1; k < sub[i]; k = sub[k]) if (c.kind[k] === SERVER) return alike(c, k);
  return '';
}

// odd reports whether a member needs a look by itself or by a direct child.
function odd(c, sub, i) {
  if (c.flags[i] & ODD) return true;
  for (let k = i + 1; k < sub[i]; k = sub[k]) if (c.flags[k] & ODD) return true;
  return false;
}

// runs cuts a list of siblings into its repetitions.
function runs(kids, key, to, shape, isOdd) {
  const keys = kids.map(key), callees = kids.map(to), shapesOf = kids.map((i) => shape[i]), odds = kids.map(isOdd);
  const out = [];
  let i = 0;
  while (i <= kids.length - LEAST) {
    let found = null;
    for (let p = 1; p <= PATTERN && !found; p++) {
      const n = repeats(keys, callees, shapesOf, odds, i, p);
      if (n >= LEAST) found = { period: p, count: n };
    }
    if (!found) { i++; continue; }
    out.push({ ...found, members: kids.slice(i, i + found.count * found.period) });
    i += found.count * found.period;
  }
  return out;
}

// repeats counts how often the pattern of length p at i is repeated. The shapes to match are those of the first members that
// are not odd.
function repeats(keys, callees, shapes, odds, i, p) {
  if (i + p * 2 > keys.length || keys[i] !== keys[i + p]) return 0;
  const want = new Array(p).fill(-1), goes = new Array(p).fill('');
  let k = i;
  for (; k < keys.length; k++) {
    const m = (k - i) % p;
    if (keys[k] !== keys[i + m]) break;
    // an odd member may lack its callee, but never have another one
    if (callees[k] !== goes[m]) {
      if (goes[m] && !(odds[k] && !callees[k])) break;
      if (!goes[m] && k - i >= p && want[m] >= 0) break;
      if (!goes[m]) goes[m] = callees[k];
    }
    if (odds[k]) continue;
    if (want[m] < 0) want[m] = shapes[k];
    if (shapes[k] !== want[m]) break;
  }
  return Math.floor((k - i) / p);
}

function visible(c, sub, f) {
  const times = f.members.map((i) => c.end[i] - c.start[i]);
  const finite = times.filter((t) => t === t).sort((a, b) => a - b);
  const median = finite.length ? finite[finite.length >> 1] : Infinity;
  const out = [];
  f.members.forEach((i, k) => {
    const slow = times[k] > SLOW * median;
    if (slow || odd(c, sub, i)) out.push({ row: i, place: Math.floor(k / f.period) + 1, times: slow ? times[k] / median : 0 });
  });
  return out;
}

// label is what a fold's row says: "2,000 × POST /step", "200 × a, b".
export function label(f, name, count) {
  return count(f.count) + ' × ' + f.members.slice(0, f.period).map(name).join(', ');
}

// figures sums a fold up; percentiles are over members that are finished and not truncated. Errors and the like count members
// that have one anywhere below them.
export function figures(c, sub, f, now) {
  let first = Infinity, last = -Infinity, sum = 0, errors = 0, resent = 0, truncated = 0, open = 0;
  const times = [];
  f.members.forEach((i) => {
    const e = c.end[i] === c.end[i] ? c.end[i] : now;
    first = Math.min(first, c.start[i]);
    last = Math.max(last, e);
    sum += e - c.start[i];
    let below = 0;
    for (let k = i; k < sub[i]; k++) below |= c.flags[k];
    if (below & ERROR) errors++;
    if (below & RESENT) resent++;
    if (below & TRUNCATED) truncated++;
    if (c.flags[i] & OPEN) open++;
    else if (!(c.flags[i] & TRUNCATED)) times.push(e - c.start[i]);
  });
  times.sort((a, b) => a - b);
  const q = (p) => (times.length ? times[Math.min(times.length - 1, Math.ceil(p * times.length) - 1)] : null);
  const longest = f.members.map((i, k) => [i, Math.floor(k / f.period) + 1, (c.end[i] === c.end[i] ? c.end[i] : now) - c.start[i]])
    .sort((a, b) => b[2] - a[2]).slice(0, 5);
  return { first, last, sum, errors, resent, truncated, open, times, p50: q(.5), p95: q(.95), p99: q(.99), max: longest.length ? longest[0][2] : null, longest };
}
