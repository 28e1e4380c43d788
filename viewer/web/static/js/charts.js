// The small charts of a run, drawn as SVG in the size they are shown in.

import { h, s, qty, put } from './dom.js';
import { line } from './inert.js';
import { column, duration, reward, text, unitFor } from './format.js';

// spark is a line of counts, zero based, without dots.
export function spark(counts, width = 85, height = 16) {
  const n = counts.length, max = Math.max(1, ...counts);
  const el = s('svg', { class: 'spark', width, height, viewBox: '0 0 ' + width + ' ' + height, role: 'img', 'aria-label': 'over time: ' + counts.join(', ') });
  if (n < 2) return el;
  const d = counts.map((v, i) => (i ? 'L' : 'M') + (i * (width - 1) / (n - 1)).toFixed(1) + ' ' + (height - 1.5 - v / max * (height - 3)).toFixed(1)).join('');
  el.append(s('path', { d, fill: 'none', stroke: 'var(--ink3)', 'stroke-width': 1.25, 'stroke-linejoin': 'round' }));
  return el;
}

// rewards draws one row an environment: 11 bins on a common height, mean and pass@k. pick is told the stretch that was dragged over.
export function rewards(data, pick) {
  const top = Math.max(1, ...data.rows.filter((r) => r.env != null).flatMap((r) => r.counts));
  const k = Math.max(0, ...data.rows.map((r) => r.k || 0));
  const el = h('div.rewards', null,
    h('span'), h('span.axis', null, h('span', null, reward(data.from, 0)), h('span', null, reward(data.to, 0))),
    h('span.hd', null, 'mean'), h('span.hd', null, k ? 'pass@' + k : ''));
  const envs = data.rows.filter((r) => r.env != null), all = data.rows.find((r) => r.env == null);
  for (const r of envs) {
    el.append(h('span.cut.env', { title: r.env }, line(apart(r.env, envs))), bins(r, top, data, pick), num(r.mean, r), num(r.pass, r));
  }
  if (all && envs.length > 1) el.append(h('span.strong', null, 'all'), h('span'), num(all.mean, all, '.strong'), num(all.pass, all, '.strong'));
  return el;
}

function num(v, r, cls = '') { return h('span.v' + cls, null, v == null ? (r.n ? '' : h('span.dim', null, 'none')) : reward(v, 3)); }

function bins(r, top, data, pick) {
  const W = 90, H = 24, w = W / 11;
  const el = s('svg', { width: W, height: H + 1, viewBox: '0 0 ' + W + ' ' + (H + 1), role: 'img', 'aria-label': 'rewards in 11 bins: ' + r.counts.join(', ') });
  el.append(s('rect', { x: 0, y: H, width: W, height: 1, fill: 'var(--line2)' }));
  r.counts.forEach((c, i) => {
    if (!c) return;
    const hh = Math.max(2, Math.round(c / top * H));
    el.append(s('rect', { x: i * w + (i === 10 ? w - 7.5 : 0), y: H - hh, width: 7.5, height: hh, fill: 'var(--ink2)' }));
  });
  const back = (px) => Math.min(10, Math.floor(px / w));
  if (pick) drag(el, W, H, back, (a, b) => pick(...rewardStretch(data, a, b)));
  return el;
}

// durations draws the histogram on a log axis: failed stacked on top in red, dashed lines at p50 and p95. pick is told the
// stretch that was dragged over.
export function durations(d, width, pick) {
  const H = 87, axis = 16, top = 2;
  const el = h('div.durations');
  const bins = d.bins;
  if (!bins.length) return put(el, h('p.dim', null, 'No rollout has finished.'));
  const lo = bins[0].from_ns, hi = bins[bins.length - 1].to_ns;
  const x = (ns) => (Math.log(ns) - Math.log(lo)) / (Math.log(hi) - Math.log(lo)) * width;
  const back = (px) => Math.exp(Math.log(lo) + px / width * (Math.log(hi) - Math.log(lo)));
  const max = Math.max(1, ...bins.map((b) => b.scored + b.failed)), room = H - 18;
  const svg = s('svg', { width, height: H + axis, viewBox: '0 0 ' + width + ' ' + (H + axis), role: 'img', 'aria-label': histogramWords(d) });
  for (const b of bins) {
    const x0 = x(b.from_ns), w = Math.max(1, x(b.to_ns) - x0 - 1);
    const a = b.scored / max * room, f = b.failed / max * room;
    if (b.scored) svg.append(s('rect', { x: x0, y: H - a, width: w, height: a, fill: 'var(--ink3)' }));
    if (b.failed) svg.append(s('rect', { x: x0, y: H - a - f, width: w, height: f, fill: 'var(--err)' }));
  }
  svg.append(s('rect', { x: 0, y: H, width, height: 1, fill: 'var(--line2)' }));
  for (const t of logTicks(lo, hi)) {
    const px = x(t), anchor = px < 10 ? 'start' : px > width - 14 ? 'end' : 'middle';
    svg.append(s('text', { x: Math.min(width, Math.max(0, px)), y: H + 12, 'text-anchor': anchor, class: 'tick' }, text(shortTick(t))));
  }
  let last = -Infinity;
  for (const [name, v] of [['p50', d.p50_ns], ['p95', d.p95_ns]]) {
    if (v == null) continue;
    const px = Math.round(x(v)) + .5;
    svg.append(s('path', { d: 'M' + px + ' ' + top + 'V' + H, stroke: 'var(--ink)', 'stroke-width': 1, 'stroke-dasharray': '2 2' }));
    const right = px + 28 > width;
    svg.append(s('text', { x: right ? px - 3 : px + 3, y: px - last < 30 ? 24 : 12, 'text-anchor': right ? 'end' : 'start', class: 'tick' }, name));
    last = px;
  }
  if (pick) drag(svg, width, H, back, pick);
  const u = unitFor(d.max_ns);
  el.append(svg, h('div.figures', null, [['p50', d.p50_ns], ['p95', d.p95_ns], ['p99', d.p99_ns], ['max', d.max_ns]].map(([n, v]) =>
    v == null ? null : h('span', null, h('span.lab', null, n), ' ', qty(v < 60e9 && u.unit === 's' ? column(v, u) : duration(v))))));
  return el;
}

