/** Hand a file to the person. */
export function saveAs(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser begins to read it a moment later.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
