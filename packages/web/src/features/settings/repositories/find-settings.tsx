import { FoundProject } from "@switchyard/core/people/settings/autoconfigure-schema"
import { useMutation } from "@tanstack/react-query"
import * as z from "zod"
import { CHECK_LABELS, CHECK_NAMES } from "../../../session/actions/check-commands.ts"
import { useStudio } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { Search } from "../../../ui/icons.tsx"
import { PROJECT_TYPES } from "./repository-form.ts"

export type { FoundProject }

const Found = z.object({ found: FoundProject })

interface Props {
  repository: string
  found: FoundProject | null
  onFound(found: FoundProject | null): void
}

/** Detects a repository's settings from its files, and shows them. */
export function FindSettings({ repository, found, onFound }: Props) {
  const { api } = useStudio()
  const looking = useMutation({
    mutationFn: () => {
      const body = { project_path: repository, apply: false }
      return api.call("POST /api/v1/config/project/autoconfigure", { body, response: Found })
    },
    onMutate: () => onFound(null),
    onSuccess: (answer) => onFound(answer.found),
  })
  return (
    <div>
      <Button size="sm" disabled={repository === "" || looking.isPending} onClick={() => looking.mutate()}>
        <Search size={14} aria-hidden /> Detect settings
      </Button>
      <div role="status" className="text-sm">
        {looking.error && <p className="mt-2 text-err">{looking.error.message}</p>}
        {found && <FoundFacts found={found} />}
      </div>
    </div>
  )
}

function FoundFacts({ found }: { found: FoundProject }) {
  const { project_type, files, commands, setup_command, setup_needed } = found
  const rows = [
    { name: "Setup", command: setup_command, note: setup_needed ? "" : "not needed (dependencies are linked)" },
    ...CHECK_NAMES.map((name) => ({ name: CHECK_LABELS[name], command: commands[name], note: "" })),
  ].filter(({ command }) => command)
  const title = project_type === null ? "Unknown language" : PROJECT_TYPES[project_type]
  return (
    <div className="mt-2 border-l border-line pl-3">
      <p>
        <span className="font-semibold">{title}</span>
        {files.length > 0 && <span className="text-ink-3"> · detected from {files.join(", ")}</span>}
      </p>
      {rows.length > 0 ? (
        <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5">
          {rows.map(({ name, command, note }) => (
            <div key={name} className="contents">
              <dt className="text-ink-3">{name}</dt>
              <dd className="break-words">
                <code className="font-mono text-xs">{command}</code>
                {note && <span className="text-ink-3"> · {note}</span>}
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <p className="text-ink-3">No build, test or start commands detected.</p>
      )}
    </div>
  )
}
