import { Notice } from "../../ui/notice.tsx"
import { StatusIcon } from "../../ui/status-icon.tsx"
import type { ChatView } from "./use-chat.ts"

/** The rewind or the fork that is under way, above the composer, or why it came to nothing. */
export function RestoreNotice({ restoring }: { restoring: NonNullable<ChatView["restoring"]> }) {
  const { kind, error } = restoring
  if (error !== null) {
    const what = kind === "rewind" ? "The chat was not rewound" : "The chat could not be copied completely"
    return (
      <Notice tone="err" className="mx-4 mb-2">
        {what}: {error}
      </Notice>
    )
  }
  return (
    <p role="status" className="mx-auto mb-2 flex max-w-[792px] items-center gap-2 px-4 text-sm text-ink-2">
      <StatusIcon state="busy" label={null} />
      {kind === "rewind" ? "Taking the repository's files back…" : "Copying the conversation and its files…"}
    </p>
  )
}
