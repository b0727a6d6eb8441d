import type { NewBakeOff } from "@switchyard/core/work/bake-offs/schema"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type * as z from "zod"
import { type Api, needsConsent } from "../../api/client.ts"
import { anything, object, text } from "../../api/decode.ts"
import { useStudio } from "../../session/context/studio.ts"
import { useSessionsChanged } from "../../session/list/use-sessions.ts"
import { type Mode, readChoices } from "../../session/preferences/new-session-choices.ts"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/checkbox.tsx"
import { FormDialog } from "../../ui/dialog.tsx"
import { errorText } from "../../ui/error-text.ts"
import { Field, TextArea } from "../../ui/field.tsx"
import { Plus } from "../../ui/icons.tsx"
import { Notice } from "../../ui/notice.tsx"
import { EntrantFields, type EntrantForm } from "./entrant-fields.tsx"
import { ModeChoice, modeNotes } from "./mode-choice.tsx"
import { RepositoryField } from "./repository-field.tsx"
import { ReviewerChoice } from "./reviewer-choice.tsx"
import { useAgents } from "./use-agents.ts"
import { useKnownRepositories } from "./use-known-repositories.ts"

const LEAST_ENTRANTS = 2
const MOST_ENTRANTS = 8

interface Props {
  /** Session; null for a new one. */
  sessionId: string | null
  task?: string
  repository?: string
  /** Called with the comparison's session. */
  onStarted(sessionId: string): void
  onClose(): void
}

/** Starts a comparison: the task, the agents, and how their work is checked. */
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
  const asksConsent = needsConsent(error)

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
      title="Compare agents"
      action={asksConsent ? "Allow and start" : "Start"}
      blocked={starting.isPending || task.trim() === "" || entrants.some(({ agent }) => agent === "")}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-sm text-ink-2">
        Each agent works on the same task on its own branch. Compare the results and keep one.
      </p>
      <TextArea label="Task" rows={3} value={task} onChange={setTask} className="resize-y" />
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
          <Plus size={14} aria-hidden /> Agent
        </Button>
      </div>
      <ModeChoice mode={mode} onChoose={setMode} />
      <p className="-mt-2 text-sm text-ink-3">{modeNotes[mode]}</p>
      <Checkbox
        label="Verify the results"
        hint="Runs the project's checks on each agent's commit."
        value={verify}
        onChange={setVerify}
      />
      {verify && <ReviewerChoice value={reviewer} onChange={setReviewer} inherited="Default" />}
      <Field label="Base branch" value={base} placeholder="Current branch" onChange={setBase} verbatim />
      {error && <Notice tone={asksConsent ? "need" : "err"}>{errorText(error)}</Notice>}
    </FormDialog>
  )
}

function blankEntrant(key: number): EntrantForm {
  return { key, agent: "", model: "" }
}

interface BakeOffRequest {
  /** Session; null for a new one. */
  sessionId: string | null
  /** Repository of a new session; null for its own files. */
  repository: string | null
  body: z.input<typeof NewBakeOff>
}

/** Starts a comparison. Resolves to the session ID. */
function useStartBakeOff() {
  const { api } = useStudio()
  const client = useQueryClient()
  const changed = useSessionsChanged()
  return useMutation({
    mutationFn: (request: BakeOffRequest) =>
      request.sessionId === null ? startInNewSession(api, request) : start(api, request.sessionId, request),
    onSuccess: (id) => {
      changed()
      return client.invalidateQueries({ queryKey: ["bake-offs", id] })
    },
  })
}

async function start(api: Api, id: string, { body }: BakeOffRequest): Promise<string> {
  const request = { path: { id }, body, idempotencyKey: crypto.randomUUID(), response: anything }
  await api.call("POST /api/v1/sessions/{id}/bake-offs", request)
  return id
}

/** If the comparison is refused, the session created for it is deleted again. */
async function startInNewSession(api: Api, request: BakeOffRequest): Promise<string> {
  const { repository } = request
  const { id } = await api.call("POST /api/v1/sessions", { body: { repository }, response: object({ id: text }) })
  try {
    return await start(api, id, request)
  } catch (error) {
    await api.call("DELETE /api/v1/sessions/{id}", { path: { id }, response: anything }).catch(() => undefined)
    throw error
  }
}
