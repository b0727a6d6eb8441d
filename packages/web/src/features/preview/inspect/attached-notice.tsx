import { formatCount } from "@switchyard/core/text/format"
import { useEffect, useState } from "react"
import { Link } from "wouter"
import { paths } from "../../../session/context/routes.ts"
import { useSelectedElements } from "../../../session/view/use-selected-elements.ts"

/** Leads to the next request if elements are attached to it and its field isn't on the screen. */
export function AttachedNotice({ sessionId }: { sessionId: string }) {
  const { elements } = useSelectedElements(sessionId)
  const [composing, setComposing] = useState(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked for when an element is attached
  useEffect(() => {
    const field = document.getElementById("agent-user-prompt")
    setComposing(field !== null && field.closest("[inert]") === null)
  }, [elements])
  if (elements.length === 0 || composing) return null
  return (
    <p role="status" className="flex min-h-9 items-center gap-2 border-b border-line bg-accent-bg px-3 py-1 text-sm">
      <span className="min-w-0 flex-1 truncate">{formatCount(elements.length, "element")} attached</span>
      <Link
        href={paths.pane(sessionId, "conversation")}
        className="inline-flex min-h-6 shrink-0 items-center text-accent underline underline-offset-2 max-md:min-h-11"
      >
        Describe the change
      </Link>
    </p>
  )
}
