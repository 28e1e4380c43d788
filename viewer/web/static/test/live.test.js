import test, { mock } from 'node:test';
import assert from 'node:assert/strict';

// What live.js needs of a browser.
const window = new EventTarget(), streams = [];
globalThis.addEventListener = window.addEventListener.bind(window);
globalThis.document = Object.assign(new EventTarget(), { hidden: false });
globalThis.EventSource = class extends EventTarget {
  constructor() { super(); streams.push(this); }

  close() { this.closed = true; }
};
const { Live } = await import('../js/live.js');

const see = (yes) => { document.hidden = !yes; document.dispatchEvent(new Event('visibilitychange')); };
const open = () => streams.filter((s) => !s.closed).length;

test('a page that nobody sees gives its connection up, and takes it again when it is seen', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const live = new Live();
  live.watch('run', '');
  assert.equal(open(), 1);
  streams[0].dispatchEvent(Object.assign(new Event('update'), { data: '{"now":"1796043805000000000"}' }));
  see(false);
  mock.timers.tick(9999);
  see(true);
  mock.timers.tick(20000);
  assert.equal(open(), 1, 'a glance elsewhere costs nothing');
  assert.equal(streams.length, 1);
  see(false);
  mock.timers.tick(10000);
  assert.equal(open(), 0);
  see(true);
  assert.equal(open(), 1);
  window.dispatchEvent(new Event('pagehide'));
  assert.equal(open(), 0, 'a page that is kept for going back holds no connection');
  window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  assert.equal(open(), 1);
  mock.timers.reset();
});
