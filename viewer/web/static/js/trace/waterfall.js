// The waterfall: rows of text from a pool, the timeline on three canvases over each other. One frame at a time, only the layer that
// changed, no layout read in it.

import { h, put, qty, setText, s } from '../dom.js';
import { duration, percent, plural, text } from '../format.js';
import { flatten, hasBelow, lineOf, places, FOLD, MORE } from './rows.js';
import { ERROR, GHOST, nameOf } from './columns.js';
import { describe, spoken } from './labels.js';
import { Scale } from './scale.js';
import { Minimap } from './minimap.js';
import { find } from './find.js';
import * as paint from './paint.js';
import { read as readColours, colourer } from './colours.js';
import { phone } from '../media.js';
import { load, save } from '../prefs.js';

const SPARE = 8, HIGHEST = 16e6, DUR = 74, SHARE = 66, MARGIN = 20, INDENT = 21;
const ROWS = 1, GRID = 2, BARS = 4, OVER = 8, MAP = 16, WINDOW = 32;
const ALL = 63;

export class Waterfall {
  // on: {select(row, line), change(), open()}
  constructor(on) {
    this.on = on;
    this.view = { pairs: true, folds: true, root: -1, closed: new Set(), open: new Set() };
    this.by = 'process';
    this.nameWidth = load('name', 372);
    this.at = 0;
    this.pool = [];
    this.found = [];
    this.colours = readColours();
    this.scale = new Scale(1);
    this.map = new Minimap(() => this.zoomed());
    this.chip = h('span.toolchips');
    this.says = h('span.says');
    this.finder = h('input.finder', { type: 'text', 'aria-label': 'Find in this trace', placeholder: 'find in names, notes, errors', spellcheck: 'false', autocomplete: 'off', hidden: true });
    this.hits = h('span.dim');
    this.findButton = h('button.findbtn', { onclick: () => this.openFind() }, 'find', h('kbd', null, '/'));
    this.tools = h('div.wftools', null, h('div.wfleft', null, this.chip, this.says, h('span.gap'), this.finder, this.hits, this.findButton), this.map.canvas);
    this.axis = h('canvas.waxis', { 'aria-hidden': 'true' });
    this.grip = h('span.grip', { 'aria-hidden': 'true' });
    this.headRow = h('div.wfhead', { role: 'row' }, h('span.n', { role: 'columnheader' }, 'Span'), this.grip, h('span.d', { role: 'columnheader' }, 'Duration'), h('span.p', { role: 'columnheader' }, 'On path'), this.axis);
    this.space = h('div.space', { role: 'presentation' });
    this.scroller = h('div.wfscroll', { role: 'rowgroup', tabindex: -1 }, this.space);
    this.canvases = ['grid', 'bars', 'over'].map((n) => h('canvas.layer.' + n, { 'aria-hidden': 'true' }));
    this.bodyEl = h('div.wfbody', null, this.scroller, h('div.layers', null, this.canvases));
    this.grid = h('div.wfgrid', { role: 'treegrid', tabindex: 0, 'aria-label': 'Spans' }, this.headRow, this.bodyEl);
    this.el = h('div.wf', null, this.tools, this.grid);
    this.dirty = 0;
    this.top = 0;
    this.size = new ResizeObserver((list) => { for (const e of list) this.resized(e.contentRect.width, e.contentRect.height); });
    this.scroller.addEventListener('scroll', () => { this.scrollTop = this.scroller.scrollTop; this.mark(ROWS | BARS); }, { passive: true });
    this.scroller.addEventListener('click', (e) => this.click(e));
    this.scroller.addEventListener('wheel', (e) => this.wheel(e), { passive: false });
    this.scroller.addEventListener('pointermove', (e) => this.hover(e));
    this.scroller.addEventListener('pointerleave', () => { this.pointer = null; this.mark(OVER); });
    this.scroller.addEventListener('dblclick', (e) => { if (this.timeX(e) >= 0) { this.scale.reset(); this.zoomed(); } });
    this.dragTimeline();
    this.dragName();
    this.finder.addEventListener('input', () => this.search());
    this.finder.addEventListener('keydown', (e) => this.finderKey(e));
    this.scrollTop = 0;
  }

  focus() { this.grid.focus({ preventScroll: true }); }

  mount() { this.size.observe(this.scroller); }

