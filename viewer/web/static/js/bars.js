// Bars of a row: where the time went, and how far a run is.

import { h, s } from './dom.js';
import { duration, percent, text, count } from './format.js';
import { cross, ring, hollow } from './glyph.js';

// PARTS of the time split, always in this order.
export const PARTS = [['admission', 'admission wait'], ['pool', 'pool wait'], ['model', 'model'], ['tools', 'tools'], ['verify', 'verify'], ['other', 'other']];

// split draws a rollout's time on a scale; what is longer ends in a chevron.
export function split(parts, total, scale, cls = '') {
  if (!parts) return null;
  const long = total > scale;
  const bar = h('span.bar' + cls, { role: 'img', 'aria-label': words(parts, total), title: words(parts, total), style: { width: Math.min(100, total / scale * 100) + '%' } });
  // A bar that is too long is cut at the scale: its last parts are what does not fit.
  let left = Math.min(total, scale);
  PARTS.forEach(([id], k) => {
    const v = Math.min(parts[k], left);
    left -= v;
    if (v > 0) bar.append(h('i.p-' + id, { style: { 'flex-grow': String(v / total * 1000) } }));
  });
  return long ? h('span.long', null, bar, chevron()) : bar;
}

function chevron() {
  return s('svg', { width: 7, height: 10, viewBox: '0 0 7 10', 'aria-hidden': 'true' }, s('path', { d: 'M1 1l4.5 4L1 9', fill: 'none', stroke: 'var(--ink)', 'stroke-width': 1.8 }));
}

function words(parts, total) {
  const each = PARTS.map(([, name], k) => (parts[k] > 0 ? name + ' ' + text(duration(parts[k])) + ' (' + text(percent(parts[k] / total) || [['0', '%']]) + ')' : ''));
  return 'total ' + text(duration(total)) + ': ' + each.filter(Boolean).join(', ');
}

export function swatch(id) { return h('span.sq.p-' + id, { 'aria-hidden': 'true' }); }

// progress draws scored, failed, running and waiting, in that order.
export function progress(r, cls = '') {
  const total = r.total ?? r.scored + r.failed + r.running;
  const bar = h('span.prog' + cls, { role: 'img', 'aria-label': progressWords(r) });
  for (const [k, n] of [['scored', r.scored], ['failed', r.failed], ['running', r.running]]) {
    if (n > 0) bar.append(h('i.' + k, { style: { 'flex-grow': String(n / total) } }));
  }
  const rest = total - r.scored - r.failed - r.running;
  if (rest > 0) bar.append(h('i.rest', { style: { 'flex-grow': String(rest / total) } }));
  return bar;
}

function progressWords(r) {
  const p = [count(r.scored) + ' scored', count(r.failed) + ' failed', count(r.running) + ' running'];
  if (r.waiting != null) p.push(count(r.waiting) + ' waiting');
  return p.join(', ') + (r.total == null ? '' : ' of ' + count(r.total));
}

// legend counts the parts of a progress bar.
export function legend(r) {
  return [
    h('span', null, h('span.sq.k-scored'), count(r.scored) + ' scored'),
    r.failed ? h('span.err', null, cross(''), count(r.failed) + ' failed') : h('span.dim', null, '0 failed'),
    r.running ? h('span', null, ring(''), count(r.running) + ' running') : null,
    !r.waiting ? null : h('span', null, hollow(''), count(r.waiting) + ' waiting'),
  ];
}
