// Drawing the timeline's rows on a canvas. Each call draws what is in sight, nothing else; no layout is read here.

import { ERROR, OPEN, TRUNCATED, GHOST, SKEW } from './columns.js';
import { own } from './path.js';
import { foldEnd } from './span.js';
import { FOLD, MORE } from './rows.js';
import { duration, text, tick, tickStep } from '../format.js';
import { line } from '../inert.js';

const BLOCK = 12, TOP = 7;

// grid draws the tick lines and, above, their labels.
export function grid(ctx, axis, p) {
  const { scale, width, height, colours } = p;
  ctx.clearRect(0, 0, width + 20, height);
  axis.clearRect(0, 0, width + 40, 24);
  axis.font = '400 11px ' + colours.sans;
  axis.fillStyle = colours.ink3;
  axis.textBaseline = 'middle';
  ctx.fillStyle = colours.line;
  const step = tickStep(scale.to - scale.from, Math.max(2, Math.min(8, width / 90)));
  for (let t = Math.ceil(scale.from / step) * step; t <= scale.to; t += step) {
    const x = Math.round(scale.x(t));
    ctx.fillRect(x, 0, 1, height);
    const label = tick(t, step, scale.to), w = axis.measureText(label).width;
    const lx = x === 0 ? 0 : x - w / 2;
    if (lx + w <= width + 18) axis.fillText(label, Math.max(0, lx), 12);
  }
}

// bars draws the lines in sight. p.row is their height, p.drop how far below a row's top the 26 px of its bar begin.
export function bars(ctx, p) {
  const { lines, width, height, top } = p;
  ctx.clearRect(0, 0, width + 20, height);
  const first = Math.max(0, Math.floor(top / p.row)), last = Math.min(lines.n, Math.ceil((top + height) / p.row));
  for (let k = first; k < last; k++) bar(ctx, p, k, Math.round(k * p.row - top) + p.drop);
}

// bar draws one line at y.
function bar(ctx, p, k, y) {
  const { model: m, lines, view } = p, c = m.columns;
  const kind = lines.kind[k], i = lines.row[k];
  if (kind === MORE) return;
  if (kind === FOLD) { comb(ctx, p, m.folds[lines.ref[k]], y); return; }
  const j = view.pairs ? m.pair[i] : -1, b = j >= 0 ? j : i;
  const closed = view.closed.has(i);
  if (c.flags[b] & GHOST) { ghost(ctx, p, b, y); return; }
  const colour = p.colours.p[p.colour(c, b)];
  if (j >= 0) remainder(ctx, p, i, j, y);
  block(ctx, p, b, y, colour);
  if (closed) path(ctx, p, m.visitFrom[i], m.visitTo[i], y);
  else { pieces(ctx, p, i, y); if (j >= 0) pieces(ctx, p, j, y); }
  end(ctx, p, i, b, y);
}

// span gives a stretch of time its pixels: at least 2 wide, never outside the track. null when it is not in sight.
function span(p, a, b) {
  const { scale, width } = p;
  if (b < scale.from || a > scale.to) return null;
  let x = Math.max(0, scale.x(a)), z = Math.min(width, scale.x(b));
  if (z - x < 2) { z = x + 2; if (z > width) { z = width; x = width - 2; } }
  return [x, z - x];
}

function remainder(ctx, p, i, j, y) {
  const { model: m, colours } = p, c = m.columns;
  ctx.fillStyle = colours.p[p.colour(c, i)];
  ctx.globalAlpha = .8;
  for (const [a, b] of [[c.start[i], Math.min(c.start[j], m.ends[i])], [Math.max(m.ends[j], c.start[i]), m.ends[i]]]) {
    if (!(b > a)) continue;
    const w = p.scale.x(b) - p.scale.x(a);
    if (w < .5) continue;
    const s = span(p, a, b);
    if (s) ctx.fillRect(s[0], y + 11, Math.min(s[1], Math.max(w, .5)), 4);
  }
  ctx.globalAlpha = 1;
}

function block(ctx, p, b, y, colour) {
  const { model: m } = p, c = m.columns;
  const s = span(p, c.start[b], m.ends[b]);
  if (!s) return;
  const [x, w] = s;
  ctx.fillStyle = colour;
  if (m.sub[b] === b + 1 || w < 5) { round(ctx, x, y + TOP, w, BLOCK, Math.min(2, w / 2)); ctx.fill(); return; }
  ctx.globalAlpha = .26;
  ctx.fillRect(x, y + TOP, w, BLOCK);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  ctx.strokeRect(x + .5, y + TOP + .5, w - 1, BLOCK - 1);
  strips(ctx, p, ownOf(p, b), y + TOP, BLOCK);
}

// ownOf keeps what has been worked out for rows with many children.
function ownOf(p, b) {
  const { model: m } = p;
  const cache = m.own || (m.own = new Map());
  let v = cache.get(b);
  if (!v || m.columns.flags[b] & OPEN) {
    v = own(b, m.columns.start, m.ends, m.sub);
    if (cache.size > 2000) cache.clear();
    cache.set(b, v);
  }
  return v;
}

