import type { ItemInstance } from "@headless-tree/core"
import { showBidiControls } from "@switchyard/core/text/bidi-controls"
import { clsx } from "clsx"
import { Ellipsis, StatusIcon } from "../../../ui/icons.tsx"
import { ChevronRight, File, FileDigit } from "../../../ui/more-icons.tsx"
import type { TreeEntry } from "./tree-index.ts"

/** A file's part in the run shown. */
export type Mark = "writing" | "new" | "changed" | null

interface Props {
  item: ItemInstance<TreeEntry>
  active: boolean
  mark: Mark
  /** True if the file has unsaved text. */
  unsaved: boolean
  onMenu?(entry: TreeEntry, anchor: HTMLElement): void
}

export function TreeRow({ item, active, mark, unsaved, onMenu }: Props) {
  const entry = item.getItemData()
  const file = entry.kind === "file"
  return (
    <div
      {...item.getProps()}
      role="treeitem"
      tabIndex={item.isFocused() ? 0 : -1}
      // The accessible name is the visible text, including its marks.
      aria-label={undefined}
      aria-selected={active}
      onFocus={() => item.isFocused() || item.setFocused()}
      data-agent-action={file ? "open-file" : undefined}
      data-agent-file-path={entry.path}
      onContextMenu={(event) => {
        if (!onMenu) return
        event.preventDefault()
        onMenu(entry, event.currentTarget)
      }}
      style={{ paddingLeft: `${8 + item.getItemMeta().level * 14}px` }}
      className={clsx(
        "group flex h-[var(--row)] cursor-pointer items-center gap-1.5 border-l-2 pr-1 text-sm select-none max-md:h-11",
        "focus-visible:outline-offset-[-2px]",
        active ? "border-accent bg-well" : "border-transparent hover:bg-well",
        mark === "writing" && "text-accent",
      )}
    >
      <Icon entry={entry} open={!file && item.isExpanded()} />
      <span className="min-w-0 flex-1 truncate" title={entry.path}>
        {showBidiControls(entry.name)}
      </span>
      <span
        className={clsx(
          "flex shrink-0 items-center gap-1.5 pr-1.5 text-xs",
          onMenu && "pointer-fine:group-hover:md:hidden",
        )}
      >
        {unsaved && <span className="text-need">unsaved</span>}
        {entry.file?.binary && <span className="text-ink-3">binary</span>}
        {mark === "writing" && <StatusIcon state="busy" size={13} label="Writing" />}
        {mark === "new" && !unsaved && <span className="text-ok">new</span>}
        {mark === "changed" && !unsaved && <span className="text-info">changed</span>}
      </span>
      {onMenu && <MenuButton entry={entry} onMenu={onMenu} />}
    </div>
  )
}

function Icon({ entry, open }: { entry: TreeEntry; open: boolean }) {
  const look = { size: 14, "aria-hidden": true, className: "shrink-0 text-ink-3" }
  if (entry.kind === "folder") {
    return (
      <ChevronRight
        {...look}
        className={clsx(look.className, "transition-transform duration-100", open && "rotate-90")}
      />
    )
  }
  return entry.file?.binary ? <FileDigit {...look} /> : <File {...look} />
}

/** For pointers. On a keyboard, Shift+F10 opens the row's menu. */
function MenuButton({ entry, onMenu }: { entry: TreeEntry; onMenu: NonNullable<Props["onMenu"]> }) {
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label="Actions"
      onClick={(event) => {
        event.stopPropagation()
        onMenu(entry, event.currentTarget)
      }}
      className={clsx(
        "hidden size-6 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-line hover:text-ink max-md:flex max-md:size-11",
        "group-hover:flex pointer-coarse:flex",
      )}
    >
      <Ellipsis size={14} aria-hidden />
    </button>
  )
}
