// Asking the viewer. Answers are kept with their ETag by the browser; errors come as one class with sentences to show.

import { released } from './press.js';

export class Failure extends Error {
  constructor(status, body) {
    super(body.what);
    this.status = status;
    Object.assign(this, { code: '', what: '', why: '', now: '', run: null, query: null }, body);
  }
}

const OFFLINE = { code: 'offline', what: 'Lens does not answer.', why: 'It may have been stopped, or the connection was lost.', now: 'The page tries again by itself.' };

// get asks for a path below /api/v1. params that are null, undefined or '' are left out.
export async function get(path, params, signal) {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(params || {})) if (v != null && v !== '') q.set(k, v);
  const qs = q.toString();
  let res;
  try {
    res = await fetch('/api/v1' + path + (qs ? '?' + qs : ''), { signal, headers: { Accept: 'application/json' } });
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw new Failure(0, OFFLINE);
  }
  const body = await res.json().catch((e) => { if (e.name === 'AbortError') throw e; return null; }); // given up in the middle of the answer
  await released();
  if (signal && signal.aborted) throw signal.reason;
  if (res.ok && body) return body;
  throw new Failure(res.status, (body && body.error) || { what: 'Lens answered ' + res.status + '.', why: '', now: 'Reload the page.' });
}

// Latest keeps only the newest of several questions: an older one is given up.
export class Latest {
  async get(path, params) {
    this.stop();
    const c = this.ctl = new AbortController();
    return get(path, params, c.signal);
  }

  stop() { if (this.ctl) this.ctl.abort(); }
}

export const aborted = (e) => e && e.name === 'AbortError';
