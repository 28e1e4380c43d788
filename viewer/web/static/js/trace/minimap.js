// The whole trace in 37 px: every row as 1 to 3 px of its colour, and the window that the waterfall shows.
// Drag pans, handles zoom, double click resets.

import { h } from '../dom.js';
import { MORE, FOLD } from './rows.js';
import { foldEnd } from './span.js';

const H = 37, WELL = 44, MOST = 4000;

export class Minimap {
  constructor(change) {
    this.change = change;
    this.canvas = h('canvas.minimap', { 'aria-hidden': 'true' });
    this.canvas.addEventListener('pointerdown', (e) => this.down(e));
    this.canvas.addEventListener('pointermove', (e) => this.move(e));
    this.canvas.addEventListener('pointerup', () => { this.drag = null; });
    this.canvas.addEventListener('dblclick', () => { this.scale.reset(); this.change(); });
    this.rows = document.createElement('canvas');
  }

  // size takes the width of the timeline; handles may stand 3 px outside of it.
  size(width, dpr) {
    this.width = width;
    this.dpr = dpr;
    for (const c of [this.canvas, this.rows]) { c.width = Math.round((width + 8) * dpr); c.height = WELL * dpr; }
    this.canvas.style.width = width + 8 + 'px';
    this.canvas.style.height = WELL + 'px';
  }

  // draw draws the rows anew.
  draw(p) {
    this.p = p;
    this.scale = p.scale;
    if (!this.width) return;
    const ctx = this.rows.getContext('2d'), { model: m, lines, colours } = p, c = m.columns, full = p.scale.full;
    ctx.setTransform(this.dpr, 0, 0, this.dpr, 4 * this.dpr, 0);
    ctx.clearRect(-4, 0, this.width + 8, WELL);
    ctx.fillStyle = colours.sunk;
    ctx.fillRect(0, 3, this.width, 38);
    const n = lines.n, step = Math.max(1, Math.ceil(n / MOST)), high = Math.max(1, Math.min(3, Math.floor(H / Math.max(1, n)) - (n < 12 ? 1 : 0)));
    const pitch = Math.min(high + 2, (H - high) / Math.max(1, n - 1));
    for (let k = 0; k < n; k += step) {
      const kind = lines.kind[k];
      if (kind === MORE) continue;
      const i = lines.row[k], b = p.view.pairs && m.pair[i] >= 0 ? m.pair[i] : i;
      const to = kind === FOLD ? foldEnd(m, m.folds[lines.ref[k]]) : m.ends[b];
      const x = c.start[b] / full * this.width, w = Math.max(1, (to - c.start[b]) / full * this.width);
      ctx.fillStyle = colours.p[p.colour(c, b)] || colours.edge;
      ctx.fillRect(x, 4 + k * pitch, Math.min(w, this.width - x), high);
    }
    this.window();
  }

  // window draws the rows and the window over them.
  window() {
    if (!this.width || !this.p) return;
    const ctx = this.canvas.getContext('2d'), { colours } = this.p, s = this.scale;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, this.canvas.width, this.canvas.height);
    ctx.drawImage(this.rows, 0, 0);
    ctx.setTransform(this.dpr, 0, 0, this.dpr, 4 * this.dpr, 0);
    const a = s.from / s.full * this.width, b = s.to / s.full * this.width;
    ctx.fillStyle = colours.panel;
    ctx.globalAlpha = .6;
    ctx.fillRect(0, 3, a, 38);
    ctx.fillRect(b, 3, this.width - b, 38);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colours.acc;
    ctx.lineWidth = 1;
    ctx.strokeRect(a + .5, 3.5, Math.max(1, b - a - 1), 37);
    for (const x of [a, b]) {
      ctx.beginPath();
      ctx.roundRect(x - 2.5, 15, 5, 14, 2);
      ctx.fillStyle = colours.panel;
      ctx.fill();
      ctx.stroke();
    }
  }

  down(e) {
    if (!this.p) return;
    const x = e.offsetX - 4, s = this.scale, a = s.from / s.full * this.width, b = s.to / s.full * this.width;
    this.canvas.setPointerCapture(e.pointerId);
    this.drag = { x, from: s.from, to: s.to, what: Math.abs(x - a) < 6 ? 'a' : Math.abs(x - b) < 6 ? 'b' : x > a && x < b && !s.whole ? 'pan' : 'new' };
  }

  move(e) {
    const x = e.offsetX - 4, s = this.scale;
    if (!this.drag) {
      if (!s) return;
      const near = Math.min(Math.abs(x - s.from / s.full * this.width), Math.abs(x - s.to / s.full * this.width)) < 6;
      this.canvas.style.cursor = near ? 'ew-resize' : s.whole ? 'crosshair' : 'grab';
      return;
    }
    const d = this.drag, t = Math.max(0, Math.min(s.full, x / this.width * s.full)), by = (x - d.x) / this.width * s.full;
    if (d.what === 'pan') s.set(d.from + by, d.to + by);
    else if (d.what === 'a') s.set(Math.min(t, d.to - s.least), d.to);
    else if (d.what === 'b') s.set(d.from, Math.max(t, d.from + s.least));
    else if (Math.abs(x - d.x) > 3) { const o = Math.max(0, d.x / this.width * s.full); s.set(Math.min(o, t), Math.max(o, t)); }
    this.change();
  }
}
