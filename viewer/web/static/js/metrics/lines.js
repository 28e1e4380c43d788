// The lines of a chart, from an answer of the API: what they are called, and their points side by side. Pure.

// rows are the columns of all lines, one an entry: {line, column, name, label, values}; label is what tells it from the others.
export function rows(chart) {
  const names = labels(chart.lines), out = [];
  chart.lines.forEach((l, i) => {
    const at = silences(l.t_ns), open = (v) => (v ? withGaps(v, at, null) : null), times = withGaps(l.t_ns, at, (t, usual) => t + usual);
    l.columns.forEach((c, k) => out.push({ line: i, column: k, name: c, label: [names[i], l.columns.length > 1 || !names[i] ? columnName(c) : ''].filter(Boolean).join(' '), times, values: open(l.values[k] || []), low: open(l.low), high: open(l.high) }));
  });
  return out;
}

// silences are the places behind which nothing came for much longer than usual: no line is drawn across them.
function silences(times) {
  const steps = times.slice(1).map((t, i) => t - times[i]), usual = [...steps].sort((a, b) => a - b)[steps.length >> 1];
  return { usual, after: new Set(steps.flatMap((s, i) => (steps.length > 2 && s > 4 * usual ? [i] : []))) };
}

// withGaps puts something behind each silence's beginning.
function withGaps(list, { usual, after }, what) {
  return after.size ? list.flatMap((v, i) => (after.has(i) ? [v, what && what(v, usual)] : [v])) : list;
}

function columnName(c) { return c === 'value' || c === 'per_s' ? '' : c; }

// labels name lines by what differs between them: an attribute that all share tells nothing.
export function labels(lines) {
  if (lines.length < 2) return lines.map(() => '');
  const keys = [...new Set(lines.flatMap((l) => l.attributes.map((a) => a.key)))];
  const of = (l, k) => { const a = l.attributes.find((x) => x.key === k); return a ? a.text : null; };
  const differ = (f) => new Set(lines.map(f)).size > 1;
  const told = keys.filter((k) => differ((l) => of(l, k)));
  const service = differ((l) => l.service), instance = differ((l) => l.instance), kind = differ((l) => l.kind);
  const list = lines.map((l) => {
    const parts = [];
    if (service) parts.push(l.service || 'several services');
    for (const k of told) {
      const v = of(l, k);
      if (v !== null) parts.push(told.length > 1 ? short(k) + ' ' + (v === '' ? '""' : v) : v === '' ? '""' : v);
    }
    if (instance && l.instance) parts.push(l.instance.length > 12 ? l.instance.slice(0, 8) + '…' : l.instance);
    if (kind) parts.push(l.kind.replace('_', ' '));
    return parts.join(' · ');
  });
  const seen = new Map();
  return list.map((name) => {
    const n = (seen.get(name) || 0) + 1;
    seen.set(name, n);
    return list.filter((x) => x === name).length > 1 ? (name || 'series') + ' (' + n + ')' : name || 'the rest';
  });
}

// short is the last part of a dotted key.
function short(key) { return key.slice(key.lastIndexOf('.') + 1).replaceAll('_', ' '); }

// align puts rows on one list of times, in seconds: null is a gap, undefined says that the row has no point at that time.
export function align(chart, list = rows(chart)) {
  const start = chart.start ? Number(BigInt(chart.start) / 1000000n) / 1000 : 0;
  const all = [...new Set(list.flatMap((r) => r.times))].sort((a, b) => a - b);
  const at = new Map(all.map((t, i) => [t, i]));
  const put = (times, values) => {
    const out = new Array(all.length);
    times.forEach((t, i) => { out[at.get(t)] = values[i] ?? null; });
    return out;
  };
  return { x: all.map((t) => start + t / 1e9), y: list.map((r) => put(r.times, r.values)), low: list.map((r) => (r.low ? put(r.times, r.low) : null)), high: list.map((r) => (r.high ? put(r.times, r.high) : null)) };
}

// lastOf is the last value of a row that is one.
export function lastOf(values) {
  for (let i = values.length - 1; i >= 0; i--) if (values[i] != null) return values[i];
  return null;
}

const ROUND = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

// roundBelow is the largest round number that is not above v.
function roundBelow(v) {
  const pow = 10 ** Math.floor(Math.log10(v));
  return ROUND.filter((m) => m * pow <= v * 1.0001).pop() * pow;
}

// grid gives the ends of a vertical axis that has zero on it, and its two lines besides zero, at round values.
export function grid(min, max) {
  const low = Math.min(0, min), high = Math.max(0, max) || (low < 0 ? 0 : 1), span = high - low;
  let lines;
  if (low === 0 || high === 0) { const s = roundBelow(span / 2); lines = low === 0 ? [s, 2 * s] : [-2 * s, -s]; } else { const s = roundBelow(Math.max(high, -low) * .9); lines = [-s, s].filter((v) => v >= low && v <= high); }
  return { from: low < 0 ? low - span * .06 : 0, to: high + span * .06, lines };
}

// tableOf is a chart as rows of text, the latest first, at most `most`; times of which nothing is known are left out.
export function tableOf(list, aligned, time, value, most = 100) {
  const out = [];
  for (let i = aligned.x.length - 1; i >= 0 && out.length < most; i--) if (aligned.y.some((v) => v[i] != null)) out.push([time(aligned.x[i] * 1000), ...list.map((r, k) => value(aligned.y[k][i], r))]);
  return out;
}
