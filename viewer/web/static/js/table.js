// A table of many rows, drawn by a pool of the visible ones. Selection, marks, sorting and copying are here, so that every
// list behaves alike. Rows that are being read keep their place: while the table has the pointer or the focus, new rows wait.

import { h, put } from './dom.js';
import { phone, oneScroll } from './media.js';
import { line } from './inert.js';

const SPARE = 8;

// opened is the row that was opened last, by table: who comes back finds it selected.
const opened = new Map();

export class Table {
  // o: {label, columns, key(row), open(row), small(row), sort, onSort(sort), more(), pending(n), height}
  // A column: {id, head, width, right, sort, rank, cell(row), text(row)}; head may be a function. Where the columns do not fit,
  // those with the highest rank give way, so that nothing scrolls sideways. Copies have all of them.
  constructor(o) {
    this.o = o;
    this.rows = [];
    this.total = 0;
    this.at = o.unselected ? -1 : 0;
    this.marked = new Set();
    this.where = location.pathname + ' ' + (o.id || '');
    this.waiting = null;
    this.pool = [];
    this.columns = this.shown = o.columns;
    this.head = h('div.thead', { role: 'row' });
    this.space = h('div.space', { role: 'presentation' });
    this.body = h('div.tbody', { role: 'rowgroup', tabindex: -1 }, this.space);
    this.el = h('div.table', { role: 'grid', tabindex: 0, 'aria-label': o.label, 'aria-readonly': 'true' }, h('div', { role: 'rowgroup' }, this.head), this.body);
    this.el.addEventListener('click', (e) => this.click(e));
    this.el.addEventListener('pointerenter', () => { this.hover = true; });
    this.el.addEventListener('pointerleave', () => { this.hover = false; });
    this.el.addEventListener('focus', () => this.draw());
    this.onScroll = () => this.soon();
    this.size = new ResizeObserver(() => { this.measure(); this.draw(true); });
    this.onLayout = () => { this.detach(); this.attach(); };
    this.drawHead();
  }

  // mount is called when the element is in the page.
  mount() {
    oneScroll.addEventListener('change', this.onLayout);
    this.attach();
  }

  unmount() {
    oneScroll.removeEventListener('change', this.onLayout);
    this.detach();
    cancelAnimationFrame(this.frame);
  }

  // attach finds what scrolls: the table, or the page around it.
  attach() {
    const around = oneScroll.matches || this.el.closest('.stack') ? this.el.closest('.scroll') : null;
    this.scroller = around || this.body;
    this.scroller.addEventListener('scroll', this.onScroll, { passive: true });
    this.size.observe(this.scroller);
    this.measure();
    this.draw(true);
  }

  detach() {
    this.size.disconnect();
    if (this.scroller) this.scroller.removeEventListener('scroll', this.onScroll);
  }

  get rowHeight() { return phone.matches && this.o.small ? 56 : this.o.height || 28; }

  reading() { return this.hover || this.el.contains(document.activeElement); }

  // set shows rows. live: they are an update of what is shown, so what is being read keeps its place.
  set(rows, { total, live = false } = {}) {
    this.total = total ?? rows.length;
    if (this.headed !== this.o.sort) this.drawHead();
    if (live && this.rows.length && this.reading()) return this.keep(rows);
    const id = this.rows[this.at] && this.o.key(this.rows[this.at]);
    this.rows = rows;
    this.waiting = null;
    if (this.o.pending) this.o.pending(0);
    const again = live ? rows.findIndex((r) => this.o.key(r) === id) : this.o.unselected ? -1 : 0;
    this.at = again >= 0 ? again : Math.min(this.at, Math.max(0, rows.length - 1));
    this.place();
    if (!live && this.scroller) this.scroller.scrollTop = this.scroller === this.body ? 0 : Math.min(this.scroller.scrollTop, this.top || 0);
    this.draw(true);
    if (!live) this.recall();
  }

  // recall selects what was opened from here before, once.
  recall() {
    const i = opened.has(this.where) ? this.rows.findIndex((r) => this.o.key(r) === opened.get(this.where)) : -1;
    opened.delete(this.where);
    if (i > 0) this.select(i);
  }

  keep(rows) {
    const next = new Map(rows.map((r) => [this.o.key(r), r]));
    this.rows = this.rows.map((r) => next.get(this.o.key(r)) || r);
    const known = new Set(this.rows.map(this.o.key));
    const fresh = rows.filter((r) => !known.has(this.o.key(r))).length;
    this.waiting = rows;
    if (this.o.pending) this.o.pending(fresh);
    this.draw(true);
  }

