import { useState } from "react"
import { object, text } from "../../api/decode.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { errorText } from "../../ui/error-text.ts"

/** An image attached to the next message. */
export interface Attachment {
  id: string
  name: string
  /** URL that shows the image until it is sent. */
  preview: string
  /** Path by which the message refers to it; null while it is being uploaded. */
  path: string | null
}

const MOST = 5
const MOST_BYTES = 4 * 1024 * 1024
const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"]

/** Returns the images for the next message. Each is uploaded as soon as it is added. */
export function useAttachments() {
  const { sessionId, api } = useShownSession()
  const [images, setImages] = useState<readonly Attachment[]>([])
  const [error, setError] = useState<string | null>(null)
  const drop = ({ id, preview }: Pick<Attachment, "id" | "preview">) => {
    URL.revokeObjectURL(preview)
    setImages((before) => before.filter((one) => one.id !== id))
  }

  async function upload(file: File, { id, preview }: Pick<Attachment, "id" | "preview">): Promise<void> {
    try {
      const path = { id: sessionId }
      const stored = await api.call("POST /api/v1/sessions/{id}/uploads", {
        path,
        body: { file },
        response: object({ path: text }),
      })
      setImages((before) => before.map((one) => (one.id === id ? { ...one, path: stored.path } : one)))
    } catch (failure) {
      drop({ id, preview })
      setError(errorText(failure))
    }
  }

  function add(files: readonly File[]): void {
    setError(null)
    const fitting = files.filter(({ type, size }) => TYPES.includes(type) && size <= MOST_BYTES)
    if (fitting.length < files.length) setError("Images can be PNG, JPEG, GIF or WebP, of at most 4 MB.")
    const taken = fitting.slice(0, MOST - images.length)
    if (taken.length < fitting.length) setError(`A message takes at most ${MOST} images.`)
    for (const file of taken) {
      const id = crypto.randomUUID()
      const preview = URL.createObjectURL(file)
      setImages((before) => [...before, { id, name: file.name || "Image", preview, path: null }])
      void upload(file, { id, preview })
    }
  }

  return {
    images,
    error,
    isUploading: images.some(({ path }) => path === null),
    add,
    remove: (at: number) => images.slice(at, at + 1).forEach(drop),
    clear: () => {
      for (const { preview } of images) URL.revokeObjectURL(preview)
      setImages([])
      setError(null)
    },
  }
}
