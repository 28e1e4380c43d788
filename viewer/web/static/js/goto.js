// The box in the top bar: runs by name, rollouts by id, traces by id.

import { h, put } from './dom.js';
import { search } from './glyph.js';
import { Latest, aborted } from './api.js';

export class GoTo {
  constructor(go) {
    this.go = go;
    this.ask = new Latest();
    this.list = [];
    this.input = h('input', { type: 'text', placeholder: 'Go to run, rollout, trace id', 'aria-label': 'Go to run, rollout, trace id', role: 'combobox', 'aria-expanded': 'false', 'aria-controls': 'goto-list', autocomplete: 'off', spellcheck: 'false' });
    this.pop = h('div.pop.complete', { hidden: true });
    this.el = h('div.goto', null, h('label.field', null, search(), this.input, h('kbd', { 'aria-hidden': 'true' }, 'ctrl K')), this.pop);
    this.input.addEventListener('input', () => this.typed());
    this.input.addEventListener('keydown', (e) => this.key(e));
    this.input.addEventListener('blur', () => setTimeout(() => this.close(), 120));
  }

  open() {
    this.before = document.activeElement;
    this.el.classList.add('open');
    this.input.focus();
    this.input.select();
  }

  close(back = false) {
    this.entered = false;
    this.el.classList.remove('open');
    this.pop.hidden = true;
    this.input.setAttribute('aria-expanded', 'false');
    if (back) { this.input.blur(); if (this.before && this.before.focus) this.before.focus(); }
  }

  async typed() {
    const text = this.input.value.trim();
    this.entered = false;
    this.waiting = !!text;
    if (!text) { this.pop.hidden = true; return; }
    try {
      this.list = (await this.ask.get('/find', { text })).rows;
      this.waiting = false;
      this.at = 0;
      this.draw();
      if (this.entered) this.take();
    } catch (e) { if (!aborted(e)) { this.waiting = false; this.pop.hidden = true; } }
  }

  draw() {
    this.pop.hidden = false;
    this.input.setAttribute('aria-expanded', 'true');
    this.input.setAttribute('aria-activedescendant', this.list.length ? 'goto-' + this.at : '');
    put(this.pop, this.list.length
      ? h('ul', { role: 'listbox', id: 'goto-list' }, this.list.map((r, i) => h('li', { role: 'option', id: 'goto-' + i, 'aria-selected': String(i === this.at), onpointerdown: (e) => { e.preventDefault(); this.at = i; this.take(); } },
        h('span.cut', null, r.label), h('span.dim.cut', null, r.note), h('span.dim.n', null, r.kind))))
      : h('p.none', null, 'Nothing is called that. A trace is found by eight digits of its id or more.'));
  }

  // enter takes what is chosen; while an answer to what was typed last is on its way, that one's.
  enter() {
    if (this.waiting) this.entered = true; else this.take();
  }

  take() {
    const r = this.list[this.at];
    if (!r) return;
    this.input.value = '';
    this.close();
    this.input.blur();
    this.go(r.href);
  }

  key(e) {
    const n = this.list.length;
    if (e.key === 'ArrowDown' && n) this.at = (this.at + 1) % n;
    else if (e.key === 'ArrowUp' && n) this.at = (this.at + n - 1) % n;
    else if (e.key === 'Enter') { e.preventDefault(); this.enter(); return; } else if (e.key === 'Escape') { e.preventDefault(); e.stopPropagation(); this.close(true); return; } else return;
    e.preventDefault();
    this.draw();
  }
}
