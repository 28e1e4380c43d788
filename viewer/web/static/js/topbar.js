// The bar at the top: name, screens, the box to go anywhere, theme, help. On a phone: name, where one is, search, menu.

import { h, put } from './dom.js';
import { mark, half, search, menu } from './glyph.js';
import { GoTo } from './goto.js';

const SCREENS = [['/runs', 'Runs'], ['/traces', 'Traces'], ['/groups', 'Groups'], ['/metrics', 'Metrics']];

export class TopBar {
  constructor({ help, go }) {
    this.links = SCREENS.map(([href, name]) => h('a', { href }, name));
    this.crumb = h('div.crumb.cut');
    this.goto = new GoTo(go);
    this.menu = h('nav.pop.menu', { 'aria-label': 'Menu', hidden: true }, SCREENS.map(([href, name]) => h('a', { href }, name)),
      h('button', { onclick: () => window.toggleTheme() }, 'Theme'), h('button', { onclick: help }, 'Help'));
    this.menuButton = h('button.iconbtn.only-phone', { 'aria-label': 'Menu', 'aria-expanded': 'false', onclick: () => this.toggle() }, menu());
    this.el = h('header.top', null,
      h('a.brand', { href: '/runs', 'aria-label': 'Lens' }, mark(), h('span', null, 'Lens')),
      h('nav.nav', { 'aria-label': 'Screens' }, this.links), this.crumb, h('span.gap'), this.goto.el,
      h('button.iconbtn.only-phone', { 'aria-label': 'Go to', onclick: () => this.goto.open() }, search()),
      this.menuButton, this.menu,
      h('button.iconbtn.not-phone', { 'aria-label': 'Theme', title: 'Theme, t', onclick: () => window.toggleTheme() }, half()),
      h('button.iconbtn.not-phone', { 'aria-label': 'Help', title: 'Help, ?', onclick: help }, '?'));
    document.addEventListener('click', (e) => { if (!this.menu.hidden && !this.menuButton.contains(e.target)) this.toggle(false); });
  }

  toggle(open = this.menu.hidden) {
    this.menu.hidden = !open;
    this.menuButton.setAttribute('aria-expanded', String(open));
  }

  // show marks the screen that is shown; trail is where one is, as [label, href] pairs, the last without href.
  show(screen, trail = []) {
    for (const a of this.links) {
      if (a.getAttribute('href') === screen) a.setAttribute('aria-current', 'page');
      else a.removeAttribute('aria-current');
    }
    put(this.crumb, trail.map(([label, href], i) => { const here = i === trail.length - 1 ? h('b', null, label) : label; return [i ? ' / ' : '', href ? h('a', { href }, here) : here]; }));
  }
}
