// The width at which the layout changes.
export const phone = matchMedia('(max-width: 599px)');
