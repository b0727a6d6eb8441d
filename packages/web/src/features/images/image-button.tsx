import { useRef } from "react"
import { Button } from "../../ui/button.tsx"
import { Plus } from "../../ui/icons.tsx"
import { IMAGE_TYPES } from "./attached-image.ts"

/** Button for choosing images from the disk. */
export function ImageButton({ onChoose }: { onChoose(files: Iterable<File>): void }) {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={picker}
        type="file"
        accept={IMAGE_TYPES.join(",")}
        aria-label="Images"
        multiple
        hidden
        onChange={({ target }) => {
          onChoose([...(target.files ?? [])])
          target.value = ""
        }}
      />
      <Button size="sm" tone="quiet" onClick={() => picker.current?.click()}>
        <Plus size={14} aria-hidden /> <span className="@max-[23rem]:unseen">Image</span>
      </Button>
    </>
  )
}
