import { Button } from "../../ui/button.tsx"
import type { ChatDialog } from "./chat-dialogs.tsx"
import type { ChatActions } from "./use-chat-actions.ts"

interface Props {
  actions: ChatActions
  isBusy: boolean
  /** Label of the button that shows the files; null if they are already shown. */
  files: string | null
  /** True if the context is already shown. */
  hasContext: boolean
  onDialog(dialog: ChatDialog): void
}

/** Actions on the conversation, and buttons for whatever doesn't fit on a narrow screen. */
export function ChatBar({ actions, isBusy, files, hasContext, onDialog }: Props) {
  return (
    <div className="flex flex-wrap items-center gap-1 border-b border-line px-3 py-1 max-sm:px-1">
      {files !== null && (
        <Button size="sm" tone="quiet" onClick={() => onDialog("files")}>
          {files}
        </Button>
      )}
      <span className="ml-auto flex gap-1 max-sm:gap-0">
        {!hasContext && (
          <Button size="sm" tone="quiet" onClick={() => onDialog("context")}>
            Context
          </Button>
        )}
        <Button size="sm" tone="quiet" disabled={isBusy} onClick={actions.commit}>
          Commit
        </Button>
        <Button size="sm" tone="quiet" onClick={() => onDialog("history")}>
          Conversations
        </Button>
        <Button size="sm" tone="quiet" onClick={actions.begin}>
          New
        </Button>
      </span>
    </div>
  )
}
