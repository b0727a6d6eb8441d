import { useRef } from "react"
import { Button } from "../../ui/button.tsx"
import { Plus, Square, StatusIcon } from "../../ui/icons.tsx"
import { ModelPicker } from "../models/model-picker.tsx"
import { IMAGE_TYPES } from "./use-images.ts"

interface Props {
  onImages(files: Iterable<File>): void
  onSnippets(): void
  /** Null if there is no turn in progress. */
  onStop: (() => void) | null
  canSend: boolean
  sending: boolean
}

/** Buttons that add to the next message, and the button that sends it or stops the turn. */
export function ComposerBar({ onImages, onSnippets, onStop, canSend, sending }: Props) {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <div className="flex items-center gap-1 p-1.5">
      <input
        ref={picker}
        type="file"
        accept={IMAGE_TYPES.join(",")}
        multiple
        hidden
        onChange={({ target }) => {
          onImages([...(target.files ?? [])])
          target.value = ""
        }}
      />
      <Button size="sm" tone="quiet" onClick={() => picker.current?.click()}>
        <Plus size={14} aria-hidden /> Image
      </Button>
      <Button size="sm" tone="quiet" onClick={onSnippets}>
        Snippets
      </Button>
      <ModelPicker compact className="h-8 border-transparent" />
      <span className="ml-auto">
        {onStop ? (
          <Button onClick={onStop}>
            <Square size={13} aria-hidden /> Stop
          </Button>
        ) : (
          <Button type="submit" tone="primary" disabled={!canSend}>
            {sending && <StatusIcon state="busy" label={null} />}
            Send
          </Button>
        )}
      </span>
    </div>
  )
}
