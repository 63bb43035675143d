// What stands below what is in sight, as on a telephone, is brought there.

export function bringIntoSight(element) {
  if (element.getBoundingClientRect().top > innerHeight * 0.7) element.scrollIntoView();
}