// strips draws stretches of time, none thinner than 2 px. Many short ones close together are drawn once a pixel column, with
// their coverage as opacity.
function strips(ctx, p, list, y, h) {
  const { scale, width } = p, per = width / (scale.to - scale.from);
  let near = []; // short stretches, each less than 2 px from the one before, as [x, width, …]
  const flush = () => {
    if (!near.length) return;
    const n = near.length, x0 = near[0], x1 = near[n - 2] + near[n - 1];
    if (x1 - x0 <= 4) ctx.fillRect(Math.min(x0, width - 2), y, Math.max(2, x1 - x0), h);
    else columns(ctx, near, y, h);
    near = [];
  };
  for (let k = lowerBound(list, scale.from); k < list.length && list[k] < scale.to; k += 2) {
    const a = Math.max(list[k], scale.from), b = Math.min(list[k + 1], scale.to);
    if (b <= a) continue;
    const x = (a - scale.from) * per, w = (b - a) * per;
    if (near.length && x - near[near.length - 2] - near[near.length - 1] > 2) flush();
    if (w < 1) near.push(x, w);
    else { flush(); ctx.fillRect(Math.min(x, width - 2), y, Math.max(2, w), h); }
  }
  flush();
}

function columns(ctx, near, y, h) {
  let col = -1, cover = 0;
  const draw = () => {
    if (col < 0) return;
    ctx.globalAlpha = Math.max(.12, Math.min(1, cover));
    ctx.fillRect(col, y, 1, h);
  };
  for (let k = 0; k < near.length; k += 2) {
    const at = Math.floor(near[k]);
    if (at !== col) { draw(); col = at; cover = 0; }
    cover += near[k + 1];
  }
  draw();
  ctx.globalAlpha = 1;
}

// lowerBound is the first stretch in [from, to, from, to, …] that ends behind t.
function lowerBound(list, t) {
  let lo = 0, hi = list.length >> 1;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (list[mid * 2 + 1] <= t) lo = mid + 1;
    else hi = mid;
  }
  return lo * 2;
}

function pieces(ctx, p, i, y) {
  const { at, from, to } = p.model.pieces;
  let lastX = -9;
  for (let k = at[i]; k < at[i + 1]; k++) {
    if (to[k] < p.scale.from) continue;
    if (from[k] > p.scale.to) break;
    const x = p.scale.x(to[k]);
    if (x - lastX < 1 && k < at[i + 1] - 1) continue; // the next piece is drawn on the same pixel
    path(ctx, p, from[k], to[k], y);
    lastX = x;
  }
}

function path(ctx, p, a, b, y) {
  if (!(b > a)) return;
  const s = span(p, a, b);
  if (!s) return;
  ctx.fillStyle = p.colours.ink;
  ctx.fillRect(s[0], y + 21, s[1], 2);
}

// comb draws a fold: teeth over its whole time, as dense as its members.
function comb(ctx, p, f, y) {
  const { model: m, view } = p, c = m.columns;
  const lastRow = f.members[f.members.length - 1];
  const s = span(p, c.start[f.members[0]], foldEnd(m, f));
  if (!s) return;
  const [x, w] = s;
  const list = f.spans || (f.spans = f.members.flatMap((i) => { const b = view.pairs && m.pair[i] >= 0 ? m.pair[i] : i; return [c.start[b], m.ends[b]]; }));
  const first = f.members[0], b0 = view.pairs && m.pair[first] >= 0 ? m.pair[first] : first;
  const colour = p.colours.p[p.colour(c, b0)];
  ctx.fillStyle = colour;
  const tooth = 3, gap = 1, per = p.scale;
  let k = lowerBound(list, per.t(x));
  for (let tx = x; tx < x + w; tx += tooth + gap) {
    const a = per.t(tx), z = per.t(Math.min(tx + tooth + gap, x + w));
    let cover = 0;
    while (k > 0 && list[k - 1] > a) k -= 2;
    for (let q = k; q < list.length && list[q] < z; q += 2) cover += Math.max(0, Math.min(list[q + 1], z) - Math.max(list[q], a));
    while (k < list.length && list[k + 1] < z) k += 2;
    cover /= z - a;
    if (cover <= 0) continue;
    ctx.globalAlpha = Math.max(.35, Math.min(1, cover));
    ctx.fillRect(tx, y + TOP, Math.min(tooth, x + w - tx), BLOCK);
  }
  ctx.globalAlpha = 1;
  ctx.strokeStyle = colour;
  ctx.strokeRect(x + .5, y + TOP + .5, Math.max(1, w - 1), BLOCK - 1);
  // the path: from where it first visits a member to where it leaves the last
  let from = NaN, to = NaN;
  for (const i of f.members) {
    if (m.visitFrom[i] === m.visitFrom[i]) { if (!(from <= m.visitFrom[i])) from = m.visitFrom[i]; to = Math.max(to === to ? to : -Infinity, m.visitTo[i]); }
  }
  path(ctx, p, from, to, y);
  if (c.flags[lastRow] & OPEN) arrow(ctx, p, x + w, y);
}

