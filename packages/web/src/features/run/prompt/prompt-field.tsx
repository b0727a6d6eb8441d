import { useId } from "react"
import { useBrowser } from "../../../session/context/studio.ts"
import { fieldClass } from "../../../ui/field.tsx"
import { isSubmitKey, isTouchScreen } from "../../../ui/submit-key.ts"

interface Props {
  draft: string
  editable: boolean
  onWrite(draft: string): void
  onSubmit(): void
}

export function PromptField({ draft, editable, onWrite, onSubmit }: Props) {
  const id = useId()
  const enterSends = useBrowser((state) => state.preferences.enter_sends)
  return (
    <>
      <label htmlFor={id} className="unseen">
        What to build
      </label>
      <div id="agent-user-prompt" className="min-w-0 flex-1">
        <textarea
          id={id}
          rows={1}
          value={draft}
          readOnly={!editable}
          onChange={(event) => onWrite(event.target.value)}
          onKeyDown={({ nativeEvent }) => {
            if (!isSubmitKey(nativeEvent, { enterSends, touch: isTouchScreen() })) return
            nativeEvent.preventDefault()
            onSubmit()
          }}
          placeholder="Describe what to build, or what to change"
          className={`${fieldClass} field-sizing-content block max-h-36 min-h-9 resize-none py-1.5 read-only:text-ink-2 max-md:min-h-11 max-md:py-2.5`}
        />
      </div>
    </>
  )
}
