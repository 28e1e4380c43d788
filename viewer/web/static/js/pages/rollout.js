// A rollout's own address leads to its trace. This page stands there when the server could not lead on: it waits, or is not known.

import { Page } from './page.js';
import { h, put } from '../dom.js';
import { failed } from '../nothing.js';
import { aborted, Failure } from '../api.js';
import { line } from '../inert.js';
import { traceURL } from './run.js';

export class RolloutPage extends Page {
  constructor(app, [run, env, task, attempt], params) {
    super(app);
    Object.assign(this, { run, env, task, attempt, retry: params.get('retry') });
  }

  async open() {
    this.app.title(['Rollout']);
    this.app.top.show('/runs', [['Runs', '/runs'], [this.run, this.above()]]);
    try {
      const { rollout: r } = await this.get('/runs/' + encodeURIComponent(this.run) + '/rollout', { env: this.env, task: this.task, attempt: this.attempt, retry: this.retry });
      if (r.trace) this.app.router.go(traceURL(r), true);
      else put(this.el, h('div.card', null, h('h2', null, line(this.env) + ', task ' + line(this.task) + ', attempt ' + line(this.attempt) + ' waits for admission.'), h('p', null, 'It has no spans yet.'), h('a.btn', { href: this.above() }, 'Open the run')));
    } catch (e) {
      if (aborted(e)) return;
      if (e instanceof Failure && !e.run) e.run = this.run;
      put(this.el, failed(e));
    }
  }

  update(d) { if (d.runs === null || d.runs.includes(this.run)) this.open(); }

  above() { return '/runs/' + encodeURIComponent(this.run); }
}
