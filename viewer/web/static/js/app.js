// The page: the frame, the routes and what holds on every screen.

import { h, put } from './dom.js';
import { get } from './api.js';
import { Live } from './live.js';
import { Router, readable } from './router.js';
import { Keys } from './keys.js';
import { listen } from './press.js';
import { TopBar } from './topbar.js';
import { StatusLine, reasons } from './statusline.js';
import { tell, now } from './clock.js';
import { clock, text, whole } from './format.js';
import { copyText, toast } from './toast.js';
import { line } from './inert.js';
import { failed } from './nothing.js';
import { warning } from './glyph.js';
import * as help from './help.js';
import { receive } from './drop.js';
import { RunsPage } from './pages/runs.js';
import { RunPage } from './pages/run.js';
import { TracesPage } from './pages/traces.js';
import { TracePage } from './pages/trace.js';
import { GroupsPage } from './pages/groups.js';
import { MetricsPage } from './pages/metrics.js';
import { ComparePage } from './pages/compare.js';
import { RolloutPage } from './pages/rollout.js';

const ROUTES = [
  [/^\/(?:runs)?$/, RunsPage],
  [/^\/runs\/([^/]+)$/, RunPage],
  [/^\/traces$/, TracesPage],
  [/^\/traces\/([0-9a-fA-F]+)$/, TracePage],
  [/^\/groups$/, GroupsPage],
  [/^\/metrics$/, MetricsPage],
  [/^\/compare$/, ComparePage],
  [/^\/rollouts\/([^/]+)\/([^/]+)\/([^/]+)\/([^/]+)$/, RolloutPage],
];

class App {
  constructor() {
    listen();
    this.live = new Live();
    this.router = new Router(ROUTES, (page, args, params) => this.open(page, args, params));
    this.top = new TopBar({ help: () => this.help(), go: (u) => this.go(u) });
    this.line = new StatusLine((s) => help.say('What is missing, and why', reasons(s)), () => this.pause());
    this.strip = h('div', { role: 'status' });
    this.main = h('main', { id: 'main', tabindex: -1 });
    this.region = h('div.vh', { 'aria-live': 'polite' });
    document.body.append(h('a.skip', { href: '#main', onclick: (e) => { e.preventDefault(); this.main.focus(); } }, 'Skip to the content'), this.top.el, this.strip, this.main, this.line.el, this.region);
    this.keys = new Keys({
      '?': () => this.help(), 'Ctrl K': () => this.top.goto.open(), t: () => window.toggleTheme(), y: () => this.copyLink(), '.': () => this.pause(), Escape: () => this.up(),
      'g r': () => this.go('/runs'), 'g t': () => this.go('/traces'), 'g g': () => this.go(this.page && this.page.groupsURL ? this.page.groupsURL() : '/groups'),
      'g m': () => this.go(this.page && this.page.metricsURL ? this.page.metricsURL() : '/metrics'),
    });
    this.live.addEventListener('update', (e) => this.update(e.detail));
    this.live.addEventListener('state', () => this.connection());
    addEventListener('themechange', () => { if (this.page && this.page.themed) this.page.themed(); });
  }

  async start() {
    try {
      const s = await get('/status');
      tell(s.now);
      this.status(s);
    } catch (e) {
      if (e.status === 401) { put(this.main, failed(e)); return; }
      this.live.down(1000);
    }
    this.router.here();
  }

  go(url) { this.router.go(url); }

  // open shows a page, or lets the one that is shown take new parameters.
  open(Page, args, params) {
    const id = Page && Page.name + ' ' + args.join(' ');
    if (Page && this.page && this.id === id) { this.page.params(params); return; }
    if (this.page) this.page.close();
    this.id = id;
    this.page = null;
    this.top.toggle(false);
    if (!Page) {
      this.title([]);
      this.top.show('');
      put(this.main, h('div.card', null, h('h2', null, 'There is no such page.'), h('p', null, 'The address may be from another version of Lens.'), h('a.btn', { href: '/runs' }, 'Open Runs')));
      return;
    }
    const page = this.page = new Page(this, args, params);
    this.keys.page = page;
    put(this.main, page.el);
    this.live.watch(page.run || '', page.trace || '');
    page.open();
  }

  title(parts) { document.title = line([...parts, 'Lens'].join(' · ')); }

  status(s) {
    this.now = s;
    help.keptIn(s.store.data);
    this.line.draw(s);
  }

  update(d) {
    if (d.status) this.status(d.status);
    if (this.live.paused) return;
    if (this.page && this.page.update) this.page.update(d);
  }

  // say tells screen readers about a change, at most every five seconds.
  say(words) {
    const wait = Math.max(0, 5000 - (performance.now() - (this.said ?? -5000)));
    clearTimeout(this.sayTimer);
    this.sayTimer = setTimeout(() => { this.said = performance.now(); this.region.textContent = line(words); }, wait);
  }

  pause() {
    if (this.page && this.page.takeUpdates && this.page.takeUpdates()) return;
    this.live.paused = !this.live.paused;
    this.line.waits(this.live.paused);
    toast(this.live.paused ? 'Live updates wait' : 'Live updates go on', this.live.paused ? 'Press . to let them in again.' : '');
    if (!this.live.paused) this.live.connect();
  }

  connection() {
    clearInterval(this.ticking);
    if (this.live.connected) { put(this.strip); this.strip.className = ''; return; }
    const draw = () => {
      const since = now() - this.live.lost, next = Math.max(0, Math.ceil((this.live.next - now()) / 1000));
      if (since < 1500) return;
      this.strip.className = 'strip';
      put(this.strip, warning(''), h('span', null, 'Not connected to Lens for ' + text(whole(since * 1e6)) + '. What you see is from ' + clock(this.live.lost) + '.'), h('span.gap'),
        h('button', { onclick: () => this.live.connect() }, 'retry in ' + next + ' s'));
    };
    this.ticking = setInterval(draw, 1000);
    draw();
  }

  help() { help.show(this.page && { keys: this.page.keys, command: () => this.page.command && this.page.command(), tables: () => this.page.tables && this.page.tables() }); }

  copyLink() {
    const url = new URL(location.href);
    url.searchParams.delete('token');
    const kept = this.page && this.page.keptUntil && this.page.keptUntil();
    copyText(url.origin + url.pathname + (url.search ? '?' + readable(url.searchParams) : ''), 'Link copied', kept ? 'Works as long as the trace is kept: until ' + kept + '.' : 'Works as long as the data is kept.');
  }

  // up goes one level up: the page first, then to the page above.
  up() {
    const a = document.activeElement;
    if (this.page && this.page.up && this.page.up()) return;
    if (a && a !== document.body && a !== this.main && !a.closest('.table, .wfgrid')) { a.blur(); return; }
    const above = this.page && this.page.above && this.page.above();
    if (above) this.go(this.router.asLeft(above));
  }
}

const app = new App();
receive(() => app.now);
app.start();
