import type { CheckCommands } from "@switchyard/core/work/gate/schema"
import { useMutation, useQuery } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { CHECK_NAMES, SessionCheckCommands } from "../../../session/actions/check-commands.ts"
import { useStudio } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { Dialog } from "../../../ui/dialog.tsx"
import { Field } from "../../../ui/field.tsx"
import { Notice, Skeleton } from "../../../ui/notice.tsx"

const TITLES = { install: "Install", build: "Build", lint: "Lint", test: "Test", start: "Start" }
const HINTS: Partial<Record<keyof CheckCommands, string>> = {
  install: "Has no network, unless it's the command that was found.",
}

interface Props {
  sessionId: string
  onClose(): void
}

/** The commands by which what was built is tried: those that were found, and what a person sets in their place. */
export function CheckCommandsDialog({ sessionId, onClose }: Props) {
  const { api } = useStudio()
  const path = { id: sessionId }
  const { data, error } = useQuery({
    queryKey: ["check-commands", sessionId],
    // Read anew each time: another tab, or the command line, may have set them.
    gcTime: 0,
    queryFn: ({ signal }) =>
      api.call("GET /api/v1/sessions/{id}/checks/commands", { path, response: SessionCheckCommands, signal }),
  })
  const saving = useMutation({
    mutationFn: (body: CheckCommands) =>
      api.call("PUT /api/v1/sessions/{id}/checks/commands", { path, body, response: SessionCheckCommands }),
    onSuccess: onClose,
  })
  const failed = saving.error ?? error
  return (
    <Dialog
      title="Commands"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" type="submit" form="check-commands" disabled={!data || saving.isPending}>
            Save
          </Button>
        </>
      }
    >
      {data ? <CommandFields {...data} onSave={saving.mutate} /> : !error && <Skeleton lines={4} />}
      {failed && <Notice tone="err">{failed.message}</Notice>}
    </Dialog>
  )
}

interface FieldsProps {
  found: CheckCommands
  set: CheckCommands
  onSave(commands: CheckCommands): void
}

function CommandFields({ found, set, onSave }: FieldsProps) {
  const [typed, setTyped] = useState(set)

  function submit(event: FormEvent) {
    event.preventDefault()
    const named = CHECK_NAMES.map((name) => [name, typed[name]?.trim()] as const).filter(([, command]) => command)
    onSave(Object.fromEntries(named))
  }

  return (
    <form id="check-commands" onSubmit={submit} className="flex flex-col gap-3">
      <p className="text-sm text-ink-2">What you leave empty is found in the project's files.</p>
      {CHECK_NAMES.map((name) => (
        <Field
          key={name}
          label={TITLES[name]}
          hint={HINTS[name]}
          value={typed[name] ?? ""}
          placeholder={found[name] ?? "None found"}
          maxLength={500}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
        />
      ))}
    </form>
  )
}
