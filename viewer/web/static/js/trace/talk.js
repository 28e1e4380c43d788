// The shape of a conversation: runs of equal calls fold like spans. Pure.

const LEAST = 16;

// fold groups rows: {rows: [row], count} stands for `count` repetitions of a pattern of calls and outputs.
export function fold(rows) {
  const key = (r) => (r.type === 'call' || r.type === 'output' ? r.type + '\0' + r.name + '\0' + r.text : null);
  const keys = rows.map(key), out = [];
  for (let i = 0; i < rows.length;) {
    let found = 0, period = 0;
    for (let p = 1; p <= 4 && !found && keys[i] !== null; p++) {
      let k = i;
      while (k < rows.length && keys[k] !== null && keys[k] === keys[i + (k - i) % p]) k++;
      const n = Math.floor((k - i) / p);
      if (n >= LEAST) { found = n; period = p; }
    }
    if (!found) { out.push({ row: rows[i], count: 1, rows: [rows[i]] }); i++; continue; }
    for (let q = 0; q < period; q++) {
      const all = [];
      for (let k = i + q; k < i + found * period; k += period) all.push(rows[k]);
      const sum = all.reduce((a, r) => a + (r.duration_ns || 0), 0);
      const first = all.find((r) => r.tokens != null);
      out.push({ row: { ...all[0], tokens: first ? first.tokens : null, duration_ns: all[0].type === 'output' ? sum : all[0].duration_ns }, count: found, rows: all });
    }
    i += found * period;
  }
  return out;
}

// saidBy picks the rows of some spans: what was said there, and to a call its answer, to an answer its call.
export function saidBy(rows, spans) {
  const set = new Set(spans), own = rows.filter((r) => r.span && set.has(r.span));
  const calls = new Set(own.filter((r) => r.call).map((r) => r.call));
  return rows.filter((r) => (r.span && set.has(r.span)) || (r.call && calls.has(r.call)));
}

// argumentsOf gives the span of each tool the argument it was called with.
export function argumentsOf(rows) {
  const calls = new Map(), out = new Map();
  for (const r of rows) {
    if (r.type === 'call') calls.set(r.call, r.text);
    else if (r.type === 'output' && r.span && calls.has(r.call)) out.set(r.span, short(calls.get(r.call)));
  }
  return out;
}

// short leaves the braces and the key of a one-member object out: {"synonym":"Dry"} is "Dry".
export function short(arg) {
  const m = /^\{"[^"]*":(.*)\}$/.exec(arg);
  if (!m) return arg;
  try { return Object.keys(JSON.parse(arg)).length === 1 ? m[1] : arg; } catch { return arg; }
}
