import { useRef, useState } from "react"
import { IconButton } from "../../../ui/button.tsx"
import { Menu } from "../../../ui/menu.tsx"
import { Upload } from "../../../ui/more-icons.tsx"
import type { Chosen } from "./pack.ts"

type Kind = Chosen["kind"]

const LABELS: Record<Kind, string> = { files: "Files to upload", folder: "Folder to upload", zip: "Zip to unpack" }

/** Button for choosing files, a folder or a zip. */
export function UploadButton({ onChoose }: { onChoose(chosen: Chosen): void }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const inputs = useRef<Partial<Record<Kind, HTMLInputElement | null>>>({})
  const item = (name: string, kind: Kind) => ({ name, run: () => inputs.current[kind]?.click() })
  return (
    <>
      <IconButton
        label="Upload"
        data-agent-action="upload"
        aria-haspopup="menu"
        onClick={(event) => setAnchor(event.currentTarget)}
        className="!size-7 max-md:!size-11"
      >
        <Upload size={15} aria-hidden />
      </IconButton>
      {(Object.keys(LABELS) as Kind[]).map((kind) => (
        <input
          key={kind}
          ref={(input) => {
            inputs.current[kind] = input
          }}
          hidden
          type="file"
          aria-label={LABELS[kind]}
          multiple={kind === "files"}
          // A non-standard attribute supported by every browser.
          {...(kind === "folder" && { webkitdirectory: "" })}
          accept={kind === "zip" ? ".zip,application/zip" : undefined}
          onChange={({ target }) => {
            const files = [...(target.files ?? [])]
            if (files.length > 0) onChoose({ kind, files })
            // Allows the same files to be chosen again.
            target.value = ""
          }}
        />
      ))}
      {anchor && (
        <Menu
          label="Upload"
          anchor={anchor}
          items={[item("Files…", "files"), item("Folder…", "folder"), item("Unpack zip…", "zip")]}
          onClose={() => setAnchor(null)}
        />
      )}
    </>
  )
}
