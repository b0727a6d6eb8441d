/** Drops images with these names on an element, as a pointer does. */
export async function dropImages(element: Element, names: string[]): Promise<void> {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1200, height: 800 })
  const context = canvas.getContext("2d")
  if (context) {
    context.fillStyle = "#3b6"
    context.fillRect(100, 100, 500, 300)
  }
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve))
  const dataTransfer = new DataTransfer()
  for (const name of names) {
    const type = name.endsWith(".svg") ? "image/svg+xml" : "image/png"
    dataTransfer.items.add(new File([blob ?? ""], name, { type }))
  }
  element.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }))
}
