import type { ConflictFile } from "@switchyard/core/files/worktrees/conflict-schema"
import type { ResolveRequest } from "@switchyard/core/files/worktrees/merge-schema"
import { useState } from "react"
import { VList } from "virtua"
import { Button } from "../../../ui/button.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { EditFile } from "../worktree/edit-file.tsx"
import { Refusal } from "../worktree/refusal.tsx"
import type { WorktreeActions } from "../worktree/use-worktree.ts"
import { allMade, type Choices, kindText, type Sides } from "./conflict-choices.ts"
import { ConflictRegion } from "./conflict-region.tsx"
import { ConflictTexts } from "./conflict-texts.tsx"

interface Props {
  sessionId: string
  file: ConflictFile
  sides: Sides
  place: string
  readOnly: string | null
  resolve: WorktreeActions["resolve"]
  onResolved(message: string): void
}

/** One file in conflict: resolved region by region, by side, or with an edited text. */
export function ConflictFilePane({ sessionId, file, sides, place, readOnly, resolve, onResolved }: Props) {
  const [choices, setChoices] = useState<Choices>(() => file.hunks.map(() => null))
  const [editing, setEditing] = useState(false)
  const off = readOnly !== null || resolve.isPending
  const made = allMade(choices)
  const path = file.file_path
  const tried = resolve.variables
  const error = tried && "file_path" in tried && tried.file_path === path ? resolve.error : null
  const send = (request: ResolveRequest) =>
    resolve.mutate(request, {
      onSuccess: () => onResolved(`${path} is resolved.`),
    })

  if (editing) {
    return (
      <EditFile
        sessionId={sessionId}
        path={path}
        busy={resolve.isPending}
        error={error}
        onClose={() => setEditing(false)}
        onDone={(content) => send({ file_path: path, content, complete: false })}
      />
    )
  }
  return (
    <section
      aria-label={`Conflict in ${path}`}
      data-region="diff"
      tabIndex={-1}
      className="grid min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)]"
    >
      <header className="border-b border-line px-3 py-1.5 text-sm">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h3 className="min-w-0 flex-1 truncate font-mono text-xs font-semibold max-md:hidden" title={path}>
            {path}
          </h3>
          <span className="text-xs text-ink-3 nums">Conflict {place}</span>
          {file.hunks.length > 0 && (
            <Button
              size="sm"
              tone="primary"
              disabled={off || made === null}
              onClick={() => made && send({ file_path: path, hunks: made, complete: false })}
            >
              Resolve the file{made ? "" : ` (${choices.filter(Boolean).length} of ${choices.length} regions)`}
            </Button>
          )}
        </div>
        <p className="mt-0.5 text-ink-2">
          {kindText(file.kind, sides)}
          {file.related.length > 0 && ` It belongs to the same rename as ${file.related.join(", ")}.`}
        </p>
        <WholeFile file={file} sides={sides} off={off} send={send} onEdit={() => setEditing(true)} />
        {file.resolved && (
          <Notice tone="ok" className="mt-1">
            Resolved. Choose again to replace the resolution.
          </Notice>
        )}
        {error && <Refusal error={error} className="mt-1" />}
      </header>
      {file.hunks.length > 0 ? (
        <VList data={file.hunks} aria-label="Regions" className="bg-paper">
          {(hunk, at) => (
            <ConflictRegion
              key={hunk.index}
              hunk={hunk}
              of={file.hunks.length}
              sides={sides}
              choice={choices[at] ?? null}
              disabled={off}
              onChoose={(choice) => setChoices(choices.map((before, index) => (index === at ? choice : before)))}
            />
          )}
        </VList>
      ) : (
        <ConflictTexts sessionId={sessionId} file={file} sides={sides} />
      )}
    </section>
  )
}

interface WholeProps {
  file: ConflictFile
  sides: Sides
  off: boolean
  send(request: ResolveRequest): void
  onEdit(): void
}

function WholeFile({ file, sides, off, send, onEdit }: WholeProps) {
  const path = file.file_path
  const bySide = (use: "ours" | "theirs") => (
    <Button size="sm" disabled={off} onClick={() => send({ file_path: path, use, complete: false })}>
      {file[use] ? `Use ${sides[use]}` : `Delete, as ${sides[use]} did`}
    </Button>
  )
  return (
    <fieldset className="mt-1 flex flex-wrap items-center gap-1.5">
      <legend className="unseen">The whole file</legend>
      <span aria-hidden className="text-xs text-ink-3">
        Whole file
      </span>
      {bySide("ours")}
      {bySide("theirs")}
      {!file.is_binary && !file.is_submodule && (file.ours || file.theirs) && (
        <Button size="sm" tone="quiet" disabled={off} onClick={onEdit}>
          Edit
        </Button>
      )}
      {file.ours && file.theirs && (
        <Button
          size="sm"
          tone="quiet"
          disabled={off}
          onClick={() => send({ file_path: path, delete: true, complete: false })}
        >
          Delete
        </Button>
      )}
    </fieldset>
  )
}
