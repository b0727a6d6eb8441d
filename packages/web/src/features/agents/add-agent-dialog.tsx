import { useState } from "react"
import { errorText } from "../../api/error-text.ts"
import type { RosterEntry } from "../../session/thread/roster.ts"
import { Field } from "../../ui/field.tsx"
import { FormDialog } from "../../ui/form-dialog.tsx"
import { Notice } from "../../ui/notice.tsx"
import { SelectField } from "../../ui/select-field.tsx"
import { TextArea } from "../../ui/text-area.tsx"
import { AgentChoice } from "../home/agent-choice.tsx"
import type { Mode } from "../home/choices.ts"
import { ModeChoice, modeNotes } from "../home/mode-choice.tsx"
import { useAgents } from "../home/use-agents.ts"
import { needsConsent, useAgentActions } from "./use-agent-actions.ts"

interface Props {
  sessionId: string
  roster: RosterEntry[]
  /** Called with the name of the new agent. */
  onAdded(name: string): void
  onClose(): void
}

/** Adds an agent: its name, its program, what it may do, where it works and what it is told first. */
export function AddAgentDialog({ sessionId, roster, onAdded, onClose }: Props) {
  const agents = useAgents()
  const { add } = useAgentActions(sessionId)
  const [name, setName] = useState("")
  const first = roster[0]?.state
  const [program, setProgram] = useState(first?.agent.account ?? first?.agent.cli ?? first?.run?.agent ?? "")
  const [mode, setMode] = useState<Mode>("ask")
  const [worktree, setWorktree] = useState("own")
  const [base, setBase] = useState("")
  const [cwd, setCwd] = useState("")
  const [prompt, setPrompt] = useState("")
  const [sending, setSending] = useState(false)
  const [consents, setConsents] = useState(false)
  const [error, setError] = useState<string | null>(null)

  async function submit(): Promise<void> {
    setSending(true)
    setError(null)
    try {
      await add({
        name: name.trim(),
        coding_agent: program,
        mode,
        worktree,
        consent: consents,
        ...(base.trim() !== "" && worktree === "own" && { base_branch: base.trim() }),
        ...(cwd.trim() !== "" && { cwd: cwd.trim() }),
        ...(prompt.trim() !== "" && { prompt }),
      })
      onAdded(name.trim())
      onClose()
    } catch (failure) {
      setSending(false)
      if (needsConsent(failure)) setConsents(true)
      setError(errorText(failure))
    }
  }

  return (
    <FormDialog
      title="Add an agent"
      action={consents ? "Allow and add" : "Add"}
      blocked={sending || name.trim() === "" || program === ""}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Name"
        value={name}
        maxLength={64}
        placeholder="tests"
        onChange={({ target }) => setName(target.value)}
        autoComplete="off"
      />
      <div className="flex flex-wrap gap-4">
        <AgentChoice agents={agents} chosen={program} onChoose={setProgram} wrong={null} />
        <ModeChoice mode={mode} onChoose={setMode} />
      </div>
      <p className="-mt-2 text-sm text-ink-3">{modeNotes[mode]}</p>
      <SelectField
        label="Worktree"
        value={worktree}
        onChange={setWorktree}
        hint={
          worktree === "own"
            ? "On a branch of its own, side by side with the others."
            : "The agents of one worktree take turns."
        }
      >
        <option value="own">One of its own</option>
        <option value="shared">The session's, shared with main</option>
      </SelectField>
      {worktree === "own" && (
        <Field
          label="Base branch"
          value={base}
          placeholder="The one that is checked out"
          onChange={({ target }) => setBase(target.value)}
          autoComplete="off"
        />
      )}
      <Field
        label="Folder"
        value={cwd}
        placeholder="The whole project"
        onChange={({ target }) => setCwd(target.value)}
        autoComplete="off"
      />
      <TextArea
        label="First message"
        rows={3}
        value={prompt}
        onChange={({ target }) => setPrompt(target.value)}
        placeholder="Optional"
        className="resize-y"
      />
      {error && <Notice tone={consents ? "need" : "err"}>{error}</Notice>}
    </FormDialog>
  )
}
