import { RepositorySettings } from "@switchyard/core/people/settings/repository-settings-schema"
import { useState } from "react"
import { ChoiceField, Field, SelectField, useFields } from "../../../ui/field.tsx"
import { agentOption, useAgents } from "../../home/use-agents.ts"
import { EntryDialog } from "../list/entry-dialog.tsx"
import { CheckFields } from "./check-fields.tsx"
import { FindSettings, type FoundProject } from "./find-settings.tsx"
import {
  blankRepository,
  fromForm,
  PROJECT_TYPES,
  type RepositoryForm,
  repositoryErrors,
  toForm,
} from "./repository-form.ts"
import { VerificationFields } from "./verification-fields.tsx"
import { WorktreeFields } from "./worktree-fields.tsx"

interface Props {
  /** The settings to edit; null for a new repository. */
  entry: RepositorySettings | null
  change: { isPending: boolean; error: Error | null; reset(): void }
  onSave(settings: RepositorySettings): void
  onClose(): void
}

const PROJECTS = { "": "Detect", ...PROJECT_TYPES }

export function RepositoryDialog({ entry, change, onSave, onClose }: Props) {
  const { form, setForm, edit, field, faults, setFaults } = useFields(entry ? toForm(entry) : blankRepository)
  const [found, setFound] = useState<FoundProject | null>(null)
  const save = () => {
    const parsed = RepositorySettings.safeParse(fromForm(form))
    setFaults(parsed.success ? {} : repositoryErrors(parsed.error))
    if (parsed.success) onSave(parsed.data)
  }
  const fields = { form, faults, onChange: edit }
  return (
    <EntryDialog
      title={entry ? "Edit repository" : "Add repository"}
      action="Save"
      change={change}
      blocked={form.repository.trim() === ""}
      onSubmit={save}
      onClose={onClose}
    >
      <Field
        label="Repository"
        hint="Enter a folder or URL."
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
        label="Language"
        hint="Determines how the project is built and tested."
        of={PROJECTS}
        {...field("project_type")}
      />
      <PreferredAgent {...field("preferred_agent")} />
      <WorktreeFields {...fields} />
      <VerificationFields {...fields} />
      <CheckFields {...fields} found={found} />
    </EntryDialog>
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
      label="Default agent"
      value={value}
      onChange={onChange}
      options={[["", "None"], ...(isGone ? [value] : []), ...agents.map(agentOption)]}
    />
  )
}
