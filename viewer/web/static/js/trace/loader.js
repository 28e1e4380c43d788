// Reading the spans of a trace, page by page.

import { Columns } from './columns.js';
import { build, pathFrom } from './model.js';
import { get, Failure } from '../api.js';

const PAGE = 5000;

// read fetches all pages and tells of a model twice: of the first page, as soon as it is there, and of everything.
export async function read(path, head, now, tell, signal) {
  const columns = new Columns(head.rows);
  const page = (from) => get(path, { from, limit: PAGE, at: head.at }, signal);
  const root = head.root ? head.root.row : -1;
  const first = await page(0);
  if (first.rows !== head.rows) throw new Changed();
  columns.add(first);
  if (first.next == null) { tell(build(columns, root, now), true); return; }
  tell(build(firstPage(columns), root, now), false);
  const froms = [];
  for (let f = PAGE; f < head.rows; f += PAGE) froms.push(f);
  const pages = new Array(froms.length);
  let next = 0, put = 0;
  const fetchNext = async () => {
    while (next < froms.length) {
      const k = next++;
      pages[k] = await page(froms[k]);
      if (pages[k].version !== first.version) throw new Changed();
      while (put < froms.length && pages[put]) { columns.add(pages[put]); pages[put] = null; put++; }
    }
  };
  await Promise.all([fetchNext(), fetchNext(), fetchNext()]);
  columns.known = null; // nothing is added any more
  tell(build(columns, root, now), true);
}

// firstPage is the first page alone, detached from the columns that go on growing.
function firstPage(columns) {
  const c = new Columns(columns.n);
  for (const k of Object.keys(c)) {
    const v = columns[k];
    if (ArrayBuffer.isView(v)) c[k] = v.slice(0, columns.n);
    else if (v instanceof Map) c[k] = k === 'known' ? null : new Map(v);
    else if (Array.isArray(v)) c[k] = v.slice(0, k === 'strings' ? undefined : columns.n);
  }
  c.n = columns.n;
  return c;
}

// Changed says that spans came in while reading: begin again.
class Changed extends Failure {
  constructor() { super(0, { code: 'changed', what: 'The trace changed while it was read.' }); }
}

// load reads a trace, in a worker when it is large. Returns a function that gives up.
export function load(path, head, now, on) {
  if (head.rows <= PAGE) {
    const c = new AbortController();
    read(path, head, now, on.model, c.signal).catch((e) => { if (!c.signal.aborted) on.failed(e); });
    return () => c.abort();
  }
  const w = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  w.onmessage = (e) => {
    if (e.data.failed) { on.failed(new Failure(e.data.failed.status, e.data.failed)); w.terminate(); return; }
    on.model(e.data.model, e.data.done);
    if (e.data.done) w.terminate();
  };
  w.onerror = () => on.failed(new Failure(0, { code: 'worker', what: 'The trace could not be read.', why: '', now: 'Reload the page.' }));
  w.postMessage({ url: path, head: { rows: head.rows, at: head.at, root: head.root }, now });
  return () => w.terminate();
}

// path finds the path below another root, in a worker when the trace is large. Returns a function that gives up.
export function path(m, row, now, found) {
  if (m.n <= PAGE) { found(pathFrom(m, row, now)); return () => {}; }
  const w = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  w.onmessage = (e) => { found(e.data); w.terminate(); };
  w.postMessage({ below: { n: m.n, sub: m.sub, columns: { start: m.columns.start, end: m.columns.end } }, row, now });
  return () => w.terminate();
}
