import { useState } from "react"
import { useLocation } from "wouter"
import { paths } from "../../session/context/routes.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Skeleton } from "../../ui/notice.tsx"
import { PartTabs } from "../../ui/part-tabs.tsx"
import { ConversationPane } from "./conversation/conversation.tsx"
import { Graph } from "./graph.tsx"

const Tree = lazyPart(async () => (await import("../files/tree-pane.tsx")).Tree, <Skeleton lines={5} />)
const Log = lazyPart(async () => (await import("./log/log.tsx")).Log, <Skeleton lines={6} />)
const parts = ["Conversation", "Files", "Log"] as const

/** The run on phones: the graph, and one pane at a time. */
export function NarrowRun() {
  const { sessionId: id } = useShownSession()
  const [part, setPart] = useState<(typeof parts)[number]>("Conversation")
  const [, go] = useLocation()
  const open = (file: string) => go(paths.files(id, file))
  return (
    <div
      data-region="main"
      tabIndex={-1}
      className="grid min-h-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_auto_minmax(0,1fr)]"
    >
      <Graph onNode={(node) => go(paths.prompts(id, node))} />
      <PartTabs legend="Part of the run" parts={parts} shown={part} onShow={setPart} className="border-t" />
      {part === "Conversation" && <ConversationPane onOpen={open} />}
      {part === "Files" && <Tree active={null} onOpen={open} />}
      {part === "Log" && <Log />}
    </div>
  )
}
