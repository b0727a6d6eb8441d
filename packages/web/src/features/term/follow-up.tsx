import { Play } from "lucide-react"
import { useId, useState } from "react"
import { useCommand } from "../../app/commands.ts"
import { useStudio } from "../../app/studio.ts"
import type { SessionStore } from "../../stream/session-store.ts"
import { isRunning } from "../../stream/view.ts"
import { Button } from "../../ui/button.tsx"
import { fieldClass } from "../../ui/field.tsx"
import { Notice } from "../../ui/notice.tsx"
import { startAgent } from "../home/start-agent.ts"
import { useSessionData } from "../run/use-session.ts"

/** The agent's next task, in the same worktree. */
export function FollowUp({ session, readOnly }: { session: SessionStore; readOnly: string | null }) {
  const { api } = useStudio()
  const id = useId()
  const [task, setTask] = useState("")
  const [error, setError] = useState<string | null>(null)
  const run = useSessionData(session, ({ live }) => live.run)
  const agent = useSessionData(session, ({ live }) => live.agent)
  const running = isRunning(run)
  const blocked = running || readOnly !== null || task.trim() === ""
  const send = async () => {
    if (blocked) return
    setError(null)
    try {
      await startAgent(api, {
        sessionId: session.sessionId,
        task,
        agent: run?.agent ?? agent.cli ?? "mock",
        repository: null,
        consent: false,
      })
      setTask("")
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure))
    }
  }
  useCommand("run", "Send the task", blocked ? null : send)
  return (
    <form
      className="border-b border-line p-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className="flex items-start gap-2">
        <label htmlFor={id} className="unseen">
          Next task
        </label>
        <textarea
          id={id}
          rows={1}
          value={running ? (run?.prompt ?? "") : task}
          readOnly={running || readOnly !== null}
          onChange={(event) => setTask(event.target.value)}
          placeholder={run ? "What should the agent do next?" : "What should the agent do?"}
          className={`${fieldClass} field-sizing-content block max-h-36 min-h-9 resize-none py-1.5 read-only:text-ink-2 max-md:min-h-11`}
        />
        <Button type="submit" tone="primary" disabled={blocked}>
          <Play size={14} aria-hidden /> {running ? "Working" : "Send"}
        </Button>
      </div>
      {agent.progress && running && <p className="mt-1 text-sm text-ink-3">{agent.progress}</p>}
      {error && (
        <Notice tone="err" className="mt-2">
          {error}
        </Notice>
      )}
    </form>
  )
}
