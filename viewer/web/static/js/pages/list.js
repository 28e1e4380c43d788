// What pages have in common that are one list: a filter, a table that grows by pages and by updates, and two marked rows to compare.

import { Page } from './page.js';
import { Table, outlines } from '../table.js';
import { Filter } from '../filter.js';
import { h, put } from '../dom.js';
import { LISTS, command } from '../help.js';
import { noMatch, bestDrop, failed } from '../nothing.js';
import { aborted, Latest } from '../api.js';
import { toast } from '../toast.js';
import { copyTable } from '../copying.js';

// A subclass has show(d, live), which draws an answer.
export class ListPage extends Page {
  // list: {noun, title, path, placeholder, compare, columns, key(row), url(row), comparison(a, b), small(row)}; noun is one of the rows,
  // compare what the button says, and a and b are keys.
  constructor(app, params, list) {
    super(app);
    this.keys = [LISTS];
    this.list = list;
    this.ask = new Latest();
    this.q = params.get('q') || '';
    this.filter = new Filter({ placeholder: list.placeholder, for: list.noun + 's', apply: (q) => { this.q = q; app.router.set({ q }); this.load(); }, leave: () => this.table.el.focus() });
    this.filter.set(this.q);
    this.note = h('span.note');
    this.head = h('div.head.runs', null, h('div.titleline', null, h('h1', null, list.title), this.note, h('span.gap')), h('div.filterline', null, this.filter.el, h('button.btn', { onclick: () => this.compareMarked() }, list.compare)));
    this.table = new Table({
      id: list.noun, label: list.title, columns: list.columns, key: list.key, sort: params.get('sort') || '', open: (r) => app.go(list.url(r)),
      onSort: (s) => { app.router.set({ sort: s }); this.load(); }, mark: () => {}, more: () => this.grow(this.table, list.path, { q: this.q, sort: this.table.o.sort }), pending: (n) => this.waits(n, this.note), small: list.small,
    });
  }

  open() {
    this.app.title([this.list.title]);
    this.app.top.show(this.list.path, [[this.list.title]]);
    put(this.body, outlines(this.list.columns));
    this.load();
  }

  params(p) {
    const q = p.get('q') || '';
    if (q === this.q) return;
    this.q = q;
    this.filter.set(q);
    this.load();
  }

  close() {
    super.close();
    this.ask.stop();
    this.table.unmount();
  }

  // fetch asks for the first rows.
  fetch(q) { return this.ask.get(this.list.path, { q, sort: this.table.o.sort }); }

  async load(live = false, q = this.q) {
    try {
      const d = await this.fetch(q);
      if (this.ctl.signal.aborted) return;
      if (q === this.filter.query) this.filter.complain('');
      this.next = d.next;
      this.head.hidden = false;
      this.show(d, live);
    } catch (e) {
      if (aborted(e)) return;
      if (e.query) {
        this.filter.refuse(e);
        if (!this.drawn) await this.load(live, ''); // a wrong filter in a link must not hide what there is
      } else if (!live) { this.drawn = false; put(this.body, failed(e, () => this.load())); }
    }
  }

  // nothing is shown in the place of everything when there is nothing to filter.
  nothing(el) {
    this.head.hidden = true;
    this.drawn = false;
    put(this.body, el);
  }

  // none says why no row matches, and which term to drop. total is the number of all rows, or null to ask for it.
  async none(total, place) {
    const { path, noun } = this.list, q = this.q, ask = async (x) => (await this.get(path, { q: x, limit: 1 })).matched;
    const [hint, all] = await Promise.all([bestDrop(q, ask).catch(() => null), total ?? ask('').catch(() => 0)]);
    if (q === this.q && !this.ctl.signal.aborted) place(noMatch(noun + 's', all, q, (x) => { this.filter.set(x); this.filter.apply(); }, hint));
  }

  takeUpdates() { return this.table.take(); }

  compareMarked() {
    const m = [...this.table.marked];
    if (m.length === 2) this.app.go('/compare?' + this.list.comparison(...m));
    else toast('Mark two ' + this.list.noun + 's first', 'Press Space on each of them, then c.');
  }

  key(e) {
    if (e.key === '/') { this.filter.focus(); return true; }
    if (e.key === 'c') { this.compareMarked(); return true; }
    if (e.key === 'Y') { copyTable(this.table.data(), this.table.total); return true; }
    return this.drawn ? this.table.key(e) : false;
  }

  up() {
    return this.filter.clear();
  }

  command() { return command(this.q); }
}
