// The logs of a trace: offset, severity, process mark, one line of body. A log and its span select each other.

import { h, put } from '../dom.js';
import { count, duration, text, exact } from '../format.js';
import { inert, line } from '../inert.js';
import { get, aborted } from '../api.js';
import { failed } from '../nothing.js';

export class Logs {
  // on: {select(spanId), colour(service)}
  constructor(on) {
    this.on = on;
    this.el = h('div.talk.logs', { role: 'list', 'aria-label': 'Logs' });
    this.el.addEventListener('click', (e) => { const r = e.target.closest('.lrow'); if (r && getSelection().isCollapsed) { r.classList.toggle('wide'); if (r.dataset.span) this.on.select(r.dataset.span); } });
  }

  async load(path, cursor = null) {
    if (!cursor) { if (this.ctl) this.ctl.abort(); this.ctl = new AbortController(); }
    try {
      const d = await get(path + '/logs', { cursor }, this.ctl.signal);
      if (!cursor) put(this.el);
      else this.el.lastChild.remove();
      if (!d.total) { put(this.el, h('p.pad.dim', { role: 'listitem' }, 'No logs carry this trace’s id.')); return; }
      this.el.append(...d.rows.map((r) => this.row(r)));
      if (d.next) this.el.append(h('p.pad', null, h('button.link', { onclick: () => this.load(path, d.next) }, 'More of ' + count(d.total))));
    } catch (e) { if (!aborted(e)) put(this.el, failed(e, () => this.load(path))); }
  }

  row(r) {
    const level = r.number >= 17 ? 'err' : r.number >= 13 ? 'warn' : 'dim';
    return h('div.lrow', { role: 'listitem', data: { span: r.span || '' } },
      h('span.dim', { title: exact(r.time) }, (r.start_ns < 0 ? '−' : '+') + text(duration(Math.abs(r.start_ns)))), h('span.' + level, null, line(r.severity)),
      h('i.who', { style: { background: this.on.colour(r.service) }, title: r.service }), h('span.body.mono', null, inert(r.body), r.cut ? h('span.warn', null, ' ' + count(r.cut) + ' bytes left out') : null,
        r.attributes.length ? h('span.attrs', null, r.attributes.map((a) => h('span', null, h('span.dim', null, line(a.key) + ' '), line(a.text)))) : null));
  }

  mark(spans) {
    const set = new Set(spans);
    let first = null;
    for (const el of this.el.children) { const on = !!el.dataset.span && set.has(el.dataset.span); el.classList.toggle('on', on); if (on && !first) first = el; }
    if (first && this.el.clientHeight) first.scrollIntoView({ block: 'nearest' });
  }

  close() { if (this.ctl) this.ctl.abort(); }
}
