// Words for the expressions of the tests: what a person sees on the page.
const $ = (s, e = document) => e.querySelector(s);
const $$ = (s, e = document) => [...e.querySelectorAll(s)];
const seen = (e) => !!e && e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && e.getBoundingClientRect().width > 0;
const plain = (s) => s.replace(/[\u00a0\u202f\u2009]/g, ' ').replace(/\s+/g, ' ').trim();
const words = (e) => (e ? plain(e.innerText ?? e.textContent) : '');
const holding = (s, w) => $$(s).find((e) => seen(e) && words(e).includes(w));

// hit is a point in an element that a click there would reach; null while there is none.
const hit = (s, w) => {
  const e = $$(s).find((x) => seen(x) && words(x).includes(w));
  if (!e) return null;
  e.scrollIntoView({ block: 'nearest' });
  const b = e.getBoundingClientRect(), x = b.x + b.width / 2, y = b.y + b.height / 2, top = document.elementFromPoint(x, y);
  return top && (e.contains(top) || top.contains(e)) ? [x, y] : null;
};

// Rows of a list, in order; the selected one.
const rows = (s = '.table') => $$(s + ' .row').sort((a, b) => a.dataset.i - b.dataset.i);
const selected = () => $('.table .row[aria-selected=true]');

// Rows of the waterfall, in order, as a person reads them.
const spans = () => $$('.wfgrid .wrow').sort((a, b) => a.dataset.k - b.dataset.k).map((e) => ({
  name: words($('.wname', e)), note: words($('.wnote', e)), duration: words($('.wdur', e)), share: words($('.wshare', e)),
  level: Number(e.ariaLevel), pos: Number(e.ariaPosInSet), size: Number(e.ariaSetSize), expanded: e.getAttribute('aria-expanded') ?? '',
  selected: e.ariaSelected === 'true', spoken: e.ariaLabel, warn: $('.wnote', e).classList.contains('warn'),
}));
const span = (name) => spans().find((r) => r.name === name);

// bar is where the block of row k begins and ends on the timeline, in CSS pixels; null when nothing is drawn there.
const bar = (k) => {
  const c = $('.layer.bars'), scale = c.width / parseFloat(c.style.width), y = Math.round((k * 26 + 7 - $('.wfscroll').scrollTop) * scale);
  const px = c.getContext('2d').getImageData(0, y, c.width, 1).data, on = [];
  for (let x = 0; x < c.width; x++) if (px[x * 4 + 3]) on.push(x);
  return on.length ? [on[0] / scale, (on[on.length - 1] + 1) / scale] : null;
};

// track is how wide the timeline is, in CSS pixels.
const track = () => parseFloat($('.layer.bars').style.width) - 20;

// painted counts the pixels of the timeline that have a colour of the theme.
const painted = (token) => {
  const c = $('.layer.bars'), px = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  const want = getComputedStyle(document.documentElement).getPropertyValue(token).trim(), rgb = [1, 3, 5].map((i) => parseInt(want.slice(i, i + 2), 16));
  let n = 0;
  for (let i = 0; i < px.length; i += 4) if (px[i + 3] > 200 && rgb.every((v, k) => Math.abs(px[i + k] - v) < 8)) n++;
  return n;
};

// tokens are the finished terms of the filter box.
const tokens = () => $$('.fbox .tok').map((e) => plain(e.textContent));
