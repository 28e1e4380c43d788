// Live updates: one event stream for what is on screen. Tells when it was lost, and when it will try again. A page that nobody sees
// has none: browsers allow six connections to one place, and as many tabs would leave the seventh without any.

import { tell, now } from './clock.js';

const REST = 10000;

export class Live extends EventTarget {
  constructor() {
    super();
    this.paused = false;
    this.connected = false;
    this.wait = 1000;
    addEventListener('online', () => this.connect());
    document.addEventListener('visibilitychange', () => {
      clearTimeout(this.unseen);
      if (document.hidden) this.unseen = setTimeout(() => this.rest(), REST);
      else if (this.resting || !this.connected) this.connect();
    });
    addEventListener('pagehide', () => this.rest());
    addEventListener('pageshow', (e) => { if (e.persisted) this.connect(); });
  }

  // watch names the run and the trace on screen.
  watch(run, trace) {
    if (run === this.run && trace === this.trace && this.source) return;
    this.run = run;
    this.trace = trace;
    this.connect();
  }

  // rest gives the connection up until the page is seen again.
  rest() {
    clearTimeout(this.timer);
    this.resting = true;
    if (this.source) this.source.close();
    this.source = null;
  }

  connect() {
    clearTimeout(this.timer);
    this.resting = false;
    if (this.source) this.source.close();
    const q = new URLSearchParams();
    if (this.run) q.set('run', this.run);
    if (this.trace) q.set('trace', this.trace);
    const es = this.source = new EventSource('/api/v1/events' + (q.size ? '?' + q : ''));
    es.addEventListener('update', (e) => {
      const d = JSON.parse(e.data);
      tell(d.now);
      this.up();
      this.dispatchEvent(new CustomEvent('update', { detail: d }));
    });
    es.addEventListener('bye', () => { es.close(); this.down(10000); });
    es.onerror = () => { es.close(); this.down(this.wait); };
  }

  up() {
    this.wait = 1000;
    this.last = now();
    if (this.connected) return;
    this.connected = true;
    this.lost = null;
    this.dispatchEvent(new Event('state'));
  }

  down(wait) {
    if (this.lost == null) this.lost = this.last ?? now();
    this.connected = false;
    this.wait = Math.min(30000, wait * 2);
    this.next = now() + wait;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), wait);
    this.dispatchEvent(new Event('state'));
  }
}
