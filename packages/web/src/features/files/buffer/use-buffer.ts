import type { ManifestFile } from "@switchyard/core/files/workspaces/manifest"
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from "react"
import { ApiError } from "../../../api/client.ts"
import { object, text } from "../../../api/decode.ts"
import { useShownSession } from "../../../session/view/use-session.ts"
import { errorText } from "../../../ui/error-text.ts"
import { type Buffer, type BufferAction, isDirty, openBuffer, reduceBuffer } from "./buffer.ts"
import { createDrafts, type Drafts } from "./drafts.ts"
import { type FileText, isShown, useFileText } from "./use-file-text.ts"
import { draftsChanged } from "./use-unsaved.ts"

const Saved = object({ sha256: text })

/** Returns true if a save was refused because the file has changed on the server. */
function isOvertaken(refusal: unknown): boolean {
  return refusal instanceof ApiError && refusal.status === 409 && "current_sha256" in refusal.details
}

type OpenAction = BufferAction | { type: "opened"; buffer: Buffer }

export interface OpenFile {
  /** Null until the file is loaded. */
  buffer: Buffer | null
  /** Text to show: the buffer's, or that of another moment. */
  text: string | null
  /** Hash of the version that this text belongs to, or from which it was edited. */
  sha256: string | null
  dirty: boolean
  /** True if the unsaved text is stored in the browser. */
  stored: boolean
  error: Error | null
  retry(): void
  dispatch(action: BufferAction): void
  save(): void
}

/** Opens a file for editing. While `held`, another moment's text is shown, and the buffer is left alone. */
export function useBuffer(path: string, file: ManifestFile | undefined, held: boolean): OpenFile {
  const { sessionId, api } = useShownSession()
  const { data, error, refetch } = useFileText(file)
  const drafts = useMemo(() => createDrafts(sessionStorage, sessionId, draftsChanged), [sessionId])
  const [buffer, dispatch] = useReducer(reduceOpen, null)
  const [base, setBase] = useState<string | null>(null)
  const read = file && isShown(file) && data?.sha256 === file.sha256 ? data : undefined

  useArrivals({ path, file, held, read, drafts, buffer, dispatch, setBase })
  const stored = useDraft(drafts, path, buffer, base)

  const latest = useRef(buffer)
  latest.current = buffer
  const save = useCallback(async () => {
    const open = latest.current
    if (!open || open.saving || open.theirs !== null || !isDirty(open)) return
    const { text, sha256: if_sha256 } = open
    dispatch({ type: "sent", text })
    try {
      const body = { path, content: text, workspace_id: sessionId, if_sha256 }
      const { sha256 } = await api.call("PUT /workspace/file", { body, response: Saved })
      dispatch({ type: "stored", text, sha256 })
    } catch (refusal) {
      if (isOvertaken(refusal)) return dispatch({ type: "overtaken", text })
      dispatch({ type: "refused", text, reason: errorText(refusal) })
    }
  }, [api, path, sessionId])

  const elsewhere = held && file?.sha256 !== base
  return {
    buffer,
    text: elsewhere || !buffer ? (data?.text ?? null) : buffer.text,
    sha256: elsewhere || !buffer ? (data?.sha256 ?? null) : buffer.sha256,
    dirty: buffer !== null && isDirty(buffer),
    stored,
    error: buffer && !elsewhere ? null : error,
    retry: refetch,
    dispatch,
    save,
  }
}

function reduceOpen(buffer: Buffer | null, action: OpenAction): Buffer | null {
  if (action.type === "opened") return action.buffer
  return buffer && reduceBuffer(buffer, action)
}

interface Arriving {
  path: string
  file: ManifestFile | undefined
  held: boolean
  read: FileText | undefined
  drafts: Drafts
  buffer: Buffer | null
  dispatch(action: OpenAction): void
  setBase(sha256: string | null): void
}

/** Opens the buffer with the first version that arrives, or with a stored draft, and passes on every later version. */
function useArrivals({ path, file, held, read, drafts, buffer, dispatch, setBase }: Arriving): void {
  const opened = buffer !== null
  // A moved file appears at its new path only after its draft does.
  const madeFrom = useRef<string | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a version is action once
  useEffect(() => {
    if (held || (file && !read)) return
    setBase(read?.sha256 ?? null)
    if (opened && !read) return dispatch({ type: "removed" })
    if (opened && read) return dispatch({ type: "arrived", ...read, expected: read.sha256 === madeFrom.current })
    const draft = drafts.read(path)
    const overSame = draft?.base === (read?.sha256 ?? null)
    madeFrom.current = draft?.base ?? null
    dispatch({ type: "opened", buffer: openBuffer(read ?? null, draft && { text: draft.text, overSame }) })
  }, [held, file === undefined, read, opened])
}

const SAVE_DRAFT_AFTER_MS = 400

/** Stores unsaved text shortly after typing, and at the latest when the page or screen is left. */
function useDraft(drafts: Drafts, path: string, buffer: Buffer | null, base: string | null): boolean {
  const [stored, setStored] = useState(true)
  const flush = useRef(() => {})
  const last = useRef<string | null>(null)
  useEffect(() => {
    if (!buffer) return
    if (!isDirty(buffer)) {
      flush.current = () => {}
      last.current = null
      drafts.drop(path)
      return setStored(true)
    }
    // A file that is gone may have been moved together with its draft.
    if (buffer.server === null && last.current === buffer.text) return
    const saveDraft = () => {
      clearTimeout(timer)
      flush.current = () => {}
      last.current = buffer.text
      return drafts.save(path, { base, text: buffer.text })
    }
    const timer = setTimeout(() => setStored(saveDraft()), SAVE_DRAFT_AFTER_MS)
    flush.current = saveDraft
    return () => clearTimeout(timer)
  }, [drafts, path, buffer, base])
  useEffect(() => {
    const leaving = () => flush.current()
    window.addEventListener("pagehide", leaving)
    return () => {
      window.removeEventListener("pagehide", leaving)
      leaving()
    }
  }, [])
  return stored
}
