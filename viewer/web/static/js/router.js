// Every view is a URL. Unknown parameters are kept, so that a link survives versions.

export class Router {
  constructor(routes, show) {
    this.routes = routes;
    this.show = show;
    this.left = new Map(); // by path: the parameters it was last seen with
    addEventListener('popstate', () => this.here());
    document.addEventListener('click', (e) => this.click(e));
  }

  click(e) {
    if (e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    const a = e.target.closest && e.target.closest('a[href]');
    if (!a || a.target || a.hasAttribute('download') || a.origin !== location.origin || a.getAttribute('href').startsWith('#')) return;
    e.preventDefault();
    this.go(a.pathname + a.search);
  }

  go(url, replace = false) {
    if (url === location.pathname + location.search) return;
    history[replace ? 'replaceState' : 'pushState'](null, '', url);
    this.here();
  }

  // set changes parameters of the page that is shown; null drops one.
  set(params, replace = true) {
    const q = new URLSearchParams(location.search);
    for (const [k, v] of Object.entries(params)) {
      if (v == null || v === '') q.delete(k);
      else q.set(k, v);
    }
    const s = readable(q);
    history[replace ? 'replaceState' : 'pushState'](null, '', location.pathname + (s ? '?' + s : ''));
    this.left.set(location.pathname, location.search);
    return new URLSearchParams(location.search);
  }

  // asLeft is a path with the parameters it was left with: going up to a list keeps its filter.
  asLeft(path) { return path + (this.left.get(path) || ''); }

  here() {
    this.left.set(location.pathname, location.search);
    for (const [re, page] of this.routes) {
      const m = re.exec(location.pathname);
      if (m) return this.show(page, m.slice(1).map(decode), new URLSearchParams(location.search));
    }
    return this.show(null, [], new URLSearchParams(location.search));
  }
}

// readable keeps what a query string may hold unescaped: env:multi_step stays that.
export function readable(q) {
  return q.toString().replace(/%3A/gi, ':').replace(/%2C/gi, ',').replace(/%2F/gi, '/');
}

function decode(s) { try { return decodeURIComponent(s); } catch { return s; } }
