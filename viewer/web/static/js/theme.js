// Sets the theme before the first paint: a plain script, loaded in the head.
(function () {
  'use strict';
  var root = document.documentElement, dark = matchMedia('(prefers-color-scheme: dark)');
  function stored() { try { return localStorage.getItem('lens.theme'); } catch (e) { return null; } }
  function apply() { root.dataset.theme = stored() || (dark.matches ? 'dark' : 'light'); }
  apply();
  dark.addEventListener('change', function () { apply(); dispatchEvent(new Event('themechange')); });
  // toggleTheme goes to the other theme; back at the system's own choice nothing is stored.
  window.toggleTheme = function () {
    var next = root.dataset.theme === 'dark' ? 'light' : 'dark';
    try {
      if (next === (dark.matches ? 'dark' : 'light')) localStorage.removeItem('lens.theme');
      else localStorage.setItem('lens.theme', next);
    } catch (e) { /* private mode: the choice lasts as long as the page */ }
    root.dataset.theme = next;
    dispatchEvent(new Event('themechange'));
  };
})();
