import { useState } from "react"
import { ApiError } from "../../api/client.ts"
import { errorText } from "../../api/error-text.ts"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/checkbox.tsx"
import { Field } from "../../ui/field.tsx"
import { FormDialog } from "../../ui/form-dialog.tsx"
import { Plus } from "../../ui/icons.tsx"
import { Notice } from "../../ui/notice.tsx"
import { TextArea } from "../../ui/text-area.tsx"
import { type Mode, readChoices } from "./choices.ts"
import { EntrantFields, type EntrantForm } from "./entrant-fields.tsx"
import { ModeChoice, modeNotes } from "./mode-choice.tsx"
import { RepositoryField } from "./repository-field.tsx"
import { ReviewerChoice } from "./reviewer-choice.tsx"
import { useAgents } from "./use-agents.ts"
import { useKnownRepositories } from "./use-known-repositories.ts"
import { useStartBakeOff } from "./use-start-bake-off.ts"

const LEAST_ENTRANTS = 2
const MOST_ENTRANTS = 8

interface Props {
  /** The session; null for a new one. */
  sessionId: string | null
  task?: string
  repository?: string
  /** Called with the session of the bake-off. */
  onStarted(sessionId: string): void
  onClose(): void
}

/** Starts a bake-off: the task, its entrants, and how their work is checked. */
export function BakeOffDialog({ sessionId, onStarted, onClose, ...initial }: Props) {
  const { agents } = useAgents()
  const able = agents.filter(({ key }) => key !== "none")
  const [task, setTask] = useState(initial.task ?? "")
  const [repository, setRepository] = useState(initial.repository ?? "")
  const [entrants, setEntrants] = useState<EntrantForm[]>([blankEntrant(0), blankEntrant(1)])
  const [base, setBase] = useState("")
  const [mode, setMode] = useState<Mode>(() => readChoices(localStorage).mode ?? "ask")
  const [verify, setVerify] = useState(true)
  const [reviewer, setReviewer] = useState("")
  const known = useKnownRepositories()
  const starting = useStartBakeOff()
  const { error } = starting
  const asksConsent = error instanceof ApiError && error.code === "consent_required"

  function submit(): void {
    const body = {
      task_description: task,
      entrants: entrants.map(({ agent, model }) => ({ coding_agent: agent, coding_model: model.trim() || undefined })),
      base_branch: base.trim() || undefined,
      ...{ mode, verify, consent: asksConsent },
      verification_agent: verify && reviewer !== "" ? reviewer : undefined,
    }
    starting.mutate({ sessionId, repository: repository.trim() || null, body }, { onSuccess: onStarted })
  }

  return (
    <FormDialog
      title="New bake-off"
      action={asksConsent ? "Allow and start" : "Start"}
      blocked={starting.isPending || task.trim() === "" || entrants.some(({ agent }) => agent === "")}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-sm text-ink-2">
        Each entrant does the same task on a branch of its own. You compare the results and adopt one.
      </p>
      <TextArea
        label="Task"
        rows={3}
        value={task}
        onChange={({ target }) => setTask(target.value)}
        className="resize-y"
      />
      {sessionId === null && <RepositoryField value={repository} onChange={setRepository} known={known} wrong={null} />}
      <div className="flex flex-col gap-3">
        {entrants.map((entrant, at) => (
          <EntrantFields
            key={entrant.key}
            number={at + 1}
            entrant={entrant}
            agents={able}
            onChange={(changed) => setEntrants(entrants.with(at, changed))}
            onRemove={entrants.length > LEAST_ENTRANTS ? () => setEntrants(entrants.toSpliced(at, 1)) : null}
          />
        ))}
        <Button
          size="sm"
          className="self-start"
          disabled={entrants.length >= MOST_ENTRANTS}
          onClick={() => setEntrants([...entrants, blankEntrant(Math.max(...entrants.map(({ key }) => key)) + 1)])}
        >
          <Plus size={14} aria-hidden /> Entrant
        </Button>
      </div>
      <ModeChoice mode={mode} onChoose={setMode} />
      <p className="-mt-2 text-sm text-ink-3">{modeNotes[mode]}</p>
      <Checkbox
        label="Verify the results"
        hint="By the project's own checks, on the commit of each entrant."
        checked={verify}
        onChange={setVerify}
      />
      {verify && <ReviewerChoice value={reviewer} onChange={setReviewer} inherited="As your settings say" />}
      <Field
        label="Base branch"
        value={base}
        placeholder="The one that is checked out"
        onChange={({ target }) => setBase(target.value)}
        autoComplete="off"
        spellCheck={false}
      />
      {error && <Notice tone={asksConsent ? "need" : "err"}>{errorText(error)}</Notice>}
    </FormDialog>
  )
}

function blankEntrant(key: number): EntrantForm {
  return { key, agent: "", model: "" }
}
