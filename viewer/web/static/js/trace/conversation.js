// What the model, the tools and the verifier said to each other. Everything here is outside text, written as text.

import { h, put, qty } from '../dom.js';
import { count, duration, reward, text } from '../format.js';
import { inert, line } from '../inert.js';
import { fold, saidBy } from './talk.js';
import { pretty } from './panel.js';
import { get, aborted } from '../api.js';
import { failed } from '../nothing.js';

const MOST = 10000, STEP = 400;

export class Conversation {
  // on: {select(spanId), colour(role)}
  constructor(on) {
    this.on = on;
    this.rows = [];
    this.items = [];
    this.open = new Set();
    this.el = h('div.talk', { role: 'list', tabindex: -1, 'aria-label': 'Conversation' });
    this.el.addEventListener('scroll', () => { if (this.el.scrollTop + this.el.clientHeight > this.el.scrollHeight - 400) this.drawMore(); }, { passive: true });
    this.el.addEventListener('click', (e) => { const r = e.target.closest('.trow2'); if (r && getSelection().isCollapsed) this.pick(Number(r.dataset.i)); });
  }

  async load(path, span) {
    if (this.ctl) this.ctl.abort();
    const ctl = this.ctl = new AbortController();
    try {
      let d = await get(path + '/conversation', { span }, ctl.signal);
      const rows = [...d.rows];
      this.show(d, rows);
      while (d.next && rows.length < MOST) {
        d = await get(path + '/conversation', { span, cursor: d.next }, ctl.signal);
        rows.push(...d.rows);
      }
      if (rows.length > d.rows.length) this.show(d, rows);
    } catch (e) { if (!aborted(e)) put(this.el, failed(e, () => this.load(path, span))); }
  }

  close() { if (this.ctl) this.ctl.abort(); }

  show(d, rows) {
    this.d = d;
    this.verdict = d.verify;
    this.rows = rows;
    this.items = fold(rows);
    this.drawn = 0;
    this.at = -1;
    put(this.el);
    if (d.source === 'none') { put(this.el, h('p.pad.dim', { role: 'listitem' }, d.words)); return; }
    if (!rows.length) { put(this.el, h('p.pad.dim', { role: 'listitem' }, 'Nothing has been said yet.')); return; }
    this.drawMore();
    if (this.selected) this.mark(this.selected);
  }

  drawMore() {
    const to = Math.min(this.items.length, this.drawn + STEP);
    for (let i = this.drawn; i < to; i++) this.el.append(this.item(i));
    if (to === this.items.length && this.drawn < to && this.d && this.d.total > this.rows.length) this.el.append(h('p.pad.dim', null, count(this.d.total - this.rows.length) + ' more rows are not shown.'));
    // last, so that row i stays child i
    if (to === this.items.length && this.drawn < to && this.d && this.d.words) this.el.append(h('p.pad.warn', null, this.d.words));
    this.drawn = to;
  }

  item(i) {
    const it = this.items[i], r = it.row;
    const role = r.role === 'tool' || r.type === 'output' ? 'tool' : r.role, colour = this.on.colour(r);
    return h('div.trow2', { role: 'listitem', tabindex: -1, data: { i, span: r.span || '' }, onkeydown: (e) => { if (e.key === 'Enter') { e.preventDefault(); e.stopPropagation(); this.toggle(i); } } },
      h('span.role', null, colour ? h('i.who', { style: { background: colour } }) : h('i.who'), line(role)), this.text(it, i), this.figures(it));
  }

  text(it, i) {
    const r = it.row, times = it.count > 1 ? h('span.times.mono', null, count(it.count) + ' × ') : null, wide = this.open.has(i);
    const cut = r.cut ? h('span.warn', null, ' ' + count(r.cut) + ' bytes left out') : null;
    switch (r.type) {
      case 'call': return h('span.said.mono', null, times, h('b', null, line(r.name)), '(', wide ? inert(pretty(r.text)) : line(r.text), ')', cut);
      case 'output': return h('span.said.mono.mid', null, times, wide ? inert(pretty(r.text)) : line(r.text), cut);
      case 'verify': return this.verify();
      case 'reasoning': return h('span.said.dim', null, h('span.lab', null, 'reasoning '), inert(r.text), cut);
      case 'other': return h('span.said.mono.mid', null, h('b', null, line(r.name)), ' ', wide ? inert(pretty(r.text)) : line(r.text), cut);
      default: return h('span.said.words', null, inert(r.text), cut);
    }
  }

  verify() {
    const v = this.verdict;
    if (!v) return h('span.said.dim', null, 'no answer from the verifier');
    return h('span.said', null, v.reward == null ? h('span.dim', null, 'no reward') : ['reward ', h('b', null, reward(v.reward))], h('span.why', null, v.fields.slice(0, 8).map((f, k) => [k ? ', ' : ' ', line(f.key) + ' ', h('span.mono', null, line(f.text.slice(0, 200)))])));
  }

  figures(it) {
    const r = it.row, parts = [];
    if (r.turn != null && r.role === 'assistant' && (r.tokens != null || r.duration_ns != null)) parts.push('turn ' + r.turn);
    if (r.tokens != null) parts.push(count(r.tokens) + ' tok');
    const el = h('span.fig', null, parts.join(' · '));
    if (r.duration_ns != null) el.append(parts.length ? ' · ' : '', qty(duration(r.duration_ns)));
    return el;
  }

  toggle(i) {
    if (!this.open.delete(i)) this.open.add(i);
    const old = this.el.children[i], el = this.item(i);
    if (old.classList.contains('on')) el.classList.add('on');
    old.replaceWith(el);
    el.focus();
  }

  pick(i) {
    const r = this.items[i].row;
    this.at = i;
    this.focusRow(i);
    if (r.span) this.on.select(r.span);
  }

  focusRow(i) {
    for (const el of this.el.querySelectorAll('.on')) el.classList.remove('on');
    const el = this.el.children[i];
    if (el) el.classList.add('on');
  }

  // mark marks the rows of the selected spans, and brings the first into sight.
  mark(spans) {
    this.selected = spans;
    const set = new Set(spans), first = this.items.findIndex((it) => it.rows.some((r) => r.span && set.has(r.span)));
    for (const el of this.el.querySelectorAll('.on')) el.classList.remove('on');
    if (first < 0) return;
    while (this.drawn <= first && this.drawn < this.items.length) this.drawMore();
    // of the rows of one span, the last but outputs first: the call's own answer
    const at = this.at >= 0 && this.items[this.at] && this.items[this.at].row.span && set.has(this.items[this.at].row.span) ? this.at : first;
    const el = this.el.children[at];
    if (!el) return;
    el.classList.add('on');
    if (this.el.clientHeight) el.scrollIntoView({ block: 'nearest' });
  }

  of(spans) { return saidBy(this.rows, spans); }

  move(by) {
    const i = Math.max(0, Math.min(this.items.length - 1, this.at + by));
    while (this.drawn <= i && this.drawn < this.items.length) this.drawMore();
    this.pick(i);
    const el = this.el.children[i];
    if (el) { el.focus(); el.scrollIntoView({ block: 'nearest' }); }
  }
}

