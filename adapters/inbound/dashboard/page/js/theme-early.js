// Runs before the first paint, so that a remembered theme doesn't flash.
try {
  const theme = localStorage.getItem('cep.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; the system's theme then applies.
}