// end draws what stands behind a bar: running, cut, error, skew.
function end(ctx, p, i, b, y) {
  const { model: m, colours, width } = p, c = m.columns;
  const s = span(p, c.start[i], m.ends[i]);
  if (!s) return;
  const x = s[0] + s[1], flags = c.flags[i] | c.flags[b];
  if (flags & OPEN && m.ends[i] <= p.scale.to) arrow(ctx, p, x, y);
  if (flags & TRUNCATED) {
    ctx.fillStyle = colours.warn;
    ctx.fillRect(Math.min(x + 1, width - 2.5), y + 5, 2.5, 16);
  }
  if (flags & ERROR) {
    const cx = x + 4;
    if (cx + 8 < width + 20) cross(ctx, colours.err, cx, y + 9);
    const words = c.messages.get(b) || c.messages.get(i);
    if (words) label(ctx, p, line(words), cx + 14, y, colours.err);
  }
  if (flags & SKEW && (c.skew.has(i) || c.skew.has(b))) skew(ctx, p, c.skew.has(i) ? i : b, y);
}

function skew(ctx, p, i, y) {
  const { model: m, colours, width } = p, c = m.columns, by = c.skew.get(i);
  const from = p.scale.x(m.ends[i]), to = Math.min(width, p.scale.x(c.start[i] - by));
  ctx.strokeStyle = colours.warn;
  ctx.lineWidth = 1;
  if (to > from) {
    ctx.setLineDash([1, 2]);
    ctx.beginPath();
    ctx.moveTo(Math.max(0, from), y + 13.5);
    ctx.lineTo(to, y + 13.5);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.fillStyle = colours.warn;
    ctx.fillRect(to, y + 8, 1, 11);
  }
  label(ctx, p, 'starts ' + text(duration(-by)) + ' early: clocks differ', Math.max(from, to) + 10, y, colours.warn);
}

// label writes behind a bar when all of it fits.
function label(ctx, p, words, x, y, colour) {
  ctx.font = '400 11px ' + p.colours.sans;
  let w = ctx.measureText(words).width;
  const room = p.width + 14 - x;
  if (room < 40) return;
  if (w > room) {
    let n = Math.floor(words.length * room / w) - 1;
    while (n > 3 && ctx.measureText(words.slice(0, n) + '…').width > room) n--;
    if (n <= 3) return;
    words = words.slice(0, n) + '…';
    w = room;
  }
  ctx.fillStyle = colour;
  ctx.textBaseline = 'middle';
  ctx.fillText(words, x, y + 13.5);
}

function cross(ctx, colour, x, y) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x + 8, y + 8);
  ctx.moveTo(x + 8, y);
  ctx.lineTo(x, y + 8);
  ctx.stroke();
  ctx.lineWidth = 1;
}

function arrow(ctx, p, x, y) {
  ctx.strokeStyle = p.colours.acc;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.moveTo(x, y + TOP);
  ctx.lineTo(x + 6, y + 13);
  ctx.lineTo(x, y + TOP + BLOCK);
  ctx.stroke();
  ctx.lineWidth = 1;
}

// ghost draws a span that never came: a dashed line over its children, a dashed box when it may still come.
function ghost(ctx, p, b, y) {
  const { model: m, colours } = p, c = m.columns;
  const s = span(p, c.start[b], m.ends[b]);
  if (!s) return;
  ctx.strokeStyle = colours.edge;
  ctx.lineWidth = 1;
  ctx.setLineDash([4, 2]);
  if (c.flags[b] & OPEN) ctx.strokeRect(s[0] + .5, y + TOP + .5, s[1] - 1, BLOCK - 1);
  else {
    ctx.beginPath();
    ctx.moveTo(s[0], y + 13.5);
    ctx.lineTo(s[0] + s[1], y + 13.5);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  if (c.flags[b] & OPEN) arrow(ctx, p, s[0] + s[1], y);
}

function round(ctx, x, y, w, h, r) {
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, r);
}

// over draws the moving layer: the now line, but not across the text of a phone's rows, and the time under the pointer.
export function over(ctx, p) {
  const { width, height, colours, scale, now, at } = p;
  ctx.clearRect(0, 0, width + 20, height);
  if (now != null && !p.drop && now >= scale.from && now <= scale.to) {
    ctx.fillStyle = colours.acc;
    ctx.fillRect(Math.min(width, Math.round(scale.x(now))), 0, 1, height);
  }
  if (at != null) {
    ctx.fillStyle = colours.line2;
    ctx.fillRect(Math.round(at), 0, 1, height);
  }
}