  // take lets waiting rows in.
  take() {
    if (!this.waiting) return false;
    const rows = this.waiting, hover = this.hover;
    this.hover = false;
    const id = this.rows[this.at] && this.o.key(this.rows[this.at]);
    this.rows = rows;
    this.at = Math.max(0, rows.findIndex((r) => this.o.key(r) === id));
    this.waiting = null;
    this.hover = hover;
    this.o.pending(0);
    this.draw(true);
    return true;
  }

  // append takes the next rows. Where newer ones wait, these go on from them: some may be shown already.
  append(rows) {
    if (this.waiting) this.waiting = this.waiting.concat(rows);
    const known = new Set(this.rows.map(this.o.key));
    this.rows = this.rows.concat(rows.filter((r) => !known.has(this.o.key(r))));
    this.draw();
  }

  get selected() { return this.rows[this.at]; }

  setColumns(columns) {
    this.columns = columns;
    this.fit();
    this.drawHead();
    this.draw(true);
  }

  drawHead() {
    this.headed = this.o.sort;
    const sort = this.o.sort || '', by = sort.replace('-', '');
    this.el.style.setProperty('--cols', this.shown.map((c) => c.width).join(' '));
    put(this.head, this.shown.map((c) => {
      const on = c.sort && (c.sort === by || (!by && c.first)), arrow = on && (c.sort === by || c.first === 'arrow');
      const label = typeof c.head === 'function' ? c.head() : c.head;
      const el = h('span.th' + (c.right ? '.r' : '') + (on ? '.on' : ''), { role: 'columnheader', 'aria-sort': arrow ? (sort && !sort.startsWith('-') ? 'ascending' : 'descending') : null });
      const inner = c.sort ? h('button', { tabindex: -1, data: { sort: c.sort } }, label) : label;
      put(el, inner, arrow && h('span.arrow', { 'aria-hidden': 'true' }, sort && !sort.startsWith('-') ? '↑' : '↓'));
      return el;
    }));
  }

  // setSort asks for another order. The head tells of it when the rows have it.
  setSort(sort) {
    this.o.sort = sort;
    this.o.onSort(sort);
  }

  // sortBy sorts by a column; a second time the other way round.
  sortBy(id) {
    const cur = this.o.sort || '';
    this.setSort(cur === '-' + id ? id : '-' + id);
  }

  // fit leaves out columns until the rest has room; true when that changed.
  fit() {
    const before = this.shown;
    this.shown = this.columns;
    while (this.width && this.shown.reduce((n, c) => n + parseFloat(/[\d.]+/.exec(c.width)[0]), 0) > this.width) {
      const most = Math.max(...this.shown.map((c) => c.rank || 0));
      if (!most) break;
      this.shown = this.shown.filter((c) => c.rank !== most);
    }
    return before.length !== this.shown.length;
  }

  measure() {
    if (!this.scroller) return;
    this.view = this.scroller.clientHeight;
    this.width = this.scroller.clientWidth;
    if (this.fit()) this.drawHead();
    this.place();
  }

  // place finds where the rows begin in what scrolls.
  place() {
    this.top = 0;
    if (this.scroller && this.scroller !== this.body) this.top = this.body.getBoundingClientRect().top - this.scroller.getBoundingClientRect().top + this.scroller.scrollTop;
  }

