import type { ConflictFile } from "@switchyard/core/files/worktrees/conflict-schema"
import type { ResolveRequest } from "@switchyard/core/files/worktrees/merge-schema"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { VList } from "virtua"
import { useReadOnly } from "../../../session/view/use-session.ts"
import { Button } from "../../../ui/button.tsx"
import { ErrorNotice, Notice, Skeleton } from "../../../ui/notice.tsx"
import { EditFile } from "../worktree/edit-file.tsx"
import { Refusal } from "../worktree/refusal.tsx"
import { useWorktreeQueries, type WorktreeActions } from "../worktree/use-worktree.ts"
import { allMade, type Choices, kindText, type Sides } from "./conflict-choices.ts"
import { ConflictRegion } from "./conflict-region.tsx"
import { ConflictSide } from "./conflict-side.tsx"

interface Props {
  file: ConflictFile
  sides: Sides
  place: string
  resolve: WorktreeActions["resolve"]
  onResolved(message: string): void
}

/** A file with conflicts, resolved region by region, by choosing a side, or with an edited text. */
export function ConflictFilePane({ file, sides, place, resolve, onResolved }: Props) {
  const readOnly = useReadOnly()
  const [choices, setChoices] = useState<Choices>(() => file.hunks.map(() => null))
  const [editing, setEditing] = useState(false)
  const off = readOnly !== null || resolve.isPending
  const made = allMade(choices)
  const path = file.file_path
  const tried = resolve.variables
  const error = tried && "file_path" in tried && tried.file_path === path ? resolve.error : null
  const send = (request: ResolveRequest) =>
    resolve.mutate(request, {
      onSuccess: () => onResolved(`Resolved ${path}.`),
    })

  if (editing) {
    return (
      <EditFile
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
          <span className="text-xs text-ink-3 nums">File {place}</span>
          {file.hunks.length > 0 && (
            <Button
              size="sm"
              tone="primary"
              disabled={off || made === null}
              onClick={() => made && send({ file_path: path, hunks: made, complete: false })}
            >
              Resolve file{made ? "" : ` (${choices.filter(Boolean).length} of ${choices.length} conflicts)`}
            </Button>
          )}
        </div>
        <p className="mt-0.5 text-ink-2">
          {kindText(file.kind, sides)}
          {file.related.length > 0 && ` The same rename also affects ${file.related.join(", ")}.`}
        </p>
        <WholeFile file={file} sides={sides} off={off} send={send} onEdit={() => setEditing(true)} />
        {file.resolved && (
          <Notice tone="ok" className="mt-1">
            Resolved. You can still change your choice.
          </Notice>
        )}
        {error && <Refusal error={error} className="mt-1" />}
      </header>
      {file.hunks.length > 0 ? (
        <VList data={file.hunks} aria-label="Conflicts" className="bg-paper">
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
        <ConflictTexts file={file} sides={sides} />
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
      {file[use] ? `Use ${sides[use]}` : `Delete (as in ${sides[use]})`}
    </Button>
  )
  return (
    <fieldset className="mt-1 flex flex-wrap items-center gap-1.5">
      <legend className="unseen">Whole file</legend>
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

/** The full texts of a file without regions, for choosing a side. */
function ConflictTexts({ file, sides }: { file: ConflictFile; sides: Sides }) {
  const readable = !file.is_binary && !file.is_submodule
  const queries = useWorktreeQueries()
  const query = useQuery({ ...queries.conflict(file.file_path), enabled: readable })
  const content = query.data?.content
  return (
    <div className="min-h-0 overflow-y-auto p-3">
      <p className="mb-2 text-sm text-ink-3">
        {file.is_binary ? "Binary file" : file.is_submodule ? "Submodule" : "This file can't be merged line by line"}.
        Choose which version to keep.
      </p>
      <ErrorNotice error={query.error} />
      {readable && query.isPending && <Skeleton />}
      {content && (
        <div className="grid border border-line lg:grid-cols-3">
          <ConflictSide name={sides.ours} text={content.ours} on={false} tall />
          <ConflictSide name="before" text={content.base} on={false} tall />
          <ConflictSide name={sides.theirs} text={content.theirs} on={false} tall />
        </div>
      )}
    </div>
  )
}
