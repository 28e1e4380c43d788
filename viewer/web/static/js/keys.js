// The keyboard: one listener. A page answers first, then what holds everywhere.

export class Keys {
  constructor(everywhere) {
    this.everywhere = everywhere;
    this.page = null;
    this.prefix = '';
    addEventListener('keydown', (e) => this.down(e));
  }

  down(e) {
    if (e.defaultPrevented || e.isComposing) return;
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'k') { e.preventDefault(); this.everywhere['Ctrl K'](); return; }
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (typing(e.target)) return;
    if (this.prefix) {
      const f = this.everywhere[this.prefix + ' ' + e.key];
      this.prefix = '';
      if (f) { e.preventDefault(); f(); return; }
    }
    if (this.page && this.page.key && this.page.key(e)) { e.preventDefault(); return; }
    if (e.key === 'g') {
      this.prefix = 'g';
      clearTimeout(this.timer);
      this.timer = setTimeout(() => { this.prefix = ''; }, 1000);
      return;
    }
    const f = this.everywhere[e.key];
    if (f) { e.preventDefault(); f(e); }
  }
}

// typing reports whether keys belong to a text field or an open dialog.
function typing(el) {
  if (!el || !el.closest) return false;
  return el.matches('input, textarea, select, [contenteditable]') || !!el.closest('dialog');
}
