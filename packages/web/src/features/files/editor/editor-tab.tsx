import { clsx } from "clsx"
import { useContext, useMemo } from "react"
import { FileActions } from "../../../session/context/file-actions.ts"
import { Button, IconButton } from "../../../ui/button.tsx"
import { X } from "../../../ui/icons.tsx"
import { endingName } from "../buffer/line-endings.ts"
import type { Saving } from "../buffer/use-saving.ts"

interface Props {
  path: string
  text: string | null
  dirty: boolean
  stored: boolean
  saving: Saving
  onClose(): void
}

/** The open file, its save status, and its buttons. */
export function EditorTab({ path, text, dirty, stored, saving, onClose }: Props) {
  const slash = path.lastIndexOf("/")
  const Actions = useContext(FileActions)
  return (
    <div className="@container flex min-h-10 shrink-0 items-center gap-2 border-b border-line bg-paper pr-2 max-md:min-h-12">
      <h2 className="flex max-w-[60%] min-w-16 items-center gap-2 self-stretch border-r border-b-2 border-r-line border-b-accent bg-sheet pl-3 text-sm font-normal">
        <Dot shown={dirty} />
        <span className="min-w-0 truncate" title={path}>
          <span className="text-ink-3">{path.slice(0, slash + 1)}</span>
          {path.slice(slash + 1)}
        </span>
        <IconButton label={`Close ${path}`} onClick={onClose} className="!size-6 max-md:!size-11">
          <X size={14} aria-hidden />
        </IconButton>
      </h2>
      <div className="flex min-w-fit flex-1 items-center justify-end gap-3">
        <Ending text={text} />
        <p role="status" className={clsx("w-0 grow truncate text-right text-xs nums", tones[saving.state])}>
          {saving.text}
          {dirty && !stored && ". Changes will be lost if you close this page"}
        </p>
        {Actions && (
          <span className="@max-[14rem]:hidden">
            <Actions path={path} />
          </span>
        )}
        {saving.state !== "read_only" && (
          <Button
            size="sm"
            tone={saving.save ? "primary" : "plain"}
            data-agent-action="save-file"
            data-agent-file-path={path}
            disabled={!saving.save}
            title="Save (Ctrl S)"
            onClick={() => saving.save?.()}
          >
            Save
          </Button>
        )}
      </div>
    </div>
  )
}

const tones = {
  clean: "text-ink-3",
  unsaved: "text-ink-2",
  saving: "text-ink-2",
  saved: "text-ok",
  undecided: "text-need",
  too_long: "text-err",
  read_only: "text-ink-3",
} satisfies Record<Saving["state"], string>

/** Filled while there are unsaved changes. */
function Dot({ shown }: { shown: boolean }) {
  if (!shown) return null
  return (
    <span className="size-2 shrink-0 rounded-full bg-ink">
      <span className="unseen">Not saved: </span>
    </span>
  )
}

function Ending({ text }: { text: string | null }) {
  const name = useMemo(() => (text === null ? null : endingName(text)), [text])
  if (name === null) return null
  return (
    <span
      className="text-xs whitespace-nowrap text-ink-3 max-md:hidden @max-[14rem]:hidden"
      title="Line endings (preserved on save)"
    >
      {name}
    </span>
  )
}
