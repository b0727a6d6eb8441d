import { cliTitle, nextAgentName } from "@switchyard/core/agents/clis/titles"
import { useState } from "react"
import { needsConsent } from "../../api/client.ts"
import type { Mode } from "../../session/preferences/new-session-choices.ts"
import type { RosterEntry } from "../../session/thread/roster.ts"
import { FormDialog } from "../../ui/dialog.tsx"
import { Field, SelectField, TextArea, useFields } from "../../ui/field.tsx"
import { Notice } from "../../ui/notice.tsx"
import { useAttempt } from "../../ui/use-attempt.ts"
import { AgentChoice } from "../home/agent-choice.tsx"
import { ModeChoice, modeNotes } from "../home/mode-choice.tsx"
import { useAgents } from "../home/use-agents.ts"
import { useAgentActions } from "./use-agent-actions.ts"

interface Props {
  roster: RosterEntry[]
  /** Called with the new agent's name. */
  onAdded(name: string): void
  onClose(): void
}

/** Adds an agent: its name (by default that of its program), program, permissions, worktree and first message. */
export function AddAgentDialog({ roster, onAdded, onClose }: Props) {
  const agents = useAgents()
  const { add } = useAgentActions()
  const first = roster[0]?.state
  const [program, setProgram] = useState(first?.agent.account ?? first?.agent.cli ?? first?.run?.agent ?? "")
  const [mode, setMode] = useState<Mode>("ask")
  const { form, field } = useFields({ name: "", worktree: "own", base: "", cwd: "", prompt: "" })
  const { worktree, base, cwd, prompt } = form
  const { cli } = agents.agents.find((one) => one.name === program) ?? { cli: program }
  const suggested = nextAgentName(
    cliTitle(cli),
    roster.map(({ address }) => address),
  )
  const name = form.name.trim() || suggested
  const { attempt, busy, error, message } = useAttempt()
  const consents = needsConsent(error)
  async function submit(): Promise<void> {
    const agent = {
      name,
      coding_agent: program,
      mode,
      worktree,
      consent: consents,
      ...(base.trim() !== "" && worktree === "own" && { base_branch: base.trim() }),
      ...(cwd.trim() !== "" && { cwd: cwd.trim() }),
      ...(prompt.trim() !== "" && { prompt }),
    }
    if (!(await attempt(() => add(agent)))) return
    onAdded(name)
    onClose()
  }
  return (
    <FormDialog
      title="Add agent"
      action={consents ? "Allow and add" : "Add"}
      blocked={busy || program === ""}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Name" maxLength={64} placeholder={suggested} {...field("name")} verbatim />
      <div className="flex flex-wrap gap-4">
        <AgentChoice agents={agents} chosen={program} onChoose={setProgram} wrong={null} />
        <ModeChoice mode={mode} onChoose={setMode} />
      </div>
      <p className="-mt-2 text-sm text-ink-3">{modeNotes[mode]}</p>
      <SelectField
        label="Worktree"
        {...field("worktree")}
        hint={
          worktree === "own"
            ? "The agent works in parallel on its own branch."
            : "Agents that share a worktree take turns."
        }
        options={[
          ["own", "New worktree"],
          ["shared", "Share with the original agent"],
        ]}
      />
      {worktree === "own" && <Field label="Base branch" placeholder="Current branch" {...field("base")} verbatim />}
      <Field label="Folder" placeholder="Entire repository" {...field("cwd")} verbatim />
      <TextArea label="First message" rows={3} placeholder="Optional" className="resize-y" {...field("prompt")} />
      {message !== null && <Notice tone={consents ? "need" : "err"}>{message}</Notice>}
    </FormDialog>
  )
}
