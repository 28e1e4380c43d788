// The logs of a run, the latest first: by level and text. While they are read, new ones wait.

import { h, put, setText } from './dom.js';
import { clock, count, exact, plural, since } from './format.js';
import { ms } from './clock.js';
import { inert, line } from './inert.js';
import { Latest, aborted } from './api.js';
import { failed } from './nothing.js';
import * as glyph from './glyph.js';

const LEVELS = [['', 'all'], ['debug', 'debug and above'], ['info', 'info and above'], ['warn', 'warn and above'], ['error', 'error and above'], ['fatal', 'fatal']];
const ORDER = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

export class RunLogs {
  // o: {run, level, text, set(params), fresh(n)}
  constructor(o) {
    this.o = o;
    this.level = o.level;
    this.text = o.text;
    this.at = -1;
    this.latest = new Latest();
    this.choice = h('select', { 'aria-label': 'Level', onchange: (e) => { this.level = e.target.value; this.ask(); } });
    this.input = h('input', { type: 'text', 'aria-label': 'Text in the logs', placeholder: 'text in a message or attribute', value: this.text, oninput: () => { clearTimeout(this.typed); this.typed = setTimeout(() => { this.text = this.input.value.trim(); this.ask(); }, 250); },
      onkeydown: (e) => { if (e.key === 'Escape') { e.stopPropagation(); if (this.input.value) { this.input.value = this.text = ''; this.ask(); } else this.list.focus(); } else if (e.key === 'Enter') this.list.focus(); } });
    this.note = h('span.matches');
    this.list = h('div.runlogs', { role: 'list', tabindex: 0, 'aria-label': 'Logs' });
    this.head = h('div.loghead', null, h('label.pick', null, this.choice, glyph.chevron()), h('label.field', null, glyph.search(), this.input), this.note);
    this.el = h('div.chartpage', null, this.head, this.list);
    this.list.addEventListener('click', (e) => { const r = e.target.closest('.lrow'); if (r && !e.target.closest('a') && getSelection().isCollapsed) { this.select([...this.list.children].indexOf(r)); r.classList.toggle('wide'); } });
    this.list.addEventListener('pointerenter', () => { this.hover = true; });
    this.list.addEventListener('pointerleave', () => { this.hover = false; });
  }

  ask() {
    this.o.set({ level: this.level, text: this.text });
    this.load();
  }

  async load(cursor = null) {
    try {
      const d = await this.latest.get('/runs/' + encodeURIComponent(this.o.run || '-') + '/logs', { level: this.level, text: this.text, cursor });
      this.show(d, cursor);
    } catch (e) {
      if (aborted(e)) return;
      put(this.list, failed(e, () => this.load()));
    }
  }

  show(d, cursor) {
    if (!cursor) { this.total = d.total; this.searched = 0; this.at = -1; this.rows = []; put(this.list); this.o.fresh(0); } else this.list.lastChild.remove();
    this.searched += d.searched;
    this.matched = d.matched ?? undefined; // of a text nobody counts them
    this.rows.push(...d.rows);
    this.list.append(...d.rows.map((r) => this.row(r)));
    if (d.next) this.list.append(h('p.pad', null, h('button.link', { onclick: () => this.load(d.next) }, this.text ? 'Search on: ' + count(this.searched) + ' of ' + count(d.total) + ' searched' : 'More')));
    else if (!this.rows.length) this.list.append(this.none(d));
    if (d.problem) this.list.append(h('p.pad.warn', null, d.problem));
    this.drawLevels(d.levels);
    setText(this.note, d.matched != null ? (d.matched === d.total ? plural(d.total, 'record') : count(d.matched) + ' of ' + plural(d.total, 'record')) + ' · latest first' : count(this.rows.length) + (d.next ? ' found so far' : ' found'));
  }

  drawLevels(n) {
    const from = (l) => (l ? ORDER.slice(ORDER.indexOf(l)) : Object.keys(n)).reduce((sum, k) => sum + (n[k] || 0), 0);
    put(this.choice, LEVELS.map(([v, name]) => h('option', { value: v, selected: v === this.level }, name + (n.info == null ? '' : ' · ' + count(from(v))))));
  }

  none(d) {
    if (d.total || this.level || this.text) {
      return h('div.none', null, 'None of ' + plural(d.total || 0, 'record') + ' fits. ', h('button.link', { onclick: () => { this.level = this.text = this.input.value = ''; this.ask(); } }, 'Show all'));
    }
    return h('div.none', null, h('p', null, 'No logs of this run are stored.'), h('p', null, 'Logs come over OTLP, as spans do (OTEL_LOGS_EXPORTER=otlp). A run’s logs are those whose resource has nemo.run.id.'));
  }

  row(r) {
    const level = r.level === 'error' || r.level === 'fatal' ? 'err' : r.level === 'warn' ? 'warn' : 'dim';
    return h('div.lrow', { role: 'listitem' }, h('span.dim', { title: r.time === '0' ? 'no time' : exact(r.time) }, r.time === '0' ? '' : r.since_run_ns == null ? clock(ms(r.time)) : since(r.since_run_ns)), h('span.' + level, null, line(r.severity)), h('span.cut.mid', { title: r.service }, line(r.service)),
      h('span.body.mono', null, inert(r.body), r.cut ? h('span.warn', null, ' ' + count(r.cut) + ' bytes left out') : null,
        r.attributes.length ? h('span.attrs', null, r.attributes.map((a) => h('span', null, h('span.dim', null, line(a.key) + ' '), line(a.text)))) : null),
      r.trace ? h('a.link', { href: '/traces/' + r.trace + '?at=' + r.at + (r.span ? '&span=' + r.span : '') + '&tab=logs' }, 'trace') : h('span'));
  }

  // update is told how many there are by now. What is being read stays.
  update(n) {
    if (n == null || n === this.total) return;
    if (this.list.scrollTop > 0 || this.hover || this.el.contains(document.activeElement)) { this.o.fresh(Math.max(0, n - this.total)); return; }
    this.load();
  }

  takeUpdates() {
    this.list.scrollTop = 0;
    this.load();
    return true;
  }

  select(i) {
    const list = [...this.list.querySelectorAll('.lrow')];
    if (!list.length) return true;
    this.at = Math.max(0, Math.min(list.length - 1, i));
    list.forEach((el, k) => el.classList.toggle('on', k === this.at));
    list[this.at].scrollIntoView({ block: 'nearest' });
    return true;
  }

  key(e) {
    const rows = this.list.querySelectorAll('.lrow'), row = rows[this.at];
    switch (e.key) {
      case '/': this.input.focus(); return true;
      case 'j': case 'ArrowDown': return this.select(this.at + 1);
      case 'k': case 'ArrowUp': return this.select(this.at - 1);
      case 'Home': return this.select(0);
      case 'End': return this.select(rows.length - 1);
      case 'Enter': if (!row || e.target.closest('a, button, select, [role=tab]')) return false; row.classList.toggle('wide'); return true;
      default: return false;
    }
  }

  data() { return { heads: ['time', 'level', 'service', 'body', 'trace', 'span'], rows: (this.rows || []).map((r) => [r.time, r.level, r.service, r.body, r.trace, r.span]) }; }

  close() { this.latest.stop(); clearTimeout(this.typed); }
}
