import type { ReactNode } from "react"
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"
import type { ChatActions } from "./use-chat-actions.ts"

const HistoryDialog = lazyPart(async () => (await import("./history-dialog.tsx")).HistoryDialog)
const MapDialog = lazyPart(async () => (await import("./map-dialog.tsx")).MapDialog)
const ReviewDialog = lazyPart(async () => (await import("./review-dialog.tsx")).ReviewDialog)

export type ChatDialog = "history" | "files" | "context" | "map" | "reset" | "review"

interface Props {
  shown: ChatDialog | null
  actions: ChatActions
  files: ReactNode
  context: ReactNode
  onClose(): void
}

export function ChatDialogs({ shown, actions, files, context, onClose }: Props) {
  if (shown === "history") return <HistoryDialog onLoad={actions.load} onNew={actions.begin} onClose={onClose} />
  if (shown === "review") return <ReviewDialog actions={actions} onClose={onClose} />
  if (shown === "map") return <MapDialog onClose={onClose} />
  if (shown === "files") {
    return (
      <Dialog title="Files in context" onClose={onClose}>
        <div className="h-[60dvh]">{files}</div>
      </Dialog>
    )
  }
  if (shown === "context") {
    return (
      <Dialog title="Context" onClose={onClose}>
        {context}
      </Dialog>
    )
  }
  if (shown === null) return null
  const reset = () => {
    onClose()
    actions.reset()
  }
  return (
    <ConfirmDialog title="Reset files?" action="Reset" busy={false} onClose={onClose} onConfirm={reset}>
      All files will return to the last commit, or to their original version if there are no commits. Later changes stay
      in the session history (or, for a repository, on the session's branch).
    </ConfirmDialog>
  )
}
