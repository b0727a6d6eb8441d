import { type KeyboardEvent, useId, useState } from "react"
import { useToast } from "../../session/context/studio.ts"
import { Button } from "../../ui/button.tsx"
import { Copy, Lock } from "../../ui/icons.tsx"

/** The fixed part of a prompt. It can be read, searched and copied; typing in it shows a hint. */
export function LockedPart({ text }: { text: string }) {
  const id = useId()
  const toast = useToast()
  const [refused, setRefused] = useState(false)

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      toast("Copied.")
    } catch {
      toast("The browser blocked copying. Select the text and copy it with the keyboard.", "err")
    }
  }

  return (
    <div className="shrink-0">
      <div className="mb-1.5 flex min-h-7 items-center gap-2">
        <Lock size={14} aria-hidden className="text-ink-3" />
        <label htmlFor={id} className="text-sm font-semibold">
          Locked
        </label>
        <span className="truncate text-sm text-ink-3 max-md:hidden">Fixed for everyone</span>
        <Button size="sm" tone="quiet" className="ml-auto" onClick={copy}>
          <Copy size={13} aria-hidden /> Copy
        </Button>
      </div>
      <textarea
        id={id}
        readOnly
        value={text}
        spellCheck={false}
        rows={12}
        aria-describedby={`${id}-note`}
        onKeyDown={(event) => setRefused(isEdit(event))}
        onPaste={() => setRefused(true)}
        onDrop={() => setRefused(true)}
        onBlur={() => setRefused(false)}
        className="locked-part block h-[34vh] min-h-28 w-full resize-y rounded-md border border-line bg-well px-3 py-2 font-mono text-sm leading-normal text-ink-2"
      />
      <p id={`${id}-note`} role="status" className="min-h-5 pt-0.5 text-xs text-need">
        {refused && "This part is locked. Edit your part below."}
      </p>
    </div>
  )
}

function isEdit({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const written = key.length === 1 && !ctrlKey && !metaKey && !altKey
  const cut = key.toLowerCase() === "x" && (ctrlKey || metaKey)
  return written || cut || ["Enter", "Backspace", "Delete"].includes(key)
}
