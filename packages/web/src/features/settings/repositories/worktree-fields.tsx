import type { ComponentProps } from "react"
import { Field, fieldsOf, TextArea } from "../../../ui/field.tsx"
import type { RepositoryFieldsProps } from "./repository-form.ts"

/** Fields for preparing a new worktree. */
export function WorktreeFields({ form, faults, onChange }: RepositoryFieldsProps) {
  const field = fieldsOf(form, onChange, faults)
  return (
    <>
      <Lines
        label="Files to read first"
        hint="Enter one per line. Agents read these files in addition to AGENTS.md and similar files."
        placeholder="docs/architecture.md"
        {...field("instructions_paths")}
      />
      <Lines
        label="Setup command"
        hint="Runs once in each new worktree before the agent starts."
        placeholder="npm ci"
        {...field("setup")}
      />
      <Lines label="Cleanup command" hint="Runs before a worktree is deleted." {...field("cleanup")} />
      <Lines
        label="Files to copy"
        hint="Enter ignored files to copy from your checkout, one per line."
        placeholder=".env"
        {...field("copy")}
      />
      <Lines
        label="Folders to link"
        hint="Enter dependency folders to share with your checkout, one per line."
        {...field("link")}
      />
      <Lines
        label="Folders to cache"
        hint="Enter folders to save after setup and reuse until lockfiles change, one per line."
        placeholder="node_modules"
        {...field("cache")}
      />
      <Field
        label="Ports"
        type="number"
        min={0}
        max={20}
        hint="Number of ports to reserve for each worktree as PORT, SWITCHYARD_PORT_1 and so on."
        {...field("ports")}
      />
    </>
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
