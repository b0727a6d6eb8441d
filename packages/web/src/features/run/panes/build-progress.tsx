import { NODE_NAMES } from "@switchyard/core/work/workflow/nodes"
import type { NodeState } from "../../../session/stream/graph.ts"
import { isRunning } from "../../../session/stream/run.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { Button } from "../../../ui/button.tsx"
import { type IconState, StatusIcon } from "../../../ui/icons.tsx"
import { Empty } from "../../../ui/notice.tsx"
import { nodeNames, useNodeNotes } from "./node-notes.ts"

interface Props {
  /** Why there is no page. */
  reason: string
  onCode(): void
}

/** Takes the place of the app while there is none: what is being built, or why there is nothing to show. */
export function BuildProgress({ reason, onCode }: Props) {
  const run = useSessionData(({ shown }) => shown.run)
  const hasFiles = useSessionData(({ shown }) => shown.files.manifest.files.length > 0)
  if (isRunning(run)) return <Steps />
  if (hasFiles) {
    return (
      <Empty title="No page to show">
        <p>{reason}</p>
        <Button size="sm" className="mt-2" onClick={onCode}>
          Show code
        </Button>
      </Empty>
    )
  }
  if (run?.status === "parked") return <Empty title="Waiting for you">Answer the question in the conversation.</Empty>
  if (run) return <Empty title="Nothing was built">See the conversation for details.</Empty>
  return <Empty title="Your app will appear here">Describe what to build. You'll see the app once it has a page.</Empty>
}

const icons = { idle: "idle", active: "busy", completed: "done", error: "error" } satisfies Record<NodeState, IconState>

/** The planned project, and how far each node is. */
function Steps() {
  const name = useSessionData(({ shown }) => shown.conversation.at(-1)?.plan?.name)
  const graph = useSessionData(({ shown }) => shown.graph)
  const notes = useNodeNotes()
  const { stepsFinished, stepsTotal } = graph
  return (
    <div className="flex h-full items-center justify-center overflow-y-auto p-6">
      <section aria-label="Progress" className="w-full max-w-80">
        <h2 className="truncate font-semibold" title={name}>
          {name ? `Building ${name}` : "Starting"}
        </h2>
        <progress
          aria-label="Files written"
          value={stepsFinished}
          max={stepsTotal || 1}
          className="mt-3 mb-4 block h-1 w-full appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
        />
        <ol className="flex flex-col gap-2 text-sm">
          {NODE_NAMES.map((node) => (
            <li key={node} className="flex items-center gap-2">
              <StatusIcon state={icons[graph.nodes[node].state]} label={null} />
              <span className="w-18 shrink-0">{nodeNames[node]}</span>
              <span className="min-w-0 flex-1 truncate text-ink-2 nums">{notes[node]}</span>
            </li>
          ))}
        </ol>
        <p className="mt-5 text-sm text-ink-3">Your app will appear here as soon as there's something to see.</p>
      </section>
    </div>
  )
}
