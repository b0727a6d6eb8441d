import { Button } from "../../ui/button.tsx"
import type { ChatDialog } from "./chat-dialogs.tsx"
import type { ChatActions } from "./use-chat-actions.ts"

interface Props {
  actions: ChatActions
  isBusy: boolean
  /** The label of the button that shows the files; null where they are shown already. */
  files: string | null
  /** Whether the context is shown already. */
  hasContext: boolean
  onDialog(dialog: ChatDialog): void
}

/** The actions on the conversation, and on what a narrow screen has no room for. */
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
