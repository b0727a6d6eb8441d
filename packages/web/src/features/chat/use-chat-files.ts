import { keepPreviousData, useMutation, useQueryClient } from "@tanstack/react-query"
import { anything, type Decoded, flag, list, number, object, text } from "../../api/decode.ts"
import { useResponse } from "../../session/context/requests.ts"
import { useToast } from "../../session/context/studio.ts"
import { useListedSession } from "../../session/list/use-sessions.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { errorText } from "../../ui/error-text.ts"
import { type ChatView, chatKey } from "./use-chat.ts"

const Files = object({ files: list(object({ path: text, size: number, binary: flag })), is_read: flag })
type ChatFile = Decoded<typeof Files>["files"][number]

export interface ChatFiles {
  files: readonly ChatFile[]
  /** False for a repository's files that haven't been read yet. */
  isRead: boolean
  isReading: boolean
  /** Why the last read failed. */
  error: string | null
  /** Reads a repository's files again; null for the session's own files, which are always current. */
  read: (() => void) | null
  /** Returns true if the studio's file view also contains this file. */
  canOpen(path: string): boolean
}

const NONE: ChatFile[] = []

/** Returns the session's own files from the log, or its repository's files as last read. */
export function useChatFiles(chat: ChatView | undefined): ChatFiles {
  const { sessionId: id, api } = useShownSession()
  const client = useQueryClient()
  const toast = useToast()
  const own = useSessionData(({ live }) => live.files.manifest.files)
  const readSeq = useSessionData(({ live }) => live.chat?.filesSeq ?? 0)
  const isRepository = Boolean(useListedSession(id)?.repository)
  const { data } = useResponse(
    ["chat-files", id, readSeq],
    "GET /api/v1/sessions/{id}/chat/files",
    { path: { id }, response: Files },
    {
      enabled: isRepository,
      placeholderData: keepPreviousData,
      // The files change only with the log, which is part of the query key.
      staleTime: Number.POSITIVE_INFINITY,
    },
  )
  const reading = useMutation({
    mutationFn: () => api.call("POST /api/v1/sessions/{id}/chat/files", { path: { id }, response: anything }),
    onSuccess: () => client.invalidateQueries({ queryKey: chatKey(id) }),
    onError: (failed) => toast(errorText(failed), "err"),
  })
  const canOpen = (path: string) => own.some((file) => file.path === path)
  if (!isRepository) return { files: own, isRead: true, isReading: false, error: null, read: null, canOpen }
  const read = () => reading.mutate()
  const isRead = data?.is_read ?? true
  const error = chat?.reading?.error ?? null
  const isReading = reading.isPending || chat?.reading?.error === null
  return { files: data?.files ?? NONE, isRead, isReading, error: isReading ? null : error, read, canOpen }
}
