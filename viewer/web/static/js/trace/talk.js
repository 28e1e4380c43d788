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
