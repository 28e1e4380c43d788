// The filter box: finished terms become tokens, what is being typed is completed. The server says what matches and what is wrong.

import { h, put } from './dom.js';
import { search, close } from './glyph.js';
import { terms, term, join, withTerm, complaint } from './query.js';
import { Latest, aborted } from './api.js';
import { count } from './format.js';
import { phone } from './media.js';
import { inert } from './inert.js';
import { toast } from './toast.js';

export class Filter {
  // o: {placeholder, for, run, apply(q), runs}
  constructor(o) {
    this.o = o;
    this.tokens = [];
    this.list = [];
    this.at = 0;
    this.ask = new Latest();
    this.box = h('span.tokens');
    this.input = h('input', { type: 'text', role: 'combobox', 'aria-label': 'Filter', 'aria-expanded': 'false', 'aria-autocomplete': 'list', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off' });
    this.hint = h('kbd', { 'aria-hidden': 'true' }, '/');
    this.pop = h('div.pop.complete', { hidden: true });
    this.words = h('div.complaint', { role: 'alert', hidden: true });
    this.el = h('div.filter', null, h('div.fbox', { onclick: () => this.input.focus() }, search(), this.box, this.input, this.hint), this.pop, this.words);
    this.input.addEventListener('input', () => this.typed());
    this.input.addEventListener('keydown', (e) => this.key(e));
    this.input.addEventListener('blur', () => setTimeout(() => { if (document.activeElement !== this.input) this.closePop(); }, 120));
    this.drawTokens();
  }

  get query() { return join([...this.tokens, ...(this.input.value.trim() ? [this.input.value.trim()] : [])]); }

  set(q) {
    if (q === this.query) return;
    this.tokens = terms(q).map((t) => t.raw);
    this.input.value = '';
    this.drawTokens();
  }

  focus() { this.input.focus(); }

  add(raw) {
    this.set(withTerm(this.query, raw));
    this.apply();
  }

  // clear drops the filter, and says how to have it back; false when there is none.
  clear() {
    const q = this.query;
    if (!q) return false;
    this.set('');
    this.apply();
    toast('Filter cleared', q, { action: ['Undo', () => { this.set(q); this.apply(); }] });
    return true;
  }

  drawTokens() {
    put(this.box, this.tokens.map((raw, i) => h('span.tok', null, tokenParts(raw),
      h('button', { 'aria-label': 'Drop ' + raw, tabindex: -1, onclick: (e) => { e.stopPropagation(); this.tokens.splice(i, 1); this.drawTokens(); this.apply(); this.input.focus(); } }, close()))));
    this.input.placeholder = this.tokens.length ? '' : phone.matches ? 'Filter' : this.o.placeholder;
    this.hint.hidden = this.tokens.length > 0;
  }

  typed() {
    const v = this.input.value = this.input.value.trimStart();
    if (/\s$/.test(v)) {
      const list = terms(v);
      if (list.length && !list[list.length - 1].open) { this.tokens.push(...list.map((t) => t.raw)); this.input.value = ''; this.drawTokens(); this.apply(); }
    }
    const word = this.input.value;
    if (word.replace('-', '').length >= 2) this.complete(word);
    else this.closePop();
  }

  async complete(word) {
    try {
      const d = await this.ask.get('/complete', { for: this.o.for, run: this.o.run, text: word });
      if (this.input.value !== word || document.activeElement !== this.input) return;
      this.list = d.rows.slice(0, 8);
      this.at = 0;
      this.drawPop();
    } catch (e) { if (!aborted(e)) this.closePop(); }
  }

  drawPop() {
    this.pop.hidden = !this.list.length;
    this.input.setAttribute('aria-expanded', String(!this.pop.hidden));
    if (this.pop.hidden) return;
    this.pop.id = this.pop.id || 'complete';
    this.input.setAttribute('aria-controls', this.pop.id);
    put(this.pop, h('ul', { role: 'listbox' }, this.list.map((c, i) => h('li', { role: 'option', id: 'complete-' + i, 'aria-selected': String(i === this.at), onpointerdown: (e) => { e.preventDefault(); this.at = i; this.take(); } },
      h('span.mono', null, c.kind === 'value' ? c.insert : c.label), h('span.dim.cut', null, c.meaning), c.count == null ? null : h('span.dim.n', null, count(c.count))))),
    h('div.keys', null, h('kbd', null, '↹'), ' take ', h('kbd', null, '↑'), h('kbd', null, '↓'), ' choose ', h('kbd', null, 'esc'), ' close'));
    this.pop.style.left = Math.max(0, Math.min(this.input.offsetLeft - 8, this.el.clientWidth - 320)) + 'px';
    this.input.setAttribute('aria-activedescendant', 'complete-' + this.at);
  }

  closePop() {
    this.ask.stop();
    this.list = [];
    this.pop.hidden = true;
    this.input.setAttribute('aria-expanded', 'false');
    this.input.removeAttribute('aria-activedescendant');
  }

  take() {
    const c = this.list[this.at];
    if (!c) return;
    this.input.value = c.insert;
    if (c.kind === 'field') { this.complete(c.insert); return; }
    this.finish();
  }

  finish() {
    const list = terms(this.input.value);
    this.tokens.push(...list.map((t) => t.raw));
    this.input.value = '';
    this.drawTokens();
    this.closePop();
    this.apply();
  }

  key(e) {
    const open = !this.pop.hidden;
    switch (e.key) {
      case 'ArrowDown':
        if (open) { this.at = (this.at + 1) % this.list.length; this.drawPop(); } else this.complete(this.input.value);
        break;
      case 'ArrowUp':
        if (!open) return;
        this.at = (this.at + this.list.length - 1) % this.list.length;
        this.drawPop();
        break;
      case 'Tab':
        if (!open || e.shiftKey) return;
        this.take();
        break;
      case 'Enter':
        this.finish();
        break;
      case 'Escape':
        if (open) this.closePop();
        else { this.input.blur(); if (this.o.leave) this.o.leave(); }
        break;
      case 'Backspace':
        if (this.input.value || !this.tokens.length) return;
        this.input.value = this.tokens.pop();
        this.drawTokens();
        break;
      default: return;
    }
    e.preventDefault();
    e.stopPropagation();
  }

  apply() {
    const wrong = complaint(this.query, this.o.for === 'runs');
    this.complain(wrong);
    if (!wrong) this.o.apply(this.query);
  }

  // refuse shows what the server says of the query.
  refuse(e) {
    const near = e.query.nearest && !e.what.includes('Nearest') ? ' Nearest: ' + e.query.nearest + '.' : '';
    this.complain(e.what + near, e.query);
  }

  // complain says below the box what is wrong, and underlines the term; '' takes it back.
  complain(words, query = null) {
    this.words.hidden = !words;
    this.words.textContent = inert(words);
    const q = this.query;
    this.box.querySelectorAll('.tok').forEach((el, i) => {
      const raw = this.tokens[i], from = terms(q)[i]?.from ?? -1;
      const bad = words && (query ? from >= 0 && query.offset >= from && query.offset <= from + raw.length : complaint(raw, this.o.for === 'runs') !== '');
      el.classList.toggle('bad', !!bad);
    });
  }
}

// tokenParts draws a term with its operator in accent.
export function tokenParts(raw) {
  const t = term(raw);
  return t.field ? [(t.not ? '-' : '') + t.field, h('span.op', null, t.op), h('span.v', null, t.value)] : [h('span.v', null, raw)];
}
