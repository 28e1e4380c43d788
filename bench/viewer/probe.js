// What is counted in a page while it is measured. It runs before the page's own scripts.
(() => {
  const probe = window.probe = { updates: 0, longest: 0, first: null, all: null };

  // Live updates that came: the proof that the page is connected.
  const Plain = window.EventSource;
  window.EventSource = class extends Plain {
    constructor(...args) {
      super(...args);
      this.addEventListener('update', () => { probe.updates++; });
    }
  };

  new PerformanceObserver((list) => {
    for (const e of list.getEntries()) probe.longest = Math.max(probe.longest, e.duration);
  }).observe({ type: 'longtask', buffered: true });

  // When the first rows of a trace were there to be painted, and when all were read.
  const grid = () => document.querySelector('[role=treegrid]');
  const look = () => {
    const g = grid(), now = performance.now();
    if (g && probe.first == null && g.querySelector('[role=row][aria-level]')) probe.first = now;
    const says = document.querySelector('.says');
    if (probe.first != null && says && /\d span/.test(says.textContent) && !/reading on/.test(says.textContent)) probe.all = now;
    if (probe.all == null) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);

  const scroller = () => [...grid().querySelectorAll('*')].find((e) => e.scrollHeight > 2 * e.clientHeight && e.clientHeight > 100 && /auto|scroll/.test(getComputedStyle(e).overflowY));

  probe.rows = () => Number(grid().getAttribute('aria-rowcount'));

  // middle of what scrolls, for the mouse.
  probe.middle = () => { const r = scroller().getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };

  // drag moves the scrollbar for some milliseconds to another place in each frame, as a hand that looks for something does: all rows
  // are new each time.
  probe.drag = (ms) => new Promise((done) => {
    const el = scroller(), most = el.scrollHeight - el.clientHeight, begin = performance.now();
    let n = 0;
    const step = () => {
      const t = performance.now() - begin;
      el.scrollTop = most * (.5 - .5 * Math.cos(t / 700));
      n++;
      if (t < ms) requestAnimationFrame(step); else done(n);
    };
    requestAnimationFrame(step);
  });

  // rest waits until the page has been still for some frames.
  probe.rest = async () => {
    for (let k = 0; k < 10; k++) await new Promise((done) => requestAnimationFrame(done));
    return true;
  };

  probe.where = () => scroller().scrollTop;
})();
