import { formatCount } from "@switchyard/core/text/format"
import { useState } from "react"
import { useSendMessage } from "../../../session/actions/use-send-message.ts"
import { useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { ConfirmDialog } from "../../../ui/dialog.tsx"
import { CornerDownLeft } from "../../../ui/icons.tsx"
import { ErrorNotice } from "../../../ui/notice.tsx"
import { reviewMessage } from "./comments.ts"
import type { Comments } from "./use-comments.ts"

/** Comments waiting to be sent to the agent as one message. */
export function ReviewBar({ comments }: { comments: Comments }) {
  const { send, sending, error } = useSendMessage()
  const toast = useToast()
  const [discarding, setDiscarding] = useState(false)
  const count = formatCount(comments.all.length, "comment")
  const submit = async () => {
    if (!(await send(reviewMessage(comments.all)))) return
    comments.clear()
    toast(`Sent ${count} to the agent.`, "ok")
  }
  return (
    <section aria-label="Your review" className="border-t border-line bg-paper">
      <ErrorNotice error={error} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5 text-sm">
        <p role="status" className="mr-auto">
          {count} for the agent
        </p>
        <Button size="sm" tone="quiet" disabled={sending} onClick={() => setDiscarding(true)}>
          Discard
        </Button>
        <Button size="sm" tone="primary" disabled={sending} onClick={submit}>
          <CornerDownLeft size={14} aria-hidden /> Send to agent
        </Button>
      </div>
      {discarding && (
        <ConfirmDialog
          title={`Discard ${count}?`}
          action="Discard"
          busy={false}
          onClose={() => setDiscarding(false)}
          onConfirm={() => {
            comments.clear()
            setDiscarding(false)
          }}
        >
          You haven't sent your review to the agent yet.
        </ConfirmDialog>
      )}
    </section>
  )
}
