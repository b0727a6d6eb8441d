import { keepPreviousData, useMutation, useQueryClient } from "@tanstack/react-query"
import { anything, type Decoded, flag, list, number, object, text } from "../../api/decode.ts"
import { useResponse } from "../../session/context/requests.ts"
import { useStudio, useToast } from "../../session/context/studio.ts"
import { useListedSession } from "../../session/list/use-sessions.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { errorText } from "../../ui/error-text.ts"
import { type ChatView, chatKey } from "./use-chat.ts"

const Files = object({ files: list(object({ path: text, size: number, binary: flag })), is_read: flag })
type ChatFile = Decoded<typeof Files>["files"][number]

export interface ChatFiles {
  files: readonly ChatFile[]
  /** False for a repository's files that nobody has had read yet. */
  isRead: boolean
  isReading: boolean
  /** The reason why the last reading came to nothing. */
  error: string | null
  /** Has a repository's files read anew; null for a session's own, which are always as they are. */
  read: (() => void) | null
  /** Whether the studio's files have this one, too. */
  canOpen(path: string): boolean
}

const NONE: ChatFile[] = []

/** The session's own files as the log has them, or those of its repository as they were last read. */
export function useChatFiles(chat: ChatView | undefined): ChatFiles {
  const { sessionId: id } = useShownSession()
  const { api } = useStudio()
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
      // They change with the log, which names them.
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
