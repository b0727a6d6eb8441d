import { useState } from "react"
import { useToast } from "../../session/context/studio.ts"

const MOST = 5
const MOST_BYTES = 2.5 * 1024 * 1024
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"]

/** Returns the next message's images, as data URLs. */
export function useImages() {
  const [images, setImages] = useState<string[]>([])
  const toast = useToast()

  async function attach(files: Iterable<File>): Promise<void> {
    const fitting = [...files].filter((file) => IMAGE_TYPES.includes(file.type) && file.size <= MOST_BYTES)
    if (fitting.length < [...files].length) toast("Images are PNG, JPEG, GIF or WebP, of up to 2.5 MB.", "err")
    const uris = await Promise.all(fitting.map(dataUri))
    setImages((before) => [...before, ...uris].slice(0, MOST))
  }
  return { images, setImages, attach }
}

function dataUri(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.onload = () => resolve(String(reader.result))
  reader.onerror = () => reject(reader.error)
  reader.readAsDataURL(file)
  return promise
}
