import { useRef, useState } from "react"
import { useLocation } from "wouter"
import { paths } from "../../session/context/routes.ts"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/checkbox.tsx"
import { Field, SelectField } from "../../ui/field.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Composer } from "../conversation/composer.tsx"
import { StartBudget } from "../usage/start-budget.tsx"
import { AgentChoice } from "./agent-choice.tsx"
import { ConsentNotice } from "./consent-notice.tsx"
import { Examples } from "./examples.tsx"
import { ModeChoice, modeNotes } from "./mode-choice.tsx"
import { RepositoryField } from "./repository-field.tsx"
import { ReviewerChoice } from "./reviewer-choice.tsx"
import { useAgentTask } from "./use-agent-task.ts"
import type { useDraft } from "./use-draft.ts"
import { useKnownRepositories } from "./use-known-repositories.ts"

const BakeOffDialog = lazyPart(async () => (await import("./bake-off-dialog.tsx")).BakeOffDialog)

const examples = [
  "Add a --json flag to the list command, with tests",
  "Find and fix the flaky tests",
  "Update the dependencies and fix what breaks",
]

/** Form for a command-line agent's task: the task, the agent and the repository. */
export function AgentForm({ draft }: { draft: ReturnType<typeof useDraft> }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const task = useAgentTask(draft)
  const { refusal } = task
  const [comparing, setComparing] = useState(false)
  const [, go] = useLocation()
  const wrong = (about: string) => (refusal?.about === about ? refusal.message : null)
  return (
    <>
      <Composer
        label="Task"
        placeholder="What should the agent do?"
        rows={3}
        value={draft.text}
        onChange={draft.write}
        command="Start"
        action="Start"
        onSend={task.blocked ? null : () => task.start(false)}
        busy={task.busy && "Starting"}
        isRun
        error={refusal?.about === "all" ? refusal.error : null}
        ref={field}
        attached={
          <div className="flex gap-3 border-t border-line px-4 pt-3 max-md:flex-col">
            <AgentChoice agents={task.agents} chosen={task.agent} onChoose={task.setAgent} wrong={wrong("agent")} />
            <ModeChoice mode={task.mode} onChoose={task.setMode} />
            <RepositoryField
              value={task.repository}
              onChange={task.setRepository}
              known={useKnownRepositories()}
              wrong={wrong("repository")}
            />
          </div>
        }
      />
      {task.repository.trim() !== "" && <Beginning task={task} />}
      <Verification task={task} />
      <StartBudget {...task.field("budget")} />
      {wrong("consent") && <ConsentNotice repository={task.repository} onAgree={() => task.start(true)} />}
      <p className="mt-3 text-sm text-ink-3">
        The agent works on its own branch in a separate worktree; your checkout isn't touched. {modeNotes[task.mode]}
      </p>
      <Button size="sm" tone="quiet" className="mt-2 -ml-2" onClick={() => setComparing(true)}>
        Compare agents…
      </Button>
      {comparing && (
        <BakeOffDialog
          sessionId={null}
          task={draft.text}
          repository={task.repository}
          onStarted={(session) => {
            draft.forget()
            go(paths.bakeOffs(session))
          }}
          onClose={() => setComparing(false)}
        />
      )}
      <Examples of={examples} draft={draft} field={field} />
    </>
  )
}

/** Whether the work is checked before it counts as done, and which agent reviews it. */
function Verification({ task }: { task: ReturnType<typeof useAgentTask> }) {
  return (
    <details className="mt-3 text-sm">
      <summary className="w-fit cursor-pointer text-ink-2 hover:text-ink max-md:py-3.5">Verify the result</summary>
      <div className="mt-2 flex flex-wrap gap-4 border-l border-line pl-4">
        <SelectField
          label="Verify"
          hint="The task isn't done until the project's checks pass."
          {...task.field("verify")}
          options={[
            ["", "Repository default"],
            ["yes", "Yes"],
            ["no", "No"],
          ]}
          className="w-64 min-w-0"
        />
        {task.verify !== "no" && (
          <ReviewerChoice {...task.field("reviewer")} inherited="Repository default" className="w-72 min-w-0" />
        )}
      </div>
    </details>
  )
}

/** The branch and the session that the work continues, if any. */
function Beginning({ task }: { task: ReturnType<typeof useAgentTask> }) {
  return (
    <details className="mt-3 text-sm">
      <summary className="w-fit cursor-pointer text-ink-2 hover:text-ink max-md:py-3.5">Continue existing work</summary>
      <div className="mt-2 flex flex-col gap-2 border-l border-line pl-4">
        <Field
          label="Branch"
          {...task.field("branch")}
          hint="Enter a branch to continue, or leave empty to create one."
          className="max-w-96"
          verbatim
        />
        <Checkbox
          label="Continue my latest session"
          hint="Resumes the latest Claude Code or Codex session you started in this repository from your own terminal."
          {...task.field("resumesLatest")}
        />
      </div>
    </details>
  )
}
