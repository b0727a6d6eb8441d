import type { Extension } from "@codemirror/state"
import { useEffect, useLayoutEffect, useRef, useState } from "react"
import { createEditor } from "./create-editor.ts"
import { languageOf, loadLanguage } from "./language.ts"

interface Props {
  path: string
  text: string
  /** Offset at which the text is growing, which is kept in view. */
  follows: number | undefined
  readOnly: boolean
  wraps: boolean
  onEdit(text: string): void
}

/** The text editor. Loaded when the first file is opened, because it is large. */
export function CodeEditor({ path, text, follows, readOnly, wraps, onEdit }: Props) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<ReturnType<typeof createEditor>>(null)
  const language = useLanguage(path)
  const latest = useRef({ onEdit, options: { label: path, readOnly, wraps, language }, text, follows })
  latest.current = { onEdit, options: { label: path, readOnly, wraps, language }, text, follows }

  useEffect(() => {
    if (!host.current) return
    const { options, text, follows } = latest.current
    const created = createEditor(host.current, { ...options, text, follows }, (edited) => latest.current.onEdit(edited))
    editor.current = created
    return () => {
      created.destroy()
      editor.current = null
    }
  }, [])
  // Must run synchronously, so that no key press can come between the old text and the new one.
  useLayoutEffect(() => editor.current?.show(text, follows), [text, follows])
  useEffect(
    () => editor.current?.configure({ label: path, readOnly, wraps, language }),
    [path, readOnly, wraps, language],
  )

  return <div ref={host} className="h-full min-h-0 overflow-hidden" />
}

/** Returns the file's language support; plain text until it has loaded, or if it can't be loaded. */
function useLanguage(path: string): Extension {
  const [language, setLanguage] = useState<Extension>([])
  const id = languageOf(path)
  useEffect(() => {
    let gone = false
    setLanguage([])
    // Without its language, a text only lacks colours, which isn't worth an error message.
    if (id) {
      loadLanguage(id).then(
        (loaded) => !gone && setLanguage(loaded),
        () => undefined,
      )
    }
    return () => {
      gone = true
    }
  }, [id])
  return language
}
