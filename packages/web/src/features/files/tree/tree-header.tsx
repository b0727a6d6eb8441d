import { clsx } from "clsx"
import { IconButton } from "../../../ui/button.tsx"
import { FilePlus, FolderPlus, RefreshCw } from "../../../ui/more-icons.tsx"
import { UploadButton } from "../upload/upload-button.tsx"
import type { DraftChange } from "./tree-dialogs.tsx"

interface Props {
  count: number
  incomplete: boolean
  onRefresh?(): void
  onDraft?(draft: DraftChange): void
}

export function TreeHeader({ count, incomplete, onRefresh, onDraft }: Props) {
  return (
    <header className="@container flex min-h-10 shrink-0 items-center border-b border-line pr-1 pl-3 max-md:min-h-12">
      <h2 className="min-w-0 truncate text-sm font-normal text-ink-2 nums">
        {count === 1 ? "1 file" : `${count.toLocaleString()} files`}
        {incomplete && (
          <span className="text-ink-3" title="Couldn't load all changes. This list may be incomplete.">
            , may be incomplete
          </span>
        )}
      </h2>
      <div className="ml-auto flex">
        {onDraft && (
          <>
            <IconButton
              label="New file"
              onClick={() => onDraft({ type: "file", folder: "" })}
              className="!size-7 max-md:!size-11"
            >
              <FilePlus size={15} aria-hidden />
            </IconButton>
            <IconButton
              label="New folder"
              onClick={() => onDraft({ type: "folder", folder: "" })}
              // Hidden first if there isn't room for all buttons, because a new file's path can create folders too.
              className="!size-7 max-md:!size-11 @max-[14rem]:!hidden"
            >
              <FolderPlus size={15} aria-hidden />
            </IconButton>
            <UploadButton onChoose={(chosen) => onDraft({ type: "upload", chosen })} />
          </>
        )}
        <IconButton
          label={onRefresh ? "Reload files" : "Up to date. New files appear automatically"}
          data-agent-action="refresh-files"
          disabled={!onRefresh}
          onClick={onRefresh}
          // If there isn't room for all buttons, shown only while it would do something.
          className={clsx("!size-7 max-md:!size-11", !onRefresh && "@max-[14rem]:!hidden")}
        >
          <RefreshCw size={14} aria-hidden />
        </IconButton>
      </div>
    </header>
  )
}