  soon() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => { this.frame = 0; this.draw(); });
  }

  // draw fills the pool. Only rows that came into sight are filled, unless all is set.
  draw(all = false) {
    if (!this.scroller) return;
    const rh = this.rowHeight, n = this.rows.length;
    this.space.style.height = n * rh + 'px';
    this.el.setAttribute('aria-rowcount', String(this.total + 1));
    const want = Math.min(n, Math.ceil(this.view / rh) + SPARE);
    while (this.pool.length < want) {
      const el = h('div.row', { role: 'row' });
      this.pool.push({ el, i: -1 });
      this.space.append(el);
    }
    while (this.pool.length > want) this.pool.pop().el.remove();
    const first = Math.max(0, Math.min(n - want, Math.floor((this.scroller.scrollTop - this.top) / rh) - SPARE / 2));
    for (let i = first; i < first + want; i++) {
      const slot = this.pool[i % want];
      if (all || slot.i !== i) this.fill(slot, i, rh);
      this.state(slot, i);
    }
    const sel = want && this.at >= 0 ? this.pool[this.at % want] : null;
    if (sel && sel.i === this.at) this.el.setAttribute('aria-activedescendant', sel.el.id);
    else this.el.removeAttribute('aria-activedescendant');
    if (this.o.more && first + want >= n - 20 && n < this.total) this.o.more();
  }

  fill(slot, i, rh) {
    slot.i = i;
    const r = this.rows[i], el = slot.el;
    el.id = (this.o.id || 'row') + '-' + i;
    el.dataset.i = i;
    el.style.transform = 'translateY(' + i * rh + 'px)';
    el.style.height = rh + 'px';
    el.setAttribute('aria-rowindex', String(i + 2));
    el.classList.toggle('small', phone.matches && !!this.o.small);
    if (this.o.rowClass) el.dataset.kind = this.o.rowClass(r) || '';
    if (phone.matches && this.o.small) { put(el, h('span', { role: 'gridcell' }, this.o.small(r))); return; }
    put(el, this.shown.map((c) => {
      const td = h('span.td' + (c.right ? '.r' : '') + (c.mono ? '.mono' : ''), { role: 'gridcell' });
      const v = c.cell(r);
      put(td, v);
      if (typeof v === 'string' && v.length > 12) td.title = line(v);
      return td;
    }));
  }

  state(slot, i) {
    const on = i === this.at, mark = this.marked.has(this.o.key(this.rows[i]));
    if (slot.on !== on || slot.mark !== mark) {
      slot.el.setAttribute('aria-selected', String(on));
      slot.el.classList.toggle('marked', mark);
      slot.on = on;
      slot.mark = mark;
    }
  }

  openSelected(e) {
    opened.set(this.where, this.o.key(this.selected));
    this.o.open(this.selected, e);
  }

  click(e) {
    const sort = e.target.closest('[data-sort]');
    if (sort) { this.sortBy(sort.dataset.sort); return; }
    const row = e.target.closest('.row');
    if (!row || e.target.closest('a, button')) return;
    this.at = Number(row.dataset.i);
    this.draw();
    if (getSelection().isCollapsed) this.openSelected(e);
  }

  select(i) {
    if (!this.rows.length) return;
    this.at = Math.max(0, Math.min(this.rows.length - 1, i));
    const rh = this.rowHeight, y = this.at * rh + this.top, s = this.scroller;
    const head = s === this.body ? 0 : this.head.offsetHeight; // it stays above the rows
    if (s !== this.body && this.at === 0) s.scrollTop = 0;
    else if (y - head < s.scrollTop) s.scrollTop = y - head;
    else if (y + rh > s.scrollTop + this.view) s.scrollTop = y + rh - this.view;
    this.draw();
  }

  // key answers a list's keys; true when it did.
  key(e) {
    const page = Math.max(1, Math.floor(this.view / this.rowHeight) - 1);
    switch (e.key) {
      case 'j': case 'ArrowDown': this.select(this.at + 1); return true;
      case 'k': case 'ArrowUp': this.select(this.at - 1); return true;
      case 'Home': this.select(0); return true;
      case 'End': this.select(this.rows.length - 1); return true;
      case 'PageDown': this.select(this.at + page); return true;
      case 'PageUp': this.select(this.at - page); return true;
      case 'Enter':
        if (!this.selected || (e.target.closest && e.target.closest('a, button, [role=tab]') && !this.el.contains(e.target))) return false;
        this.openSelected(e);
        return true;
      case ' ':
        if (!this.o.mark || !this.selected || (e.target.closest && e.target.closest('button, a'))) return false;
        this.toggleMark();
        return true;
      case 's': this.nextSort(); return true;
      case 'S': if (this.o.sort) this.setSort(this.o.sort.startsWith('-') ? this.o.sort.slice(1) : '-' + this.o.sort); return true;
      default: return false;
    }
  }

  toggleMark() {
    const k = this.o.key(this.selected);
    if (!this.marked.delete(k)) this.marked.add(k);
    while (this.marked.size > 2) this.marked.delete(this.marked.values().next().value);
    this.o.mark(this.marked);
    this.draw();
  }

  nextSort() {
    const ids = this.columns.filter((c) => c.sort).map((c) => c.sort);
    if (!ids.length) return;
    const cur = ids.indexOf((this.o.sort || '').replace('-', ''));
    this.setSort('-' + ids[(cur + 1) % ids.length]);
  }

  // data is what the table holds, as plain values.
  data() {
    const cols = this.columns.filter((c) => c.text);
    return { heads: cols.map((c) => c.id), rows: this.rows.map((r) => cols.map((c) => c.text(r))) };
  }
}

// outlines stand for rows while the first answer is awaited.
export function outlines(columns, n = 3) {
  return Array.from({ length: n }, (_, i) => h('div.outline', { 'aria-hidden': 'true', style: { 'grid-template-columns': columns.map((c) => c.width).join(' ') } },
    columns.map((c, k) => h('i', { style: { width: (40 + (i * 23 + k * 31) % 50) + '%' } }))));
}