  unmount() { this.size.disconnect(); cancelAnimationFrame(this.frame); }

  themed() { this.colours = readColours(); this.mark(ALL); }

  get row() { return phone.matches ? 44 : 26; }

  get left() { return phone.matches ? 16 : this.nameNow + DUR + SHARE; }

  // nameNow is the name column's width; where space is short it leaves the timeline 240 px.
  get nameNow() { return Math.min(this.nameWidth, Math.max(150, (this.fullWidth || 2000) - DUR - SHARE - MARGIN - 240)); }

  // set shows a model; head is the trace's summary. Open and closed rows, zoom and selection stay.
  set(model, head, now) {
    const id = this.model && this.lines && this.lines.n ? this.model.columns.id[this.lines.row[this.at]] : null;
    this.model = model;
    this.head = head;
    const runs = head.open && model.open.length > 0; // a trace may be open only because its root has not come
    this.now = runs ? now : null;
    this.colour = colourer(head, this.by);
    this.stretch(Math.max(head.duration_ns || 0, Number(BigInt(head.end) - BigInt(head.start))), runs ? now : 0);
    this.layout();
    if (id) { const r = model.columns.id.indexOf(id); if (r >= 0) { const k = lineOf(model, this.lines, r); if (k >= 0) this.at = k; } }
    this.mark(ALL);
  }

  // advance moves what runs to now. The lines stay.
  advance(now) {
    if (!this.model || !this.model.open.length) return;
    this.now = now;
    for (const i of this.model.open) this.model.ends[i] = Math.max(now, this.model.columns.start[i]);
    const full = this.scale.full;
    this.stretch(full, now);
    this.redraw = true;
    this.mark(full === this.scale.full ? ROWS | BARS | OVER : ALL);
  }

  // stretch leaves a running trace some room, so that the scale moves seldom.
  stretch(full, now) { this.scale.grow(now > full * .99 ? now * 1.05 : full); }

  // refresh writes the rows in sight anew.
  refresh(what = ROWS) { this.redraw = true; this.mark(what); }

  // rerooted draws the path that came after the root was made.
  rerooted() { for (const f of this.model.folds) f.spans = undefined; this.refresh(ALL); }

  setBy(by) { this.by = by; if (this.head) this.colour = colourer(this.head, by); this.redraw = true; this.mark(ROWS | BARS | MAP); }

  // layout works out the lines anew.
  layout() {
    const m = this.model;
    this.lines = flatten(m, this.view);
    this.deepest = 0;
    for (let k = 0; k < this.lines.n; k++) if (this.lines.depth[k] > this.deepest) this.deepest = this.lines.depth[k];
    places(this.lines);
    this.at = Math.max(0, Math.min(this.at, this.lines.n - 1));
    for (const f of m.folds) f.spans = undefined;
    this.scaleHeight();
    this.redraw = true;
    this.toolbar();
    this.mark(ALL);
  }

  scaleHeight() {
    const full = this.lines.n * this.row;
    this.squeeze = full > HIGHEST ? (HIGHEST - (this.height || 0)) / (full - (this.height || 0)) : 1;
    this.space.style.height = Math.min(full, HIGHEST) + 'px';
    this.el.style.setProperty('--rows', full + 'px');
    this.grid.setAttribute('aria-rowcount', String(this.lines.n));
  }

  toolbar() {
    const m = this.model, folded = m.folds.length > 0;
    const chip = (on, words, key, f) => h('button.chip' + (on ? '.run' : '.plain'), { onclick: f, 'aria-pressed': String(on) }, words, h('kbd', null, key));
    put(this.chip, folded ? chip(this.view.folds, this.view.folds ? 'repeats folded' : 'fold repeats', 'X', () => this.toggleFolds()) : null,
      !folded || !this.view.pairs ? chip(this.view.pairs, this.view.pairs ? 'calls paired' : 'pair calls', 'p', () => this.togglePairs()) : null,
      this.view.root >= 0 ? chip(true, 'root: ' + nameOf(m.columns, this.view.root), 'R', () => this.makeRoot(-1)) : null);
    setText(this.says, plural(this.head.spans, 'span') + ' in ' + plural(this.lines.n, 'row') + (m.n < this.head.rows ? ', reading on' : ''));
  }

