import { type ClipboardEvent, type DragEvent, type SetStateAction, useCallback, useState } from "react"
import { type AttachedImage, MAX_IMAGES } from "./attached-image.ts"

export type AttachedImages = ReturnType<typeof useImages>

/** Returns the next request's images. Large ones are scaled down, as models would do. */
export function useImages() {
  const [images, setImages] = useState<AttachedImage[]>([])
  const [error, setError] = useState<string | null>(null)
  /** Number of selections that are still being read. */
  const [reading, setReading] = useState(0)

  async function add(files: Iterable<File>): Promise<void> {
    const all = [...files]
    setReading((count) => count + 1)
    try {
      const { readImages } = await import("./read-images.ts")
      const read = (image: AttachedImage) => setImages((before) => [...before, image].slice(0, MAX_IMAGES))
      setError(await readImages(all, MAX_IMAGES - images.length, read))
    } finally {
      setReading((count) => count - 1)
    }
  }

  const replace = useCallback((next: SetStateAction<AttachedImage[]>) => {
    setImages(next)
    setError(null)
  }, [])

  return {
    images,
    error,
    /** True while a chosen image is being read. A message sent now would lack it. */
    isReading: reading > 0,
    add,
    remove: (at: number) => setImages((before) => before.toSpliced(at, 1)),
    replace,
    /** Removes these images after they were sent. Later ones remain. */
    forget: () => replace((before) => before.filter((one) => !images.includes(one))),
    /** Event handlers of the form that images can be pasted or dropped into. */
    input: {
      onPaste: (event: ClipboardEvent) => take(event, event.clipboardData, add),
      onDragOver: (event: DragEvent) => event.preventDefault(),
      onDrop: (event: DragEvent) => take(event, event.dataTransfer, add),
    },
  }
}

/** Takes the files of a paste or a drop. Without files, the browser handles it as usual. */
function take(event: { preventDefault(): void }, { files }: DataTransfer, add: (files: Iterable<File>) => void): void {
  if (files.length === 0) return
  event.preventDefault()
  add(files)
}
