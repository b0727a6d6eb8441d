import { RepositorySettings } from "@switchyard/core/people/settings/repository-settings-schema"
import { PREVIEW_LIMIT_SECONDS, START_LIMIT_SECONDS, USUAL_LIMIT_SECONDS } from "@switchyard/core/work/gate/schema"
import { type ComponentProps, useState } from "react"
import { CHECK_LABELS, CHECK_NAMES } from "../../../session/actions/check-commands.ts"
import { FormDialog } from "../../../ui/dialog.tsx"
import { ChoiceField, Field, SelectField, TextArea, useFields } from "../../../ui/field.tsx"
import { ErrorNotice } from "../../../ui/notice.tsx"
import { agentOption, useAgents } from "../../home/use-agents.ts"
import { FindSettings, type FoundProject } from "./find-settings.tsx"
import { fromForm, PROJECT_TYPES, type RepositoryForm, repositoryErrors } from "./repository-form.ts"
import { VerificationFields } from "./verification-fields.tsx"

interface Props {
  title: string
  initial: RepositoryForm
  busy: boolean
  error: Error | null
  onSave(settings: RepositorySettings): void
  onClose(): void
}

const PREVIEWS = { auto: "On whichever port it listens", manual: "On this port", disabled: "Not shown" }
const PROJECTS = { "": "As its files say", ...PROJECT_TYPES }

export function RepositoryDialog({ title, initial, busy, error, onSave, onClose }: Props) {
  const { form, setForm, edit, field, faults, setFaults } = useFields(initial)
  const [found, setFound] = useState<FoundProject | null>(null)
  const save = () => {
    const parsed = RepositorySettings.safeParse(fromForm(form))
    setFaults(parsed.success ? {} : repositoryErrors(parsed.error))
    if (parsed.success) onSave(parsed.data)
  }
  return (
    <FormDialog
      title={title}
      action="Save"
      blocked={busy || form.repository.trim() === ""}
      onSubmit={save}
      onClose={onClose}
    >
      <ErrorNotice error={error} />
      <Field
        label="Repository"
        hint="The folder or address, as in a task."
        placeholder="/home/you/project"
        {...field("repository")}
        verbatim
      />
      <FindSettings
        repository={form.repository.trim()}
        found={found}
        onFound={(project) => {
          setFound(project)
          if (project) setForm((now) => withFound(now, project))
        }}
      />
      <ChoiceField
        label="Project"
        hint="Its conventions say how it is built and tested, where a repository has the manifests of several."
        className="max-w-96"
        of={PROJECTS}
        {...field("project_type")}
      />
      <PreferredAgent {...field("preferred_agent")} />
      <Lines
        label="Read first"
        hint="Files of the repository that agents are told to read, one a line, beside AGENTS.md and others that are found."
        placeholder="docs/architecture.md"
        {...field("instructions_paths")}
      />
      <Lines
        label="Set-up command"
        hint="Runs once in a new worktree, before the agent begins."
        placeholder="npm ci"
        {...field("setup")}
      />
      <Lines label="Clean-up command" hint="Runs before the worktree is deleted." {...field("cleanup")} />
      <Lines
        label="Files to copy"
        hint="From your checkout, one a line. Only what git ignores."
        placeholder=".env"
        {...field("copy")}
      />
      <Lines
        label="Folders to link"
        hint="Dependencies of your checkout, one a line. What is installed in the worktree stays there."
        {...field("link")}
      />
      <Lines
        label="Folders to cache"
        hint="Kept after the set-up, and restored while the lockfiles are the same."
        placeholder="node_modules"
        {...field("cache")}
      />
      <Field
        label="Ports"
        type="number"
        min={0}
        max={20}
        hint="For each worktree alone: PORT, SWITCHYARD_PORT_1 and so on."
        className="max-w-60"
        {...field("ports")}
      />
      <VerificationFields form={form} faults={faults} onChange={edit} />
      <fieldset>
        <legend className="text-sm font-semibold">Checks</legend>
        <p className="mt-1 text-sm text-ink-3">
          Commands that verify an agent's work, in place of those that are found. They run without a network.
        </p>
        <div className="mt-2 grid gap-3 sm:grid-cols-2">
          {CHECK_NAMES.map((name) => (
            <Field
              key={name}
              label={CHECK_LABELS[name]}
              className="[&_input]:font-mono [&_input]:text-sm"
              placeholder={found?.commands[name]}
              {...field(name)}
              verbatim
            />
          ))}
        </div>
        <p className="mt-3 text-sm text-ink-3">
          Seconds that each may take before it counts as failed. Without a number, {USUAL_LIMIT_SECONDS}; a server has{" "}
          {START_LIMIT_SECONDS} to answer in a check, and {PREVIEW_LIMIT_SECONDS} where you look at it.
        </p>
        <div className="mt-2 grid grid-cols-2 gap-3 sm:grid-cols-4">
          {CHECK_NAMES.map((name) => (
            <Field
              key={name}
              label={`${CHECK_LABELS[name]} limit`}
              type="number"
              min={1}
              max={3600}
              placeholder={String(name === "start" ? START_LIMIT_SECONDS : USUAL_LIMIT_SECONDS)}
              {...field(`${name}_limit`)}
            />
          ))}
        </div>
        <div className="mt-3 grid items-start gap-3 sm:grid-cols-2">
          <ChoiceField label="Preview of the server" of={PREVIEWS} {...field("port_mode")} />
          {form.port_mode === "manual" && (
            <Field label="Preview port" type="number" min={1024} max={65_535} {...field("preview_port")} />
          )}
        </div>
      </fieldset>
    </FormDialog>
  )
}

/** Fills in what was detected for fields that are empty. */
function withFound(form: RepositoryForm, found: FoundProject): RepositoryForm {
  const setup = form.setup.trim() === "" && found.setup_needed ? (found.setup_command ?? "") : form.setup
  return { ...form, setup, project_type: form.project_type || (found.project_type ?? "") }
}

/** Selects the agent for tasks that don't name one. */
function PreferredAgent({ value, onChange }: { value: string; onChange(value: string): void }) {
  const { agents } = useAgents()
  const isGone = value !== "" && !agents.some(({ name }) => name === value)
  return (
    <SelectField
      label="Preferred agent"
      hint="Does tasks here that name no agent."
      className="max-w-96"
      value={value}
      onChange={onChange}
      options={[["", "None"], ...(isGone ? [value] : []), ...agents.map(agentOption)]}
    />
  )
}

/** A text field that grows with its lines. */
function Lines(props: ComponentProps<typeof TextArea>) {
  return (
    <TextArea
      rows={1}
      spellCheck={false}
      className="field-sizing-content max-h-40 min-h-9 resize-none font-mono text-sm max-md:min-h-11"
      {...props}
    />
  )
}
