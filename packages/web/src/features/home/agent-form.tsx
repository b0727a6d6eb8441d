import { useRef, useState } from "react"
import { useLocation } from "wouter"
import { paths } from "../../session/context/routes.ts"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/checkbox.tsx"
import { Field, SelectField } from "../../ui/field.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"
import { StartBudget } from "../usage/start-budget.tsx"
import { StartRefusal } from "../usage/start-refusal.tsx"
import { AgentChoice } from "./agent-choice.tsx"
import { Composer, Examples } from "./composer.tsx"
import { ConsentNotice } from "./consent-notice.tsx"
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
        draft={draft}
        action="Start"
        onRun={task.blocked ? null : () => task.start(false)}
        busy={task.busy}
        field={field}
        labelled
      >
        <AgentChoice agents={task.agents} chosen={task.agent} onChoose={task.setAgent} wrong={wrong("agent")} />
        <ModeChoice mode={task.mode} onChoose={task.setMode} />
        <RepositoryField
          value={task.repository}
          onChange={task.setRepository}
          known={useKnownRepositories()}
          wrong={wrong("repository")}
        />
      </Composer>
      {task.repository.trim() !== "" && <Beginning task={task} />}
      <Verification task={task} />
      <StartBudget {...task.field("budget")} />
      {refusal?.about === "all" && <StartRefusal error={refusal.error} className="mt-3" />}
      {wrong("consent") && <ConsentNotice repository={task.repository} onAgree={() => task.start(true)} />}
      <p className="mt-3 text-sm text-ink-3">
        The agent works on its own branch in a separate worktree; your checkout isn't touched. {modeNotes[task.mode]}
      </p>
      <Button size="sm" tone="quiet" className="mt-2 -ml-2" onClick={() => setComparing(true)}>
        Give it to several agents, and compare…
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
          hint="Done only once the project's own checks pass on the commit."
          {...task.field("verify")}
          options={[
            ["", "As the repository is set"],
            ["yes", "Yes"],
            ["no", "No"],
          ]}
          className="w-64 min-w-0"
        />
        {task.verify !== "no" && (
          <ReviewerChoice {...task.field("reviewer")} inherited="As the repository is set" className="w-72 min-w-0" />
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
          hint="Work on this branch, and in its worktree if you have one. Leave empty for a new branch."
          className="max-w-96"
          verbatim
        />
        <Checkbox
          label="Continue my latest session"
          hint="The newest one of this agent in this repository, from your own terminal. Claude Code and Codex have that."
          {...task.field("resumesLatest")}
        />
      </div>
    </details>
  )
}
