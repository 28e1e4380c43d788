// The sizes at which the layout changes.
export const phone = matchMedia('(max-width: 599px)');

// Where the window leaves a table too few rows (a phone, 200 % zoom, a narrow window with stacked panels), the page scrolls as
// one. css/phone.css has the same condition.
export const oneScroll = matchMedia('(max-width: 599px), (max-height: 619px), (max-width: 1100px) and (max-height: 899px)');
