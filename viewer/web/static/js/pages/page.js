// What pages have in common: questions that end with the page, and an error that stands where the data would be.

import { h } from '../dom.js';
import { get, aborted } from '../api.js';
import { count } from '../format.js';
import { failed } from '../nothing.js';

export class Page {
  constructor(app) {
    this.app = app;
    this.el = h('div.page');
    this.ctl = new AbortController();
    this.keys = [];
  }

  get(path, params) { return get(path, params, this.ctl.signal); }

  // attempt runs a load; a failure is shown in `where` unless data is there already.
  async attempt(where, load) {
    try {
      await load();
      return true;
    } catch (e) {
      if (aborted(e) || this.ctl.signal.aborted) return false;
      if (where) where.replaceChildren(failed(e, () => this.attempt(where, load)));
      return false;
    }
  }

  // soon does f after a while, once for all who ask meanwhile, and not again before it is done. Who asks late does not put it
  // off: while a run goes on updates never pause.
  soon(ms, f) {
    if (this.waiting) { this.again = true; return; }
    this.waiting = setTimeout(async () => {
      this.again = false;
      try { await f(); } finally { this.waiting = 0; }
      if (this.again && !this.ctl.signal.aborted) this.soon(ms, f);
    }, ms);
  }

  // grow appends the next rows to a table, one page at a time. What was asked for before the list was loaded anew is left out.
  async grow(table, path, params) {
    const cursor = this.next;
    if (!cursor || this.loading) return;
    this.loading = true;
    await this.attempt(null, async () => {
      const d = await this.get(path, { ...params, cursor });
      if (table !== this.table || cursor !== this.next) return;
      this.next = d.next;
      table.append(d.rows);
    });
    this.loading = false;
  }

  // waits says behind an element how many new rows wait; pressed, it lets them in.
  waits(n, behind) {
    if (this.chip) this.chip.remove();
    this.chip = n ? h('button.chip.run', { onclick: () => this.takeUpdates() }, count(n) + ' new', h('kbd', null, '.')) : null;
    if (this.chip) behind.after(this.chip);
  }

  params() {}

  close() {
    this.ctl.abort();
    clearTimeout(this.waiting);
  }
}
