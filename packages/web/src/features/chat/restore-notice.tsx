import { Notice } from "../../ui/notice.tsx"
import { StatusIcon } from "../../ui/status-icon.tsx"
import type { ChatView } from "./use-chat.ts"

const WORDS = {
  rewind: { now: "Taking the repository's files back…", failed: "The chat was not rewound" },
  fork: { now: "Copying the conversation and its files…", failed: "The chat could not be copied completely" },
  review: { now: "Comparing the repository's files…", failed: "The review did not begin" },
  reset: { now: "Resetting the repository's files…", failed: "The files were not reset" },
  undo: { now: "Undoing the edits…", failed: "The edits were not undone" },
}

/** The rewind or the like that is under way, above the composer, or why it came to nothing. */
export function RestoreNotice({ restoring }: { restoring: NonNullable<ChatView["restoring"]> }) {
  const { kind, error } = restoring
  if (error !== null) {
    return (
      <Notice tone="err" className="mx-4 mb-2">
        {WORDS[kind].failed}: {error}
      </Notice>
    )
  }
  return (
    <p role="status" className="mx-auto mb-2 flex max-w-[792px] items-center gap-2 px-4 text-sm text-ink-2">
      <StatusIcon state="busy" label={null} />
      {WORDS[kind].now}
    </p>
  )
}
