// Live updates: one event stream for what is on screen. Tells when it was lost, and when it will try again.

import { tell, now } from './clock.js';

export class Live extends EventTarget {
  constructor() {
    super();
    this.paused = false;
    this.connected = false;
    this.wait = 1000;
    addEventListener('online', () => this.connect());
    document.addEventListener('visibilitychange', () => { if (!document.hidden && !this.connected) this.connect(); });
  }

  // watch names the run and the trace on screen.
  watch(run, trace) {
    if (run === this.run && trace === this.trace && this.source) return;
    this.run = run;
    this.trace = trace;
    this.connect();
  }

  connect() {
    clearTimeout(this.timer);
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