function histogramWords(d) {
  return 'durations of ' + d.n + ' rollouts' + (d.p50_ns == null ? '' : ': p50 ' + text(duration(d.p50_ns)) + ', p95 ' + text(duration(d.p95_ns)) + ', longest ' + text(duration(d.max_ns)));
}

// logTicks are at most six round times of a log axis: 1, 2, 5 × 10^n.
export function logTicks(lo, hi) {
  const all = [];
  for (let p = Math.floor(Math.log10(lo)); p <= Math.ceil(Math.log10(hi)); p++) {
    for (const m of [1, 2, 5]) {
      const t = m * 10 ** p;
      if (t >= lo * .97 && t <= hi * 1.03) all.push(t);
    }
  }
  if (!all.length) return [lo, hi];
  const step = Math.ceil(all.length / 6);
  return all.filter((_, i) => i % step === 0);
}

function shortTick(ns) {
  if (ns >= 60e9) return duration(ns);
  for (const [u, per] of [['s', 1e9], ['ms', 1e6], ['µs', 1e3]]) if (ns >= per) return [[String(+(ns / per).toPrecision(2)), u]];
  return [[String(Math.round(ns)), 'ns']];
}

function drag(svg, width, height, back, pick) {
  const band = s('rect', { y: 0, height, fill: 'var(--acc)', opacity: .14, width: 0 });
  let from = null;
  const at = (e) => Math.max(0, Math.min(width, e.offsetX));
  svg.classList.add('draggable');
  svg.addEventListener('pointerdown', (e) => { from = at(e); svg.setPointerCapture(e.pointerId); svg.append(band); band.setAttribute('width', 0); });
  svg.addEventListener('pointermove', (e) => {
    if (from == null) return;
    const to = at(e);
    band.setAttribute('x', Math.min(from, to));
    band.setAttribute('width', Math.abs(to - from));
  });
  svg.addEventListener('pointerup', (e) => {
    if (from == null) return;
    const a = Math.min(from, at(e)), b = Math.max(from, at(e));
    from = null;
    band.remove();
    if (b - a > 3) pick(back(a), back(b));
  });
}

// apart leaves out what all names begin with, where they are cut: example_multi_step, example_single is …multi_step, …single.
export function apart(name, rows) {
  const all = rows.map((r) => r.env || '');
  let n = all.length > 1 ? Math.min(...all.map((s) => s.length)) : 0;
  for (const s of all) while (n && s.slice(0, n) !== all[0].slice(0, n)) n--;
  while (n && !'_-./'.includes(all[0][n - 1])) n--;
  return n < 4 ? name : '…' + name.slice(n);
}

// rewardStretch is what the bins a to b of a row of rewards hold. The first and the last bin are half as wide as the others.
export function rewardStretch({ from, to }, a, b) {
  const step = (to - from) / 10, round = (v) => +Math.max(from, Math.min(to, v)).toFixed(3);
  return [round(from + (a - .5) * step), round(from + (b + .5) * step)];
}

// term writes a stretch of time as the filter does: dur:5s..8s.
export function term(field, a, b) {
  const unit = b >= 1e9 ? ['s', 1e9] : ['ms', 1e6];
  const w = (v) => +(v / unit[1]).toPrecision(3) + unit[0];
  return field + ':' + w(a) + '..' + w(b);
}
