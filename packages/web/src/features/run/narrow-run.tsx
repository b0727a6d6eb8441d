import { Suspense, useState } from "react"
import { useLocation } from "wouter"
import { paths } from "../../session/context/routes.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Skeleton } from "../../ui/notice.tsx"
import { ConversationPane } from "./conversation/conversation.tsx"
import { Graph } from "./graph.tsx"

const Tree = lazyPart(async () => (await import("../files/tree-pane.tsx")).Tree)
const Log = lazyPart(async () => (await import("./log/log.tsx")).Log)
const parts = ["Conversation", "Files", "Log"] as const

/** The run on a phone: the graph, and one pane at a time. */
export function NarrowRun({ session }: { session: SessionStore }) {
  const [part, setPart] = useState<(typeof parts)[number]>("Conversation")
  const [, go] = useLocation()
  const id = session.sessionId
  const open = (file: string) => go(paths.files(id, file))
  return (
    <div
      data-region="main"
      tabIndex={-1}
      className="grid min-h-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_auto_minmax(0,1fr)]"
    >
      <Graph session={session} onNode={(node) => go(paths.prompts(id, node))} />
      <fieldset className="flex border-y border-line">
        <legend className="unseen">Part of the run</legend>
        {parts.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={part === name}
            onClick={() => setPart(name)}
            className="min-h-11 flex-1 border-b-2 border-transparent text-sm text-ink-2 aria-pressed:border-accent aria-pressed:font-semibold aria-pressed:text-ink"
          >
            {name}
          </button>
        ))}
      </fieldset>
      {part === "Conversation" && <ConversationPane session={session} onOpen={open} />}
      {part === "Files" && (
        <Suspense fallback={<Skeleton lines={5} />}>
          <Tree session={session} active={null} onOpen={open} />
        </Suspense>
      )}
      {part === "Log" && (
        <Suspense fallback={<Skeleton lines={6} />}>
          <Log session={session} />
        </Suspense>
      )}
    </div>
  )
}
