// Saves a file on the person's device.

// Until then the browser has read it.
const RELEASE_MS = 60_000;

export function saveFile(file, name) {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), RELEASE_MS);
}
