import { count } from "./count.ts"
import type { ChatCompaction } from "./use-chat.ts"

/** The place from which the model reads the conversation as it is. */
export function CompactionRow({ compaction }: { compaction: ChatCompaction }) {
  const { summary, tokens_before: before, tokens_after: after } = compaction
  const sizes = `${count(before)} tokens became ${count(after)}`
  if (summary === "") {
    return (
      <p className="border-y border-line py-1.5 text-sm text-ink-3 nums">
        A new topic: the model no longer reads what is above. {sizes}.
      </p>
    )
  }
  return (
    <details className="border-y border-line py-1.5 text-sm text-ink-3">
      <summary className="cursor-pointer nums">The model reads a summary of what is above: {sizes}.</summary>
      <p className="mt-1.5 whitespace-pre-wrap text-ink-2">{summary}</p>
    </details>
  )
}