  resized(width, height) {
    this.fullWidth = width;
    this.height = height;
    this.dpr = Math.min(2, devicePixelRatio || 1);
    const w = this.width = Math.max(40, width - this.left - (phone.matches ? 16 : MARGIN));
    this.scale.width = w;
    this.el.style.setProperty('--name', this.nameNow + 'px');
    this.el.style.setProperty('--left', this.left + 'px');
    for (const c of this.canvases) size(c, w + MARGIN, height, this.dpr);
    size(this.axis, w + MARGIN, 24, this.dpr);
    this.map.size(w, this.dpr);
    if (this.lines) this.scaleHeight();
    this.redraw = true;
    this.mark(ALL);
  }

  mark(what) {
    this.dirty |= what;
    if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; this.draw(); });
  }

  params() {
    return { model: this.model, lines: this.lines, view: this.view, scale: this.scale, width: this.width, height: this.height, top: this.top, colours: this.colours, colour: this.colour, row: this.row, drop: phone.matches ? 15 : 0, now: this.now, at: this.pointer };
  }

  draw() {
    const d = this.dirty;
    this.dirty = 0;
    if (!this.model || !this.height) return;
    const over = this.lines.n * this.row - this.height;
    this.top = this.squeeze === 1 ? this.scrollTop : Math.min(over, this.scrollTop / this.squeeze);
    const p = this.params();
    const ctx = (c) => { const x = c.getContext('2d'); x.setTransform(this.dpr, 0, 0, this.dpr, 0, 0); return x; };
    if (d & ROWS) this.drawRows();
    if (d & GRID) paint.grid(ctx(this.canvases[0]), ctx(this.axis), p);
    if (d & BARS) paint.bars(ctx(this.canvases[1]), p);
    if (d & OVER) paint.over(ctx(this.canvases[2]), p);
    if (d & MAP) this.map.draw(p);
    else if (d & WINDOW) this.map.window();
  }

  drawRows() {
    const rh = this.row, n = this.lines.n, want = Math.min(n, Math.ceil(this.height / rh) + SPARE);
    while (this.pool.length < want) { const slot = makeSlot(); this.pool.push(slot); this.space.append(slot.el); }
    while (this.pool.length > want) this.pool.pop().el.remove();
    const first = Math.max(0, Math.min(n - want, Math.floor(this.top / rh) - SPARE / 2));
    const shift = this.squeeze === 1 ? 0 : this.scrollTop - this.top;
    for (let k = first; k < first + want; k++) {
      const slot = this.pool[k % want];
      if (slot.k !== k || this.redraw) this.fill(slot, k);
      const y = k * rh + shift;
      if (slot.y !== y) { slot.el.style.transform = 'translateY(' + y + 'px)'; slot.y = y; }
      const on = k === this.at;
      if (slot.on !== on) { slot.el.setAttribute('aria-selected', String(on)); slot.on = on; if (on) this.grid.setAttribute('aria-activedescendant', slot.el.id); }
    }
    this.redraw = false;
  }

  fill(slot, k) {
    const { model: m, view, lines } = this, c = m.columns, i = lines.row[k], kind = lines.kind[k];
    const d = describe(m, view, lines, k);
    slot.k = k;
    const el = slot.el;
    el.id = 'span-' + k;
    el.dataset.k = k;
    const step = this.indent();
    slot.guides.style.width = Math.min(lines.depth[k] * step, this.nameNow * .6) + 'px';
    slot.guides.style.backgroundSize = step + 'px 100%';
    const chev = kind === FOLD ? (view.open.has(c.id[i]) ? 'open' : 'shut') : kind !== MORE && hasBelow(m, view, i) ? (view.closed.has(i) ? 'shut' : 'open') : '';
    if (slot.chevState !== chev) { slot.chev.className = 'wchev ' + chev; slot.chevState = chev; }
    this.fillMark(slot, d, kind);
    setText(slot.name, d.name);
    slot.name.className = 'wname' + (d.quiet ? ' quiet' : '') + (this.foundSet && this.foundSet.has(d.b) ? ' found' : '');
    setText(slot.note, d.note || '');
    slot.note.className = 'wnote' + (d.warn ? ' warn' : '') + (d.note && /^["[{]/.test(d.note) ? ' mono' : '');
    slot.cell.title = d.name + (d.note ? ' ' + d.note : '');
    if (kind === MORE) { put(slot.dur); put(slot.share); } else {
      fillQty(slot.dur, d.dur == null ? [['unknown', '']] : d.atLeast ? prefixed('≥ ', duration(d.dur)) : duration(d.dur));
      slot.dur.className = 'wdur' + (d.live ? ' acc' : d.dur == null || d.atLeast ? ' dim' : '');
      fillQty(slot.share, d.share == null ? null : percent(d.share));
      slot.share.className = 'wshare' + (d.share ? '' : ' dim');
    }
    el.setAttribute('aria-level', String(lines.depth[k] + 1));
    el.setAttribute('aria-posinset', String(lines.pos[k]));
    el.setAttribute('aria-setsize', String(lines.size[k]));
    if (chev) el.setAttribute('aria-expanded', String(chev === 'open'));
    else el.removeAttribute('aria-expanded');
    el.setAttribute('aria-label', kind === MORE ? d.note : spoken(m, view, this.head, d));
    el.dataset.live = d.live ? '1' : '';
  }

  fillMark(slot, d, kind) {
    const c = this.model.columns, two = d.paired || (kind === FOLD && this.view.pairs && this.model.pair[d.i] >= 0);
    const ghost = kind !== MORE && !!(c.flags[d.b] & GHOST), none = kind === MORE;
    const state = none ? 'none' : ghost ? 'ghost' : two ? 'two' : 'one';
    if (slot.markState !== state) { slot.mark.className = 'pm ' + state; slot.markState = state; }
    if (none || ghost) return;
    const a = 'var(--c' + this.colour(c, d.i) + ')', b = 'var(--c' + this.colour(c, d.b) + ')';
    if (slot.a !== a) { slot.markA.style.background = a; slot.a = a; }
    if (slot.b !== b) { slot.markB.style.background = b; slot.b = b; }
  }

  // indent is 21 px a level, less when the trace is deep.
  indent() {
    const most = phone.matches ? 90 : this.nameNow * .55, step = phone.matches ? 10 : INDENT;
    return this.deepest * step <= most ? step : Math.max(2, Math.floor(most / this.deepest));
  }

  // --- moving

  select(k, quiet = false) {
    if (!this.lines || !this.lines.n) return;
    this.at = Math.max(0, Math.min(this.lines.n - 1, k));
    this.reveal();
    this.mark(ROWS);
    if (!quiet) this.on.select(this.lines.row[this.at], this.at);
  }

  reveal() {
    const rh = this.row, y = this.at * rh;
    const to = y < this.top ? y : y + rh > this.top + this.height ? y + rh - this.height : null;
    if (to == null) return;
    this.scrollTop = to * this.squeeze;
    this.top = to;
    this.scroller.scrollTop = this.scrollTop;
    this.mark(ROWS | BARS);
  }

  // selectRow selects the line that shows a row, opening what hides it.
  selectRow(i, quiet = false) {
    if (i < 0) return;
    const { model: m, view } = this, c = m.columns;
    let changed = false;
    for (let r = c.parent[i]; r >= 0; r = c.parent[r]) if (view.closed.delete(r)) changed = true;
    for (let r = i; r >= 0; r = c.parent[r]) {
      const f = view.folds ? m.foldOf[r] : -1;
      if (f >= 0 && r !== i && !view.open.has(c.id[m.folds[f].members[0]]) && !m.folds[f].odd.some((o) => o.row === r)) { view.open.add(c.id[m.folds[f].members[0]]); changed = true; }
    }
    if (changed) this.layout();
    this.select(lineOf(m, this.lines, i), quiet);
  }

  get selectedRow() { return this.lines && this.lines.n ? this.lines.row[this.at] : -1; }

  get selectedFold() { return this.lines.kind[this.at] === FOLD ? this.model.folds[this.lines.ref[this.at]] : null; }

  toggle(open) {
    const { model: m, view, lines } = this, i = lines.row[this.at], kind = lines.kind[this.at];
    if (kind === FOLD || kind === MORE) {
      const id = m.columns.id[m.folds[lines.ref[this.at]].members[0]], is = view.open.has(id);
      if (open === is) { if (open) this.select(this.at + 1); else this.toParent(); return; }
      if (is) view.open.delete(id); else view.open.add(id);
    } else if (!hasBelow(m, view, i)) { if (open === false) this.toParent(); return; } else {
      const is = !view.closed.has(i);
      if (open === is) { if (open) this.select(this.at + 1); else this.toParent(); return; }
      if (is) view.closed.add(i); else view.closed.delete(i);
    }
    this.layout();
    this.on.change();
  }

  toParent() {
    const depth = this.lines.depth[this.at];
    for (let k = this.at - 1; k >= 0; k--) if (this.lines.depth[k] < depth) { this.select(k); return; }
  }

  keepSelected(change) {
    const i = this.selectedRow;
    change();
    this.layout();
    this.at = Math.max(0, lineOf(this.model, this.lines, i));
    this.reveal();
    this.on.change();
    this.on.select(this.lines.row[this.at], this.at);
  }

  togglePairs() { this.keepSelected(() => { this.view.pairs = !this.view.pairs; }); }

  toggleFolds() { this.keepSelected(() => { this.view.folds = !this.view.folds; this.view.open.clear(); }); }

  // toggleFold unfolds the fold of the selected line, or folds it again.
  toggleFold() {
    const { model: m, view } = this;
    const f = this.selectedFold ? this.lines.ref[this.at] : m.foldOf[this.selectedRow];
    if (f < 0) return;
    const id = m.columns.id[m.folds[f].members[0]];
    this.keepSelected(() => { if (!view.open.delete(id)) view.open.add(id); });
  }

  makeRoot(row) {
    this.view.root = row;
    this.on.root(row);
    this.layout();
    const c = this.model.columns;
    if (row >= 0) this.scale.set(c.start[row], this.model.ends[row]);
    else this.scale.reset();
    this.at = 0;
    this.zoomed();
    this.select(0);
  }

  // jump goes to the next line that fits, round and round.
  jump(fits, back = false) {
    const n = this.lines.n, step = back ? n - 1 : 1;
    for (let q = 0, k = (this.at + step) % n; q < n; q++, k = (k + step) % n) {
      if (this.lines.kind[k] !== MORE && fits(this.lines.row[k], k)) { this.select(k); return true; }
    }
    return false;
  }

  nextError(back) {
    const { model: m, view } = this, c = m.columns;
    const bad = (i) => c.flags[i] & ERROR || (view.pairs && m.pair[i] >= 0 && c.flags[m.pair[i]] & ERROR);
    // errors in closed rows are reached too
    if (view.closed.size) for (let i = 0; i < m.n; i++) if (c.flags[i] & ERROR) for (let r = c.parent[i]; r >= 0; r = c.parent[r]) view.closed.delete(r);
    if (view.closed.size || this.lines.n < m.n) this.layoutKeep();
    return this.jump((i) => bad(i), back);
  }

  layoutKeep() { const i = this.selectedRow; this.layout(); this.at = Math.max(0, lineOf(this.model, this.lines, i)); }

  nextOnPath(back) { return this.jump((i, k) => describe(this.model, this.view, this.lines, k).share > 0, back); }

  zoomed() {
    this.mark(GRID | BARS | OVER | WINDOW);
    this.on.change();
  }

  zoom(factor, about) {
    const i = this.selectedRow, c = this.model.columns;
    const mid = about ?? (i >= 0 ? Math.max(this.scale.from, Math.min(this.scale.to, (c.start[i] + this.model.ends[i]) / 2)) : undefined);
    this.scale.zoom(factor, mid);
    this.zoomed();
  }

  timeX(e) { return e.clientX - this.scroller.getBoundingClientRect().left - this.left; }

  wheel(e) {
    if (e.ctrlKey || e.metaKey) {
      e.preventDefault();
      this.zoom(Math.exp(Math.max(-50, Math.min(50, e.deltaY)) * .01), this.scale.t(Math.max(0, this.timeX(e))));
    } else if (Math.abs(e.deltaX) > Math.abs(e.deltaY) && !this.scale.whole) {
      e.preventDefault();
      this.scale.pan(e.deltaX / this.width);
      this.zoomed();
    }
  }

  hover(e) {
    const x = this.timeX(e);
    this.pointer = x >= 0 && x <= this.width && e.pointerType === 'mouse' && !phone.matches ? x : null;
    this.mark(OVER);
  }

  click(e) {
    const row = e.target.closest('.wrow');
    if (!row || this.dragged) return;
    const k = Number(row.dataset.k);
    if (e.target.closest('.wchev') && row.hasAttribute('aria-expanded')) { this.at = k; this.toggle(); this.mark(ROWS); return; }
    this.select(k);
    if (this.lines.kind[k] === MORE) this.toggle(true);
    else this.on.open();
  }

  // dragging over the timeline zooms to what was dragged over
  dragTimeline() {
    let from = null;
    this.scroller.addEventListener('pointerdown', (e) => { this.dragged = false; const x = this.timeX(e); if (e.pointerType === 'mouse' && e.button === 0 && x >= 0 && x <= this.width) from = x; });
    this.scroller.addEventListener('pointerup', (e) => {
      if (from == null) return;
      const to = Math.max(0, Math.min(this.width, this.timeX(e))), a = Math.min(from, to), b = Math.max(from, to);
      from = null;
      if (b - a < 8) return;
      this.dragged = true;
      this.scale.set(this.scale.t(a), this.scale.t(b));
      this.zoomed();
    });
  }

  dragName() {
    let from = null;
    this.grip.addEventListener('pointerdown', (e) => { from = e.clientX - this.nameWidth; this.grip.setPointerCapture(e.pointerId); e.preventDefault(); });
    this.grip.addEventListener('pointermove', (e) => {
      if (from == null) return;
      this.nameWidth = Math.max(220, Math.min(640, e.clientX - from));
      this.resized(this.fullWidth, this.height);
    });
    this.grip.addEventListener('pointerup', () => { from = null; save('name', this.nameWidth); });
  }

  // --- finding

  openFind() {
    this.finder.hidden = false;
    this.findButton.hidden = true;
    this.finder.focus();
    this.finder.select();
  }

  closeFind() {
    this.finder.hidden = true;
    this.findButton.hidden = false;
    this.found = [];
    this.foundSet = null;
    setText(this.hits, '');
    this.redraw = true;
    this.mark(ROWS);
    this.focus();
  }

  search() {
    this.found = find(this.model.columns, this.finder.value);
    this.foundSet = new Set(this.found);
    this.foundAt = -1;
    this.redraw = true;
    this.mark(ROWS);
    if (this.found.length) this.nextFound(1);
    else setText(this.hits, this.finder.value.trim() ? 'none' : '');
  }

  nextFound(by) {
    const n = this.found.length;
    if (!n) return;
    this.foundAt = (this.foundAt + by + n) % n;
    setText(this.hits, (this.foundAt + 1) + ' of ' + n);
    this.selectRow(this.found[this.foundAt]);
  }

  finderKey(e) {
    if (e.key === 'Enter') this.nextFound(e.shiftKey ? -1 : 1);
    else if (e.key === 'Escape') this.closeFind();
    else return;
    e.preventDefault();
    e.stopPropagation();
  }
}

function size(c, w, hh, dpr) {
  const cw = Math.max(1, Math.round(w * dpr)), ch = Math.max(1, Math.round(hh * dpr));
  if (c.width !== cw || c.height !== ch) { c.width = cw; c.height = ch; }
  c.style.width = w + 'px';
  c.style.height = hh + 'px';
}

function makeSlot() {
  const guides = h('span.guides'), chev = h('span.wchev', { 'aria-hidden': 'true' }, s('svg', { width: 12, height: 12, viewBox: '0 0 12 12' }, s('path', { d: 'M2.5 4L6 7.6 9.5 4', fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5 })));
  const markA = h('i'), markB = h('i'), arrow = s('svg', { width: 7, height: 8, viewBox: '0 0 7 8' }, s('path', { d: 'M0 4h6M3.6 1.6L6 4 3.6 6.4', fill: 'none', stroke: 'var(--ink3)', 'stroke-width': 1.2 }));
  const mark = h('span.pm', { 'aria-hidden': 'true' }, markA, arrow, markB), name = h('span.wname'), note = h('span.wnote');
  const cell = h('span.wcell', { role: 'gridcell' }, guides, chev, mark, name, note), dur = h('span.wdur', { role: 'gridcell' }), share = h('span.wshare', { role: 'gridcell' });
  return { el: h('div.wrow', { role: 'row' }, cell, dur, share), cell, guides, chev, mark, markA, markB, name, note, dur, share, k: -1 };
}

function fillQty(el, q) {
  const t = q == null ? '' : text(q);
  if (el.dataset.t === t) return;
  el.dataset.t = t;
  put(el, q == null ? null : qty(q));
}

function prefixed(p, q) { return [[p + q[0][0], q[0][1]], ...q.slice(1)]; }
